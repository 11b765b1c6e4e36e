#!/bin/sh
# dpsvm kernel: errors on the rows, bounds, comparison, formats and plot; what it refuses.
. "$SOURCE/tests/cli/check.sh"

rows 3 120 6 > data.svm
study() {
    wanted=$1
    shift
    run "$wanted" "$DPSVM" kernel --data.train=data.svm --kernel.degree=4 --sizes 50,200,800 --rows 60 -q "$@"
}

# cell FILE MAP D COLUMN: of a CSV whose first field is quoted and may hold commas.
cell() {
    awk -v map="\"$2\"" -v d="$3" -v name="$4" -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) column = i; next }
        { fields = $0; sub(/^"[^"]*",/, "", fields); split(fields, f, ",")
          if (substr($0, 1, length(map)) == map && f[1] == d) print f[column - 1] }' "$1"
}
less() {
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && b != "" && a + 0 < b + 0) }' || fail "expected $1 < $2"
}

# quarters: sixteen times the features leave about a quarter of the error. With a bias, or a wrong exact value, they do
# not: what is left would be more than a third.
quarters() {
    less "$(cell out configured 800 mean)" "$(awk -v a="$(cell out configured 50 mean)" 'BEGIN { print a / 3 }')"
}

# the table: errors, bounds and degrees
study 0
grep -q 'mean error' out || fail 'no mean error'
grep -q 'theorem 12 .*asks for D = ' out || fail 'no bound of theorem 12'
grep -q "paper's map" out || fail 'the bounds are not said to be of another map'

# csv; the same again from the same seeds, but for the times
study 0 --format csv
lines 4 out
quarters
cut -d, -f1-3,5-15 out > first
study 0 --format csv --run.threads=2 --run.simd=portable
cut -d, -f1-3,5-15 out > second
same first second

# a kernel that is carried exactly has no error but rounding; the exact value is computed another way
study 0 --format csv --kernel.degree=1
less "$(cell out configured 50 max)" 1e-5
for base in rbf laplacian intersection chi2; do
    study 0 --format csv --runs 20 --data.scaling=min_max --map.type=fourier --map.base=$base --kernel.type=linear
    quarters
done
for base in rbf laplacian intersection chi2; do
    study 0 --format csv --runs 20 --data.scaling=min_max --map.type=compositional --map.base=$base --kernel.degree=2 \
        --map.scale=none
    quarters
done

# every map of the kernel; the configured one among them, with itself at equal width
study 0 --compare --format csv --report report.json --plot plot.svg
[ "$(cut -d'"' -f2 out | sort -u | wc -l)" -eq 33 ] || fail "$(cut -d'"' -f2 out | sort -u | wc -l) lines, expected 33"
grep -q '^"the paper' out || fail "the paper's map is missing"
[ "$(cell out configured 200 mean)" = "$(cell out 'rademacher, geometric, h01' 200 mean)" ] ||
    fail 'the configured map and its equal differ'
less "$(awk -v a="$(cell out configured 200 mean)" -v b="$(cell out configured 200 mean_at_equal_width)" \
    'BEGIN { print (a - b) ^ 2 }')" 1e-12
grep -q '"name":.*"complex_hadamard, variance, h01"' report.json || fail 'the report lacks a map'
grep -q '"log10_D_wanted":' report.json || fail 'the report lacks the bounds'
head -1 plot.svg | grep -q '^<svg ' || fail 'the plot is not SVG'
tail -1 plot.svg | grep -q '^</svg>$' || fail 'the plot is not complete'
grep -q 'nan\|inf' plot.svg && fail 'the plot has coordinates that are not numbers'

# the map of zeros: mean error is the kernel's mean, relative error 1
study 0 --format csv --kernel.type=homogeneous --kernel.degree=30 --runs 1
[ "$(cell out configured 50 relative_frobenius)" = 1 ] || fail 'the map of zeros has relative error other than 1'
[ "$(cell out configured 50 zero_maps)" = 1 ] || fail 'the map of zeros is not counted'

# a bound that says nothing says so
study 0 --kernel.type=vovk_infinite --kernel.domain_scale=3
grep -q 'says nothing here: f diverges' out || fail 'divergence is not said'
study 0 --error 1e7 --risk 0.01
grep -q 'pointwise .* at D = 800; asks for' out || fail 'a bound below 1 is not given as a probability'

# refused
refused 2 'sizes: expected' "$DPSVM" kernel --data.train=data.svm --sizes 100,50 -q
refused 2 'rows: expected 1 to 384' "$DPSVM" kernel --data.train=data.svm --rows 385 -q
refused 2 'error: expected' "$DPSVM" kernel --data.train=data.svm --error 0 -q
refused 2 'risk: expected' "$DPSVM" kernel --data.train=data.svm --risk 1 -q
refused 2 'format: expected table, csv or json' "$DPSVM" kernel --data.train=data.svm --format npy -q
refused 2 'even number' "$DPSVM" kernel --data.train=data.svm --sizes 7 --map.projection=complex -q
refused 1 'plot' "$DPSVM" kernel --data.train=data.svm --plot no_such_folder/plot.svg -q
refused 2 'plot' "$DPSVM" kernel --data.train=data.svm --plot data.svm -q

finish
