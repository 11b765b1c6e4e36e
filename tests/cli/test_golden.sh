#!/bin/sh
# Values that must stay. tests/golden/values.txt: what training on configs/*.ini reaches, with tolerances: a better way of
# solving may end elsewhere within them. tests/golden/NAME.csv: mapped rows, to the last bit, on every processor: they depend
# on the seed and the scheme of the draws alone. To renew those after a deliberate change of the map (which raises
# DPS_RANDOM_SCHEME or the version of the format):  RENEW=1 sh tests/cli/test_golden.sh, with DPSVM and SOURCE set.
. "$SOURCE/tests/cli/check.sh"
golden=$SOURCE/tests/golden

for name in spirals parity pinwheel; do
    run 0 "$DPSVM" train "$SOURCE/configs/$name.ini" --solver.tolerance=1e-5 --output.model="$name.model" \
        --report "$name.json" -q
done
while read -r name figure value within; do
    case $name in
    '' | '#'*) continue ;;
    esac
    found=$(sed -n "s/.*\"$figure\":[[:space:]]*\([-+.0-9e]*\).*/\1/p" "$name.json" | head -1)
    step="$name: $figure is $found, expected $value within $within"
    awk -v a="$found" -v b="$value" -v t="$within" 'BEGIN { d = a - b; exit !(a != "" && d * d <= t * t) }' || fail "golden value"
done < "$golden/values.txt"

# mapped NAME OPTIONS...: five rows through 24 features of one kind of map.
head -5 "$SOURCE/data/parity.test" > rows.svm
mapped() {
    name=$1
    shift
    run 0 "$DPSVM" train --data.train="$SOURCE/data/parity.train" --map.features=24 --map.seed=7 --map.scale=none \
        --map.collapse=off "$@" --output.model="$name.model" -q
    if [ -n "${RENEW:-}" ]; then
        "$DPSVM" transform "$name.model" rows.svm --format csv -o "$golden/$name.csv" -q
    fi
    for simd in portable auto; do
        run 0 "$DPSVM" transform "$name.model" rows.svm --format csv --run.simd=$simd -q
        cp out "$name.csv"
        same "$name.csv" "$golden/$name.csv"
    done
}
mapped polynomial
mapped exponential --kernel.type=exponential --kernel.sigma=0.5 --map.measure=coefficient --map.allocation=iid --map.h01=off
mapped exact_degree --kernel.degree=4 --map.exact_degree=3 --map.p=3
for projection in gaussian hadamard complex; do
    mapped $projection --map.projection=$projection
done
mapped compositional --map.type=compositional --kernel.type=exponential --kernel.sigma=1 --map.gamma=0.5
mapped fourier --map.type=fourier --map.gamma=0.5

finish
