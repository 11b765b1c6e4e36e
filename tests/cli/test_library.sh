#!/bin/sh
# What `cmake --install` puts somewhere works from wherever it is moved: the program, and the C API as a library that
# shows no other symbol, found by its header, by pkg-config's file, and by the loader.
. "$SOURCE/tests/cli/check.sh"
: "${BUILD:?set BUILD to the build folder}" "${CC:=cc}"

run 0 cmake --install "$BUILD" --prefix "$PWD/first"
mv first moved
library=$(cd moved && find "$PWD" -name 'libdpsvm.so')
[ -n "$library" ] || fail 'no libdpsvm.so is installed'
folder=$(dirname "$library")
[ -f "$folder/pkgconfig/dpsvm.pc" ] || fail 'no dpsvm.pc beside the library'
if command -v pkg-config > /dev/null; then
    step='pkg-config'
    PKG_CONFIG_PATH=$folder/pkgconfig pkg-config --cflags --libs dpsvm > flags 2> err || fail "status $?"
    read -r flags < flags
else
    flags="-I$PWD/moved/include -L$folder -ldpsvm"
fi
if command -v nm > /dev/null; then
    nm -D --defined-only "$library" | awk '{ print $3 }' | grep -v -e '^dpsvm_' -e '^\.gomp' > others
    [ ! -s others ] || fail "the library shows $(head -3 others | tr '\n' ' ')"
fi

rows 5 40 3 > rows.svm
cat > use.c <<'END_OF_C'
#include <dpsvm/dpsvm.h>
#include <stdio.h>

int main(void)
{
    const char *settings[] = {"data.train=rows.svm", "map.features=50", "output.model=api.model"};
    const int64_t start[] = {0, 3, 5};
    const int32_t index[] = {0, 1, 2, 0, 2};
    const double value[] = {1.25, 0.5, -0.25, -1, 0.125};
    double scores[2];
    char error[500];
    dpsvm_model *model;
    if (dpsvm_train(NULL, settings, 3, error, sizeof error) != DPSVM_OK ||
        dpsvm_open(&model, "api.model", error, sizeof error) != DPSVM_OK) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    if (dpsvm_predict(model, 2, start, index, value, NULL, scores, error, sizeof error) != DPSVM_OK) {
        fprintf(stderr, "%s\n", error);
        return 1;
    }
    printf("%.17g\n%.17g\n", scores[0], scores[1]);
    dpsvm_close(model);
    return 0;
}
END_OF_C
# shellcheck disable=SC2086
run 0 "$CC" -std=c99 -Wall -Wextra -Werror -pedantic use.c -o use $flags
step='a program that uses the library'
LD_LIBRARY_PATH=$folder ./use > found 2> err || fail "status $?"
run 0 moved/bin/dpsvm train rows.svm -q --map.features=50 -o cli.model
same api.model cli.model
printf '1:1.25 2:0.5 3:-0.25\n1:-1 3:0.125\n' > two.svm
run 0 moved/bin/dpsvm predict api.model two.svm --scores -q
awk 'NR == FNR { a[FNR] = $1; next } a[FNR] + 0 != $1 + 0 { exit 1 } END { if (FNR != 2) exit 1 }' found out ||
    fail 'the library and the program predict different scores'

finish
