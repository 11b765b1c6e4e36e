#!/bin/sh
# The program runs on processors older than the one it was built on: instructions beyond the baseline stand only in
# the variants that are chosen at run time.
. "$SOURCE/tests/cli/check.sh"

run 0 "$DPSVM" version
grep -q '^target .*x86-64, any' out || {
    echo "skipped: not built for any x86-64" >&2
    exit 77
}

# Every object of the static libraries: registers wider than SSE's only in *_avx2 and *_avx512.
if command -v objdump > /dev/null; then
    for library in "$BUILD"/src/libdps_*.a; do
        objdump -d --no-show-raw-insn "$library" | awk '
            / file format / { member = $1; sub(/:$/, "", member); seen++ }
            /%[yz]mm/ { wide[member]++ }
            END {
                for (m in wide) if (m ~ /_avx(2|512)/) good++; else { print m, wide[m]; bad++ }
                print seen + 0, good + 0 > "counts"
                exit bad > 0
            }' > wide || fail "$library: AVX outside the variants: $(cat wide)"
        cat counts >> all
    done
    awk '{ seen += $1; good += $2 } END { exit !(seen > 50 && good > 3) }' all || fail "looked at too few objects: $(cat all)"
else
    untried 'the instructions of the objects: no objdump'
fi

# A processor of 2008.
if command -v qemu-x86_64 > /dev/null; then
    rows 71 60 3 > train.svm
    run 0 "$DPSVM" train train.svm --map.features=50 -o here.dpsvm -q
    run 0 qemu-x86_64 -cpu Nehalem "$DPSVM" train train.svm --map.features=50 -o old.dpsvm
    says ', portable, '
    run 0 "$DPSVM" predict here.dpsvm train.svm --scores -q
    cp out here
    run 0 qemu-x86_64 -cpu Nehalem "$DPSVM" predict here.dpsvm train.svm --scores -q
    same here out
else
    untried 'an older processor: no qemu-x86_64'
fi
finish
