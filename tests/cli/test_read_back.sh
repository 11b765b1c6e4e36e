#!/bin/sh
# What train says is what the written model has: objective, accuracy, gap and outcome, computed once more from its weights
# and its scores of the training rows.
. "$SOURCE/tests/cli/check.sh"

head -300 "$SOURCE/data/spirals.train" > rows
head -20 "$SOURCE/data/spirals.train" > few

# value KEY: of the report.
value() {
    sed -n 's/.*"'"$1"'":[[:space:]]*"\{0,1\}\([^",]*\).*/\1/p' report.json | head -1
}

# objective DATA C LOSS: 1/2 |w|^2 + C sum loss(<w, z_i>) of `model` (two classes, labels -1 and +1, the bias among the weights);
# and the share of rows on the right side.
objective() {
    run 0 "$DPSVM" predict model "$1" --scores -o scores -q
    width=$(sed -n 's/^map.width = \([0-9]*\)/\1/p; /^class.1/q' model)
    after=8 # the checksum; logistic: two numbers of its sigmoid before it
    [ "$3" = logistic ] && after=24
    head -c -$after model | tail -c $((8 * (width + 1))) | od -An -v -t f8 > weights
    awk -v C="$2" -v loss="$3" '
        function log1p(x) { return x < 1e-4 ? x * (1 - x * (1 / 2 - x / 3)) : log(1 + x) }
        FILENAME == "weights" { for (j = 1; j <= NF; j++) square += $j * $j; next }
        FILENAME == "scores" { u[++n] = $1; next }
        { m = $1 * u[++i]; right += m > 0; s = m < 1 ? 1 - m : 0
          sum += loss == "hinge" ? s : loss == "squared_hinge" ? s * s : m > 0 ? log1p(exp(-m)) : log1p(exp(m)) - m }
        END { printf "%.17g %.17g\n", 0.5 * square + C * sum, right / i }' weights scores "$1"
}

# check DATA C LOSS WORDS...: trained with WORDS, to compare within 1e-6 of max(|P|, C n).
check() {
    data=$1 C=$2 loss=$3
    shift 3
    run 0 "$DPSVM" train "$data" --kernel.type=exponential --solver.C="$C" --solver.loss="$loss" "$@" -o model \
        --report report.json
    accuracy=$(sed -n 's/^accuracy: \([0-9.]*\) %.*/\1/p' err)
    echo "$(objective "$data" "$C" "$loss") $(value objective) $(value gap) $(value converged) $(value tolerance)" > found
    awk -v C="$C" -v n="$(wc -l < "$data")" -v accuracy="$accuracy" '{
        d = $1 - $3; top = $1 > C * n ? $1 : C * n
        right = sprintf("%.2f", 100 * $2)
        exit !(d * d <= 1e-12 * top * top && right == accuracy && ($4 <= $6) == ($5 == "true")) }' found ||
        fail "$data C = $C $loss $*: written, share, said, gap, converged, tolerance: $(cat found), accuracy $accuracy"
}

# More columns than rows: trained in the span of the rows.
for C in 1 8192 1e6; do
    for loss in hinge squared_hinge logistic; do
        step="66000 columns, C = $C, $loss"
        check rows $C $loss --map.features=66000
        [ "$(value converged)" = true ] || fail "ends as $(value outcome)"
    done
done
check rows 8192 hinge --map.features=66000 --solver.type=sgd --solver.max_iterations=5
[ "$(value outcome)" = iteration_limit ] || fail 'a limit was overruled'

# Few rows, a large C: auto and newton reach the same objective, which no other solver of the table is below.
for loss in hinge squared_hinge logistic; do
    for C in 1e6 1e8 1e10; do
        step="20 rows, C = $C, $loss"
        check few $C $loss --map.features=500 --solver.type=newton
        [ "$(value converged)" = true ] || fail "newton ends as $(value outcome)"
        newton=$(value objective)
        check few $C $loss --map.features=500
        [ "$(value converged)" = true ] || fail "auto ends as $(value outcome)"
        echo "$newton $(value objective)" | awk '{ exit !($2 <= 1.001 * $1 && $1 <= 1.001 * $2) }' ||
            fail "newton $newton, auto $(value objective)"
    done
    step="300 rows, C = 1e8, $loss"
    check rows 1e8 $loss --map.features=500
    [ "$(value converged)" = true ] || fail "ends as $(value outcome)"
done

# sgd is called converged by its gap alone.
for C in 1e-6 1e-3 1; do
    check rows $C squared_hinge --map.features=50 --solver.type=sgd
done

finish
