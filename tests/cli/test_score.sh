#!/bin/sh
# dps_score, the part of dpsvm that predicts rows: it stands alone, needs nothing of OpenMP, MPI, compression, INI or
# JSON, and a program that links it alone has the scores of `dpsvm predict` to the last bit.
. "$SOURCE/tests/cli/check.sh"
: "${SCORE_ROWS:?set SCORE_ROWS to the program of score_rows.c}" "${SCORE_LIBRARY:?set SCORE_LIBRARY to libdps_score.a}"

if command -v nm > /dev/null; then
    nm "$SCORE_LIBRARY" 2> /dev/null | awk 'NF == 2 && $1 == "U" { print $2 }' | sed 's/^_*dps_/dps_/' | sort -u > wanted
    nm "$SCORE_LIBRARY" 2> /dev/null | awk 'NF == 3 && $2 ~ /^[A-Z]$/ { print $3 }' | sort -u > own
    grep -q '^dps_predictor_init$' own || fail 'libdps_score.a has no dps_predictor_init'
    comm -23 wanted own > outside
    forbidden='GOMP_|omp_|__kmpc|MPI_|ompi_|ini_|cJSON|inflate|deflate|ZSTD_|BZ2_|lzma_|dlopen|dlsym|sgemm|dpotrf|dps_'
    grep -E "^_*($forbidden)" outside > found && fail "dps_score needs $(tr '\n' ' ' < found)"
else
    echo 'not tried: undefined symbols of dps_score: there is no nm'
fi

# scored NAME FILE [PROGRAM OPTIONS...]: trained so, both programs say the same of the rows of FILE; kinds: what they say.
kinds=scores
scored() {
    name=$1
    file=$2
    shift 2
    run 0 "$DPSVM" train --output.model="$name.model" -q "$@"
    for said in $kinds; do
        run 0 "$DPSVM" predict "$name.model" "$file" --$said -q
        cp out "$name.predict"
        run 0 "$SCORE_ROWS" "$name.model" "$file" --$said
        cp out "$name.score"
        same "$name.score" "$name.predict"
    done
}
parity() {
    kind=$1
    shift
    scored "$kind" "$SOURCE/data/parity.test" --data.train="$SOURCE/data/parity.train" --map.features=24 --map.seed=7 "$@"
}
parity polynomial
parity collapsed --kernel.degree=2 --kernel.offset=1 --map.h01=off --map.features=400
parity exponential --kernel.type=exponential --kernel.sigma=0.5 --map.measure=coefficient
for projection in gaussian hadamard complex; do
    parity $projection --map.projection=$projection
done
parity crafted --map.craft=2
parity compositional --map.type=compositional --kernel.type=exponential --kernel.sigma=1 --map.gamma=0.5
parity fourier --map.type=fourier --map.gamma=0.5 --map.orthogonal=on
for refine in projections metric; do
    parity refined_$refine --map.refine=$refine --map.refine_steps=5 --map.refine_holdout=0
    parity refined_fourier_$refine --map.type=fourier --map.refine=$refine --map.refine_steps=5 --map.refine_holdout=0
done
parity linear --kernel.type=linear
for scaling in log rank; do
    parity bent_$scaling --data.scaling=$scaling
    parity bent_linear_$scaling --kernel.type=linear --data.scaling=$scaling
done
awk 'BEGIN { print "size,colour,grade,y"; for (i = 0; i < 900; i++) printf "%d.%d,%s,%d,%s\n", i % 17, i % 7,
    substr("red  blue green", 5 * (i % 3) + 1, 5), (i * i) % 11, substr("abc", (i + i % 17) % 3 + 1, 1) }' | tr -d ' ' > table.csv
scored table table.csv --data.train=table.csv --data.label_column=y --kernel.degree=3
scored numbers table.csv --data.train=table.csv --data.label_column=grade --solver.task=regression --kernel.degree=2
kinds='scores proba'
parity logistic --solver.loss=logistic
parity isotonic --solver.probability=on --solver.calibration=isotonic
scored classes table.csv --data.train=table.csv --data.label_column=y --solver.probability=on
[ "$failures" -eq 0 ]
