#!/bin/sh
# Data sets of Debian's R packages, without installing anything:
#   sh tests/benchmarks/r_data.sh FOLDER SCRIPT PACKAGE...
# downloads and unpacks R and the packages into FOLDER/root (once for a list of packages) and runs the R script in the
# working folder, with R's home as its argument and this folder as BENCHMARKS. Needs apt-get and a Debian of 2023 or later.
set -eu
folder=$1 script=$2
shift 2
packages="r-base-core libtre5 libtirpc3 libicu72 libreadline8 $*"
if [ "$(cat "$folder/root/packages" 2> /dev/null)" != "$packages" ]; then
    mkdir -p "$folder/root"
    # shellcheck disable=SC2086  # words
    (cd "$folder" && apt-get download $packages) > "$folder/download.log" 2>&1 || {
        tail -5 "$folder/download.log" >&2
        exit 1
    }
    for package in "$folder"/*.deb; do
        dpkg -x "$package" "$folder/root"
    done
    echo "$packages" > "$folder/root/packages"
fi
home=$folder/root/usr/lib/R
BENCHMARKS=$(dirname "$0") R_HOME=$home LD_LIBRARY_PATH=$home/lib:$folder/root/usr/lib/x86_64-linux-gnu R_LIBS=$home/library R_DEFAULT_PACKAGES=NULL \
    EDITOR=vi VISUAL=vi PAGER=cat R_PAPERSIZE=a4 R_BROWSER=none R_PDFVIEWER=none \
    "$home/bin/exec/R" --no-echo --no-restore --vanilla -f "$script" --args "$home" > "$folder/R.log" 2>&1 || {
    tail -5 "$folder/R.log" >&2
    exit 1
}
