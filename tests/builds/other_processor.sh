#!/bin/sh
# The program for another processor, run by qemu's user emulation: it maps rows to the bits of tests/golden, and predicts
# with models that were trained here to the bits that are predicted here.
#
#   sh tests/builds/other_processor.sh DEBIAN-ARCHITECTURE COMPILER QEMU
#
# The libraries of that processor are unpacked into the test's folder by an apt with a state of its own; the machine's
# packages and architectures stay as they are. Skipped (77) where compiler, emulator or packages cannot be had;
# ./dev.sh test --long installs the first two.
. "$SOURCE/tests/cli/check.sh"
architecture=$1
compiler=$2
qemu=$3
triplet=${compiler%-gcc}

skip() {
    echo "skipped: $*" >&2
    exit 77
}
for program in "$compiler" "$qemu" apt-get dpkg; do
    command -v "$program" > /dev/null || skip "no $program"
done
[ -e "/usr/$triplet/lib/libc.so.6" ] || skip "no C library for $architecture (libc6-dev-$architecture-cross)"

mkdir -p apt/state/lists/partial apt/cache/archives/partial system
: > apt/status
cat > apt/conf <<CONF
APT::Architecture "$architecture";
APT::Architectures "$architecture";
APT::Sandbox::User "root";
Acquire::Languages "none";
Dir::State "$PWD/apt/state";
Dir::State::status "$PWD/apt/status";
Dir::Cache "$PWD/apt/cache";
CONF
APT_CONFIG=$PWD/apt/conf
export APT_CONFIG
apt-get update > apt/log 2>&1 || skip "the apt sources cannot be reached for $architecture"
(cd apt/cache && apt-get download librandom123-dev libxxhash-dev libcjson-dev libcjson1 zlib1g-dev \
    zlib1g libzstd-dev libzstd1) > apt/log 2>&1 ||
    skip "no packages for $architecture"
for package in apt/cache/*.deb; do
    dpkg -x "$package" system || fail "$package cannot be unpacked"
done
libraries=$PWD/system/usr/lib/$triplet

run 0 cmake -S "$SOURCE" -B build -DCMAKE_BUILD_TYPE=Release -DBUILD_TESTING=OFF -DDPSVM_WITH_MPI=OFF -DDPSVM_WERROR=ON \
    -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR="${triplet%%-*}" -DCMAKE_C_COMPILER="$compiler" \
    -DCMAKE_LIBRARY_ARCHITECTURE="$triplet" -DCMAKE_FIND_ROOT_PATH="$PWD/system;/usr/$triplet" \
    -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY \
    -DCMAKE_EXE_LINKER_FLAGS="-Wl,-rpath-link,$libraries" -DCMAKE_SHARED_LINKER_FLAGS="-Wl,-rpath-link,$libraries"
run 0 cmake --build build --parallel
[ "$failures" -eq 0 ] || { tail -n 5 err >&2; exit 1; }

cat > there <<SCRIPT
#!/bin/sh
exec $qemu -L /usr/$triplet -E LD_LIBRARY_PATH="$libraries:/usr/$triplet/lib" "$PWD/build/dpsvm" "\$@"
SCRIPT
chmod +x there
here=$DPSVM
there=$PWD/there
run 0 "$there" version
cp out version
sed 's/^/      /' version

# Models of here, predicted there: dense and sparse rows, labels and scores.
rows 71 300 12 > train.svm
predicted() {
    run 0 "$here" train train.svm -o model.dpsvm -q "$@"
    run 0 "$here" predict model.dpsvm train.svm --scores -q
    cp out scores
    run 0 "$there" predict model.dpsvm train.svm --scores -q
    same scores out
}
predicted --map.features=100
predicted --kernel.type=exponential --map.features=100
predicted --map.features=100 --map.projection=hadamard
predicted --map.features=100 --map.type=compositional --kernel.type=exponential --map.gamma=0.5
predicted --map.features=40 --map.refine=projections --map.refine_steps=5 --map.refine_holdout=0
predicted --map.features=40 --map.type=fourier --map.refine=metric --map.refine_steps=5 --map.refine_holdout=0
predicted --kernel.type=linear

# Rows mapped to the bits of tests/golden, and whole trainings to its values.
mkdir golden
(cd golden && DPSVM=$there sh "$SOURCE/tests/cli/test_golden.sh") > out 2> err || fail 'tests/golden'
finish
