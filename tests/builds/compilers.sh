#!/bin/sh
# The program and its tests compile without a warning with every gcc and clang that is installed, and with the flags that
# Debian and Fedora build packages with; unit tests pass with Debian's; link-time optimisation and code for this machine's
# processor keep the bits of tests/golden.
# Skipped (77) without a second compiler; ./dev.sh test --long installs those that the system offers.
. "$SOURCE/tests/cli/check.sh"

# compiles NAME COMPILER TARGET C-FLAGS [LINKER-FLAGS [DEFINITION]], with make
compiles() {
    echo "$1"
    CFLAGS=$4 LDFLAGS=${5:-} run 0 cmake -G 'Unix Makefiles' -S "$SOURCE" -B "build-$1" -DCMAKE_C_COMPILER="$2" \
        -DCMAKE_BUILD_TYPE=Release -DDPSVM_WERROR=ON -DDPSVM_WITH_MPI=OFF ${6:+"$6"}
    run 0 cmake --build "build-$1" --parallel "$(nproc)" --target "$3"
    grep -hE 'warning:|error:' out err | head -5 >&2
}

# golden NAME: its program has the values and bits of tests/golden.
golden() {
    mkdir "golden-$1"
    (cd "golden-$1" && DPSVM=$PWD/../build-$1/dpsvm sh "$SOURCE/tests/cli/test_golden.sh") > out 2> err ||
        fail "tests/golden with build-$1"
}

# Debian's flags, all of its hardening: by its own tool where that is there.
if command -v dpkg-buildflags > /dev/null; then
    c_flags="$(DEB_BUILD_MAINT_OPTIONS=hardening=+all dpkg-buildflags --get CFLAGS) $(dpkg-buildflags --get CPPFLAGS)"
    linker_flags=$(DEB_BUILD_MAINT_OPTIONS=hardening=+all dpkg-buildflags --get LDFLAGS)
else
    untried 'the flags of this release of Debian: no dpkg-buildflags; those of Debian 12 instead'
    c_flags='-g -O2 -fstack-protector-strong -Wformat -Werror=format-security -Wdate-time -D_FORTIFY_SOURCE=2 -fPIE'
    linker_flags='-Wl,-z,relro -Wl,-z,now -pie'
fi
compiles debian "$CC" all "$c_flags" "$linker_flags"
run 0 ctest --test-dir build-debian --parallel "$(nproc)" --timeout 300 --no-tests=error -R '^unit|cli\.test_golden$'
# This machine's processor and no other (DPSVM_NATIVE).
compiles native "$CC" dpsvm '' '' -DDPSVM_NATIVE=ON
golden native
# each NAME FLAGS: Fedora's, as far as this compiler has them
fedora='-O2 -fexceptions -g -grecord-gcc-switches -pipe -Wall -Werror=format-security -Wp,-D_FORTIFY_SOURCE=3
    -Wp,-D_GLIBCXX_ASSERTIONS -fstack-protector-strong -fasynchronous-unwind-tables -fstack-clash-protection'
case $("$CC" -dumpmachine) in
x86_64*) fedora="$fedora -m64 -march=x86-64 -mtune=generic -fcf-protection" ;;
esac
compiles fedora "$CC" dpsvm "-flto=auto $(echo $fedora)"
golden fedora

count=0
for version in 11 12 13 14 15; do
    command -v gcc-$version > /dev/null || { untried "gcc-$version: it is not installed"; continue; }
    count=$((count + 1))
    compiles gcc-$version gcc-$version all ''
done
for version in 13 14 15 16 17 18 19 20 21 22; do
    command -v clang-$version > /dev/null || { untried "clang-$version: it is not installed"; continue; }
    # The OpenMP of this version, unpacked: those of two versions cannot be installed at once.
    mkdir -p omp-$version
    (cd omp-$version && apt-get download libomp-$version-dev &&
        apt-get download "$(apt-cache depends libomp-$version-dev | sed -n 's/.*Depends: \(libomp5-[0-9]*\)$/\1/p')" &&
        for file in *.deb; do dpkg -x "$file" .; done) > log 2>&1
    header=$(find omp-$version -name omp.h)
    library=$(find "$PWD/omp-$version" -path '*llvm*' -name libomp.so)
    [ -n "$header" ] && [ -n "$library" ] || { untried "clang-$version: no libomp-$version-dev"; continue; }
    mkdir -p omp-$version/include
    cp "$header" omp-$version/include # alone: beside it stand headers of another clang
    count=$((count + 1))
    compiles clang-$version clang-$version all "-isystem $PWD/omp-$version/include" "-L$(dirname "$library")"
done
[ "$count" -gt 0 ] || [ "$failures" -gt 0 ] || {
    echo "skipped: no gcc or clang of another version is installed" >&2
    exit 77
}
finish
