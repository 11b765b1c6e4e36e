#!/bin/sh
# docs/packaging/debian.sh: packages are built from the source archive without network and without git, with Debian's flags; what
# is in them runs; dpkg installs them and leaves nothing when they are removed. With "everything" lintian's word on them, and
# a bare system in which apt installs, uses and removes them.
#
#   sh tests/packages/debian.sh [everything]      needs SOURCE, DPSVM
. "$SOURCE/tests/cli/check.sh"
packaging=$SOURCE/docs/packaging
for program in dpkg-buildpackage dh; do
    command -v $program > /dev/null || {
        echo "skipped: no $program (apt-get install dpkg-dev debhelper)"
        exit 77
    }
done

# Little optimisation, for the time it takes, except where lintian judges what is built.
[ "${1:-}" = everything ] || export DEB_CFLAGS_APPEND=-O1
DEB_BUILD_OPTIONS="parallel=$(nproc)"
export DEB_BUILD_OPTIONS
unset CFLAGS CXXFLAGS LDFLAGS CMAKE_GENERATOR MAKEFLAGS
offline=
if unshare -n true 2> /dev/null; then
    offline='unshare -n'
else
    untried 'a build without network: unshare -n is not allowed here'
fi
run 0 $offline sh "$packaging/debian.sh" "$PWD/debs"
[ "$failures" -eq 0 ] || { tail -n 30 out err; exit 1; }
rm -f debs/*-dbgsym_*.deb
version=$("$DPSVM" version | awk 'NR == 1 { print $2 }')
packages=$(sed -n 's/^Package: //p' "$packaging/debian/control")
for package in $packages; do
    [ -n "$(find debs -name "${package}_$version-1_*.deb")" ] || fail "no $package of $version"
done

# What they want of the system: no MPI unless asked for, no BLAS to run.
for package in $packages; do
    dpkg-deb -f debs/"$package"_*.deb Depends
done > depends
grep -qE 'mpi|blas|lapack' depends && fail "depends on $(grep -E 'mpi|blas|lapack' depends)"
grep -q 'libcjson1' depends || fail "the libraries are no dependencies: $(cat depends)"
dpkg-deb -f debs/dpsvm_*.deb Suggests | grep -q 'libopenblas0 | libblas3' || fail 'the BLAS that bench loads is not suggested'

mkdir root
for deb in debs/*.deb; do
    dpkg -x "$deb" root
done
program=root/usr/bin/dpsvm
readelf -d $program | grep -q 'BIND_NOW' && readelf -h $program | grep -q 'DYN' || fail 'not hardened'
nm -D $program | grep -q '__stack_chk_fail' && nm -D $program | grep -q '_chk@' || fail 'no stack protector, or not fortified'
folder=$PWD/$(dirname "$(find root/usr/lib -name 'libdpsvm.so.0')")
rows 5 400 3 > rows.svm
run 0 $program train rows.svm -q --map.features=50
run 0 $program predict model.dpsvm rows.svm -q
agree 390 out rows.svm
"$DPSVM" train rows.svm -q --map.features=50 -o here.dpsvm
same model.dpsvm here.dpsvm # other flags, same bits
for page in man1/dpsvm.1 man1/dpsvm-train.1 man5/dpsvm.ini.5; do
    [ -s root/usr/share/man/$page.gz ] || fail "no manual page $page.gz"
done
[ -s root/usr/share/bash-completion/completions/dpsvm ] && [ -s root/usr/share/zsh/vendor-completions/_dpsvm ] ||
    fail 'no completion where Debian has it'
cat > use.c <<'END'
#include <dpsvm/dpsvm.h>
#include <stdio.h>
int main(void) { return printf("%s\n", dpsvm_version()) < 0; }
END
run 0 "${CC:-cc}" use.c -o use -Iroot/usr/include -L"$folder" -ldpsvm
LD_LIBRARY_PATH=$folder ./use > out
ldd "$folder/libdpsvm-score.so.0" | grep -vE 'linux-vdso|libc\.|libm\.|ld-linux' > others
[ ! -s others ] || fail "libdpsvm-score0 wants $(cat others)"
[ "$(cat out)" = "$version" ] || fail "libdpsvm says it is $(cat out)"
if /usr/bin/python3 -c 'import numpy, sklearn' 2> /dev/null; then
    run 0 env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$PWD/root/usr/lib/python3/dist-packages" /usr/bin/python3 -c \
        'import dpsvm; from dpsvm import _library; open("/proc/self/maps").read().index("'"$PWD"'/root/usr/lib/")'
else
    untried 'the Python module: no python3-sklearn'
fi

# Installed by dpkg into an empty system of its own, and removed: nothing is left.
if [ "$(id -u)" -eq 0 ]; then
    mkdir -p system/var/lib/dpkg/info system/var/lib/dpkg/updates
    : > system/var/lib/dpkg/status
    into="dpkg --root=$PWD/system --force-script-chrootless --log=/dev/null"
    run 0 $into --force-depends -i debs/*.deb
    [ -x system/usr/bin/dpsvm ] || fail 'dpkg did not install the program'
        run 0 $into --purge $packages
    left=$(find system -path system/var/lib/dpkg -prune -o ! -type d -print)
    [ -z "$left" ] || fail "left behind: $left"
else
    untried 'installing with dpkg: needs root'
fi
[ "${1:-}" = everything ] || finish

# --- long ---------------------------------------------------------------------------------------------------------

# docs/packaging/README.md says why these remain.
if command -v lintian > /dev/null; then
    run 0 lintian --no-cfg --allow-root --fail-on error,warning --suppress-tags initial-upload-closes-no-bugs debs/*.deb
    [ ! -s out ] || cat out >&2
else
    untried 'lintian: it is not installed'
fi
if [ "$(id -u)" -ne 0 ] || ! command -v mmdebstrap > /dev/null || ! chroot / true 2> /dev/null; then
    untried 'a bare system: needs root, mmdebstrap and chroot'
    finish
fi
cat > inside.sh <<'END'
set -eu
export DEBIAN_FRONTEND=noninteractive
cd /packages
dpkg-query -W -f '${Package}\n' | sort > before
find / -xdev \( -path /proc -o -path /sys -o -path /var -o -path /packages -o -path /tmp -o -path /etc/ld.so.cache \) -prune -o ! -type d -print | sort > files_before
apt-get install -y --no-install-recommends ./*.deb
dpsvm train rows.svm -q --map.features=50
dpsvm predict model.dpsvm rows.svm -q > predicted
dpsvm train /usr/share/dpsvm/configs/spirals.ini -q --map.features=20 --output.model=spirals.dpsvm
zcat /usr/share/man/man1/dpsvm-train.1.gz | grep -q '^.TH DPSVM'
apt-get purge -y --auto-remove $(cat names)
dpkg-query -W -f '${Package}\n' | sort > after
find / -xdev \( -path /proc -o -path /sys -o -path /var -o -path /packages -o -path /tmp -o -path /etc/ld.so.cache \) -prune -o ! -type d -print | sort > files_after
cmp before after
diff files_before files_after
END
mkdir packages
echo $packages > packages/names
cp debs/*.deb rows.svm inside.sh packages
codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
apt-config dump Acquire > apt.conf
sources=$(grep -ls "$codename" /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources)
# in_bare_system HOOK...: a Debian system, in which the hooks of mmdebstrap do something.
in_bare_system() {
    # shellcheck disable=SC2086
    run 0 mmdebstrap --mode=root --variant=apt --format=null --aptopt="$PWD/apt.conf" \
        --setup-hook='mkdir -p "$1/etc/apt" && for d in keyrings trusted.gpg.d auth.conf.d; do [ ! -d "/etc/apt/$d" ] ||
            cp -r "/etc/apt/$d" "$1/etc/apt"; done' "$@" "$codename" /dev/null $sources
}
in_bare_system --customize-hook="cp -R '$PWD/packages' \"\$1/packages\"" \
    --customize-hook='chroot "$1" sh /packages/inside.sh' \
    --customize-hook="cp \"\$1/packages/predicted\" '$PWD/predicted'"
agree 390 predicted rows.svm

# The steps of Apptainer's definition, in the system that it begins with (but for what makes it small).
run 0 sh "$packaging/source.sh" "$PWD"
mkdir source
tar -x -z -f "$(cat out)" -C source --strip-components=1
awk '/^%/ { inside = $1 == "%post"; next } inside' "$packaging/dpsvm.def" > post.sh
in_bare_system --customize-hook="cp -R '$PWD/source' \"\$1/source\" && cp '$PWD/post.sh' '$PWD/rows.svm' \"\$1\"" \
    --customize-hook='chroot "$1" sh -eu /post.sh' \
    --customize-hook='chroot "$1" dpsvm train /rows.svm -q --map.features=50 --output.model=/model.dpsvm' \
    --customize-hook="chroot \"\$1\" dpsvm predict /model.dpsvm /rows.svm -q > '$PWD/predicted'"
agree 390 predicted rows.svm
finish
