#!/bin/sh
# The two commands of README.md on a machine that nobody prepared: a bare Debian (or Ubuntu) system is made with
# mmdebstrap from this machine's own apt sources, the committed tree is copied into it, ./dev.sh demo and ./dev.sh test
# run there, and it is removed.
#
#   sh tests/fresh/fresh_root.sh bare|reference [CTEST-OPTIONS...]
#
# bare       nothing is in it; root runs the commands, which install what is missing
# reference  the reference LAPACK is in it and stays what is used; a user without root runs the commands, which name
#            the packages; root runs that line and nothing else
#
# CTEST-OPTIONS go to ./dev.sh test. Needs root, mounts in a namespace of its own, mmdebstrap, and the sources.
# Skipped (77) where one of them cannot be had; mmdebstrap alone missing is a failure, because ./dev.sh test installs it.
set -eu
tree=$(cd "$(dirname "$0")/../.." && pwd)

skip() {
    echo "skipped: $*"
    exit 77
}

fail() {
    echo "FAIL: $*"
    exit 1
}

# in_root USER COMMAND...: in the tree's copy, with an environment as after login; compiler flags and proxies go along.
in_root() {
    user=$1
    shift
    chroot --userspec="$user" "$root" /usr/bin/env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
        HOME=/tmp DPSVM_FRESH=off ${CI:+CI="$CI"} ${http_proxy:+http_proxy="$http_proxy"} \
        ${https_proxy:+https_proxy="$https_proxy"} ${no_proxy:+no_proxy="$no_proxy"} ${CFLAGS:+CFLAGS="$CFLAGS"} \
        ${LDFLAGS:+LDFLAGS="$LDFLAGS"} sh -c 'cd /dpsvm && exec "$@"' sh "$@" </dev/null
}

# as_user COMMAND...: a user runs it, root the line it asks for, the user runs it again.
as_user() {
    if in_root 1000:1000 "$@" >"$root/tmp/said" 2>&1; then
        cat "$root/tmp/said"
        return
    fi
    line=$(sed -n 's/^  \(apt-get update; apt-get install .*\)$/\1/p' "$root/tmp/said")
    [ -n "$line" ] || {
        cat "$root/tmp/said"
        fail "$* names no line for root"
    }
    echo "as root: $line"
    in_root 0:0 env DEBIAN_FRONTEND=noninteractive sh -c "$line" >"$root/tmp/installed" 2>&1 || {
        tail -n 20 "$root/tmp/installed"
        fail "the line that $* gives to root does not work"
    }
    in_root 1000:1000 "$@"
}

if [ "$1" = --inside ]; then # in the namespace of mounts and processes that ends with this script
    root=$2
    which=$3
    shift 3
    mount -t proc proc "$root/proc"
    mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm" # ranks of one machine meet there
    mkdir -p "$root/dev/pts"                          # terminals that tests make
    mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts "$root/dev/pts"
    ln -sf pts/ptmx "$root/dev/ptmx"
    if [ "$which" = bare ]; then
        in_root 0:0 ./dev.sh demo
        in_root 0:0 ./dev.sh test "$@"
    else
        chown -R 1000:1000 "$root/dpsvm"
        as_user ./dev.sh demo
        as_user ./dev.sh test "$@"
        [ -z "$(find "$root/usr/lib" -name 'libopenblas*')" ] || fail "another LAPACK was installed beside the reference one"
    fi
    exit
fi

which=$1
shift
case $which in bare | reference) ;; *) fail "bare or reference, not $which" ;; esac
[ "${DPSVM_FRESH:-on}" != off ] || skip "DPSVM_FRESH is off"
[ "$(id -u)" -eq 0 ] || skip "needs root"
for program in apt-get apt-config chroot unshare; do
    command -v $program >/dev/null || skip "no $program"
done
chroot / true 2>/dev/null || skip "chroot is not allowed here"
unshare --mount --pid --fork sh -c 'mount -t tmpfs tmpfs /mnt' 2>/dev/null || skip "mounts are not allowed here"
codename=$(. /etc/os-release && echo "${VERSION_CODENAME:-}")
sources=$(grep -ls "$codename" /etc/apt/sources.list /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources) || true
[ -n "$codename" ] && [ -n "$sources" ] || skip "no apt source of this system's own release"

work=$tree/build/fresh/$which
root=$work/root
rm -rf "$work"
mkdir -p "$work/lists/partial"
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
start=$(date +%s)
apt-config dump Acquire >"$work/apt.conf" # proxies and the like
apt-get update -o Dir::State::Lists="$work/lists" -o APT::Update::Error-Mode=any >"$work/update.log" 2>&1 ||
    skip "the apt sources cannot be reached: $(grep -m 1 '^[EW]:' "$work/update.log")"
rm -rf "$work/lists"
command -v mmdebstrap >/dev/null || fail "mmdebstrap is missing, and could be installed: apt-get install mmdebstrap"

include=
[ "$which" = bare ] || include=--include=libblas-dev,liblapack-dev
# shellcheck disable=SC2086  # words
mmdebstrap --mode=root --variant=apt --aptopt="$work/apt.conf" $include \
    --setup-hook='mkdir -p "$1/etc/apt" && for d in keyrings trusted.gpg.d auth.conf.d; do [ ! -d "/etc/apt/$d" ] ||
        cp -r "/etc/apt/$d" "$1/etc/apt"; done' \
    "$codename" "$root" $sources >"$work/mmdebstrap.log" 2>&1 || {
    tail -n 20 "$work/mmdebstrap.log"
    fail "mmdebstrap does not make a system, though the apt sources can be reached"
}
cp /etc/hosts /etc/resolv.conf "$root/etc" 2>/dev/null || true
mkdir "$root/dpsvm"
if git -c safe.directory='*' -C "$tree" rev-parse --verify HEAD >/dev/null 2>&1; then
    git -c safe.directory='*' -C "$tree" archive HEAD | tar -x -C "$root/dpsvm"
else
    tar -c -C "$tree" --exclude=./build . | tar -x -C "$root/dpsvm"
fi
unshare --mount --pid --fork --kill-child sh "$0" --inside "$root" "$which" "$@"
echo "fresh root ($which): demo and tests passed, $(($(date +%s) - start)) s"
