#!/bin/sh
# A CMake project of somebody else finds the installed libraries, shared and static, and the examples of docs/examples do
# in it what they say; a component or a version that there is not is refused.
. "$SOURCE/tests/cli/check.sh"
: "${BUILD:?set BUILD to the build folder}"
if ! command -v c++ > /dev/null; then
    fail 'there is no c++ for the example of C++'
fi
run 0 cmake --install "$BUILD" --prefix "$PWD/first"
rm -rf moved build other painted
mkdir painted
mv first moved
version=$("$DPSVM" version | awk 'NR == 1 { print $2 }')
# consumer FOLDER WANTED: configures; its status
consumer() {
    cmake -S "$SOURCE/tests/library/consumer" -B "$1" -DCMAKE_PREFIX_PATH="$PWD/moved" -DWANTED="$2" \
        -DEXAMPLES="$SOURCE/docs/examples" -DCMAKE_C_FLAGS='-Wall -Wextra -Werror -std=c99' -DCMAKE_CXX_FLAGS='-Wall -Wextra -Werror'
}
consumer build "$version" > out 2> err || fail "find_package: $(tail -n 5 err)"
run 0 cmake --build build
consumer other 9.0 > out 2> err && fail 'find_package takes version 9.0'
sed 's/COMPONENTS score train/COMPONENTS score paint/' "$SOURCE/tests/library/consumer/CMakeLists.txt" > painted/CMakeLists.txt
cmake -S painted -B painted/build -DCMAKE_PREFIX_PATH="$PWD/moved" -DEXAMPLES="$SOURCE/docs/examples" > out 2> err &&
    fail 'find_package takes a component that there is not'
grep -q 'no component paint' err || fail "$(cat err)"

LD_LIBRARY_PATH=$(dirname "$(find "$PWD/moved" -name libdpsvm.so)")
export LD_LIBRARY_PATH
awk 'BEGIN { for (i = 0; i < 40; i++) print i / 20 - 1 "," i % 7 / 3.5 - 1 }' > points.csv
for kind in '' _static; do
    run 0 "build/train_arrays$kind" circle.model
    awk '{ exit !($1 > 1900 && /watched/) }' out || fail "train_arrays says $(cat out)"
    run 0 "build/scorer$kind" circle.model 0.1 -0.2
    [ "$(cat out)" = inside ] || fail "scorer says $(cat out)"
    run 0 "build/scorer$kind" circle.model 1 0.9
    [ "$(cat out)" = outside ] || fail "scorer says $(cat out)"
    run 1 "build/scorer$kind" points.csv 1 1
    "build/score_rows$kind" circle.model < points.csv > found 2> err || fail "score_rows: $(cat err)"
    run 0 "$DPSVM" predict circle.model points.csv -q
    same found out
done
for name in score_rows_static scorer_static; do
    ldd "build/$name" | grep -q dpsvm && fail "$name is not static"
done
finish
