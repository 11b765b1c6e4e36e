#!/bin/sh
# Fills the folder that DPSVM_DATA names:  sh data/get.sh MIRROR [FOLDER]
#
# MIRROR is a folder with the raw data sets, as NAME.xz or NAME; FOLDER (build/data) gets NAME.xz of each whose unpacked text has
# the SHA-256 of sources.txt. What is missing or differs is named with the address of its public original, which this
# script does not fetch. Status 0: all are there; 1: some are not (the experiments leave out what they lack).
set -eu
here=$(dirname "$0")
[ $# -ge 1 ] && [ -d "$1" ] || {
    sed -n '2,/^set -eu/{/^set -eu/d;s/^# \{0,1\}//;p;}' "$0" >&2
    exit 2
}
mirror=$1
folder=${2:-$here/../build/data}
mkdir -p "$folder"

# text NAME: the unpacked text of what the mirror has.
text() {
    if [ -f "$mirror/$1.xz" ]; then
        xz -dc "$mirror/$1.xz"
    else
        cat "$mirror/$1"
    fi
}

there=0
lacking=0
while read -r sum name origin; do
    case $sum in '#'*) continue ;; esac
    if [ ! -f "$mirror/$name.xz" ] && [ ! -f "$mirror/$name" ]; then
        what=missing
    elif [ "$(text "$name" | sha256sum | cut -d ' ' -f 1)" != "$sum" ]; then
        what='differs (SHA-256)'
    else
        rm -f "$folder/$name.xz.part"
        if [ -f "$mirror/$name.xz" ]; then
            [ "$mirror/$name.xz" -ef "$folder/$name.xz" ] || cp "$mirror/$name.xz" "$folder/$name.xz.part"
        else
            xz -c "$mirror/$name" >"$folder/$name.xz.part"
        fi
        [ ! -f "$folder/$name.xz.part" ] || mv "$folder/$name.xz.part" "$folder/$name.xz"
        there=$((there + 1))
        continue
    fi
    lacking=$((lacking + 1))
    echo "$name: $what; original: $origin"
done <"$here/sources.txt"
echo "$there of $((there + lacking)) data sets in $folder; export DPSVM_DATA=$folder"
[ "$lacking" -eq 0 ]
