#!/bin/sh
# The far ends of the ranges: degrees, norms, columns, features. Right answers, or a refusal that says what to change.
. "$SOURCE/tests/cli/check.sh"

rows 3 300 4 > rows.svm
as_they_are="--data.scaling=none --data.normalize=none"

# scaled EXPONENT: rows.svm with every value times 2^EXPONENT, exactly.
scaled() {
    awk -v k="$1" '{ line = $1
        for (j = 2; j <= NF; j++) { split($j, p, ":"); line = line sprintf(" %s:%.17g", p[1], p[2] * 2 ^ k) }
        print line }' rows.svm
}

# Products of 30 factors under every projection, and of 29 alone: most features are next to 0, none is not a number.
for projection in rademacher gaussian hadamard complex; do
    run 0 "$DPSVM" train rows.svm -o m --kernel.degree=30 --kernel.offset=1 --map.projection=$projection --solver.C=100 -q
    run 0 "$DPSVM" predict m rows.svm -o labels -q
    agree 295 labels rows.svm
    run 0 "$DPSVM" train rows.svm -o m --kernel.type=homogeneous --kernel.degree=29 --map.measure=coefficient \
        --map.projection=$projection --map.features=2000 --solver.C=1000 -q
    run 0 "$DPSVM" predict m rows.svm --scores -o scores -q
    grep -Evq '^-?[0-9]' scores && fail "scores of degree 29 under $projection are no numbers"
done

# Rows times 2^20 (about 1e6) and 2^-20: the kernel of one degree is the same but for its size, which map.scale = unit
# takes out: not a bit of a score changes.
for kernel in "--kernel.type=homogeneous --kernel.degree=3 --map.measure=coefficient" "--kernel.type=homogeneous --kernel.degree=8 --map.measure=coefficient"; do
    run 0 "$DPSVM" train rows.svm -o m $as_they_are $kernel -q
    run 0 "$DPSVM" predict m rows.svm --scores -o scores -q
    for k in 20 -20; do
        scaled $k > far.svm
        run 0 "$DPSVM" train far.svm -o far.m $as_they_are $kernel -q
        run 0 "$DPSVM" predict far.m far.svm --scores -o far.scores -q
        paste -d' ' scores far.scores | awk '{ d = $1 - $2; if (d * d > 1e-16 * (1 + $1 * $1)) exit 1 }' ||
            fail "rows times 2^$k have other scores under $kernel"
    done
done

# Default scaling takes norms of 1e6 and 1e-6 out; without it exp(1e12) is refused, with the remedy.
scaled 20 > far.svm
scaled -20 > near.svm
for file in far.svm near.svm; do
    run 0 "$DPSVM" train $file -o m -q
    run 0 "$DPSVM" predict m $file -o labels -q
    agree 290 labels $file
done
run 0 "$DPSVM" train near.svm -o m $as_they_are
run 4 "$DPSVM" train far.svm -o m $as_they_are --kernel.type=exponential --kernel.sigma=1
says 'data.normalize'

# One column.
cut -d' ' -f1,2 rows.svm > one.svm
for projection in rademacher gaussian hadamard complex; do
    run 0 "$DPSVM" train one.svm -o m --map.projection=$projection -q
    run 0 "$DPSVM" predict m one.svm -o labels -q
    agree 300 labels one.svm
done
run 0 "$DPSVM" train one.svm -o m --map.type=fourier --kernel.type=linear -q
run 0 "$DPSVM" predict m one.svm -o labels -q
agree 300 labels one.svm

# A million columns, each in one row, and one that tells the classes apart.
awk 'BEGIN { for (i = 0; i < 100; i++) {
    y = i % 2 ? 1 : -1
    printf "%+d %s", y, (y > 0 ? "1:9 " : "")
    for (j = 1; j <= 10000; j++) printf "%d:0.%d ", 1 + i * 10000 + j, 1 + j % 9
    print "" } }' > wide.svm
for kernel in "--kernel.type=linear" "--kernel.degree=2 --map.features=64" "--kernel.degree=3 --map.features=64 --map.projection=hadamard"; do
    run 0 "$DPSVM" train wide.svm -o m $kernel --run.memory=1G --solver.C=10 -q
    run 0 "$DPSVM" predict m wide.svm -o labels -q
    agree 100 labels wide.svm
done

# One feature; two where they come in pairs.
run 0 "$DPSVM" train rows.svm -o m --map.features=1 -q
run 0 "$DPSVM" predict m rows.svm -o labels -q
agree 290 labels rows.svm
run 2 "$DPSVM" train rows.svm -o m --map.features=1 --map.projection=complex -q
run 0 "$DPSVM" train rows.svm -o m --map.features=2 --map.projection=complex -q

# A million features: rows are trained in their span, the model holds weights and the seed, and the accuracy is that of
# the exact kernel; two threads or one, the same bytes.
head -n 60 rows.svm > few.svm
run 0 "$DPSVM" train few.svm -o m --map.features=1000000 --run.memory=400M --run.threads=2
says 'trained in their span'
run 0 "$DPSVM" train few.svm -o one.m --map.features=1000000 --run.memory=400M --run.threads=1 -q
same m one.m
[ "$(wc -c < m)" -lt 8100000 ] || fail "a model of a million weights takes $(wc -c < m) bytes"
run 0 "$DPSVM" predict m rows.svm -o labels --run.memory=400M --run.threads=2 -q
agree 290 labels rows.svm
head -n 17 rows.svm > some.svm
run 0 "$DPSVM" predict m rows.svm --scores -o all.scores --run.memory=400M -q
run 0 "$DPSVM" predict m some.svm --scores -o some.scores --run.memory=400M -q
head -n 17 all.scores > first.scores
same first.scores some.scores
refused 2 'data.validation: .*65536 columns' "$DPSVM" train few.svm -o m --map.features=1000000 --data.validation=0.5 -q
# Beyond the budget: bytes and remedy, before anything is allocated.
refused 1 'needs [0-9.]+ GB.*run.memory.* lower map.features' \
    "$DPSVM" train wide.svm -o m --map.features=1000000 --run.memory=1G -q
refused 1 'needs about [0-9.]+ GB.*lower map.features.*raise run.memory' \
    "$DPSVM" train few.svm -o m --map.features=1000000 --map.projection=hadamard --run.memory=1G -q

finish
