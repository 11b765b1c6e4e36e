#!/bin/sh
# Prediction: one line a row in the order of the input, the same bits whatever the threads and instructions, and a
# model that is whole or refused.
. "$SOURCE/tests/cli/check.sh"

rows 41 50 4 > train.svm
rows 42 5000 4 > test.svm
cat > c.ini <<'END'
[data]
train = train.svm
[kernel]
type = polynomial
[output]
model = c.model
END
run 0 "$DPSVM" train c.ini -q
run 0 "$DPSVM" predict c.model test.svm --scores -q
cp out scores
run 0 "$DPSVM" predict c.model test.svm -q
cp out labels
lines 5000 labels
agree 4980 labels test.svm

# A file, a pipe and the shell's standard input.
step='predict from pipes'
"$DPSVM" predict c.model - -q < test.svm > out 2> err || fail "status $?"
same labels out
cat test.svm | "$DPSVM" predict c.model - -q > out 2> err || fail "status $?"
same labels out
cat test.svm | "$DPSVM" predict c.model /dev/stdin -q > out 2> err || fail "status $?"
same labels out
run 0 "$DPSVM" predict c.model test.svm -o file -q
silent
same labels file

# Threads and instruction sets change no bit.
for threads in 1 2 4; do
    run 0 "$DPSVM" predict c.model test.svm --scores --run.threads=$threads -q
    same scores out
done
for simd in $(simd_paths); do
    run 0 "$DPSVM" predict c.model test.svm --scores --run.simd=$simd -q
    same scores out
done

# One line a row: a row without features, and one with unknown features only, are rows; blanks and comments are not.
printf '1 1:1.2\n\n-1\n# remark\n1 900:3\n-1 1:-1.2\n  \n1 \n' > odd.svm
run 0 "$DPSVM" predict c.model odd.svm
lines 5 out
awk 'NR == 1 && $1 + 0 != 1 || NR == 4 && $1 + 0 != -1 { exit 1 } NR == 2 { a = $1 } (NR == 3 || NR == 5) && $1 != a { exit 1 }' \
    out || fail 'wrong labels'
says '[Ww]arning.*unknown|not seen|did not'

# Rows far outside those of training: a map fits the kernel less well there; a plain linear model has none.
printf '1 1:100\n-1 1:-100\n' > far.svm
run 0 "$DPSVM" predict c.model far.svm
says 'warning: 2 of 2 rows lie outside the radius'
run 0 "$DPSVM" train c.ini --kernel.type=linear --output.model=linear.model -q
run 0 "$DPSVM" predict linear.model far.svm
! grep -q 'radius' err || fail 'warns of the radius without a map'
agree 2 out far.svm
run 0 "$DPSVM" train c.ini --kernel.type=linear --map.type=fourier --output.model=rbf.model -q
run 0 "$DPSVM" predict rbf.model far.svm
! grep -q 'radius' err || fail 'warns of the radius although the kernel is one of differences'

# A threshold moves the cut between two classes, for the labels, the accuracy and what evaluate measures.
for cut in 0.75 -0.5 1e9; do
    run 0 "$DPSVM" predict c.model test.svm --threshold $cut
    awk -v t=$cut '{ print ($1 + 0 > t + 0) ? 1 : -1 }' scores > cut
    awk '{ print $1 + 0 }' out > guessed
    same cut guessed
    hits=$(awk 'NR == FNR { p[FNR] = $1; next } p[FNR] == $1 + 0 { n++ } END { print n }' cut test.svm)
    says "accuracy .* \\($hits of 5000"
    run 0 "$DPSVM" evaluate c.model test.svm --threshold=$cut
    grep -q "accuracy: .*($hits of 5000)" out || fail "evaluate does not find $hits right above $cut"
done
refused 2 'threshold half: expected a number' "$DPSVM" predict c.model test.svm --threshold half
awk '{ print NR % 3, $2, $3 }' train.svm > three.svm
run 0 "$DPSVM" train three.svm -o three.model -q
refused 2 'three\.model: --threshold is for models of two classes' "$DPSVM" predict three.model three.svm --threshold 1
refused 2 'three\.model: --threshold is for models of two classes' "$DPSVM" evaluate three.model three.svm --threshold 1

# Features that the file happens not to use are zero; without labels there is no accuracy.
sed 's/ 4:.*//' test.svm > narrow.svm
awk '{ print $0 " 4:0" }' narrow.svm > padded.svm
run 0 "$DPSVM" predict c.model narrow.svm --scores -q
cp out narrow
run 0 "$DPSVM" predict c.model padded.svm --scores -q
same narrow out
run 0 "$DPSVM" predict c.model test.svm
says '[Aa]ccuracy'
sed 's/^[^ ]* //' test.svm > unlabelled.svm
run 0 "$DPSVM" predict c.model unlabelled.svm
! grep -Eiq 'accuracy' err || fail 'accuracy of rows without labels'
same labels out

# A model works anywhere, alone.
mkdir elsewhere
mv c.model elsewhere/m
cd elsewhere || exit 1
"$DPSVM" predict m ../test.svm -q > ../out 2> ../err || fail "status $?"
cd ..
same labels out
cp elsewhere/m c.model

# A version from the future is refused with both numbers.
awk 'NR == 1 { print; exit }' c.model | grep -q '1' || fail 'no version in the first line of a model'
LC_ALL=C sed '1s/1/7/' c.model > future.model
refused 3 'future\.model.*7.*1' "$DPSVM" predict future.model test.svm -q

# What a person reads at the top of a model.
LC_ALL=C sed '/^$/q' c.model > header
grep -q 'polynomial' header || fail 'the header does not name the kernel'
grep -q 'seed' header || fail 'the header does not hold the seed'
run 0 "$DPSVM" info c.model
grep -q 'polynomial' out || fail 'info does not name the kernel'

# The mapped rows in three formats.
for format in libsvm csv npy; do
    run 0 "$DPSVM" transform c.model train.svm -o mapped.$format --format $format -q
    [ -s mapped.$format ] || fail "mapped.$format is empty"
done
lines 50 mapped.libsvm
[ "$(head -c 6 mapped.npy | od -An -tx1 | tr -d ' \n')" = 934e554d5059 ] || fail 'no NumPy file'

finish
