#!/bin/sh
# Same bits: a model depends on data and configuration, not on threads, the split of the data into files, or whether
# mapped rows were kept; a prediction not on threads, instruction set or the way the rows come in.
. "$SOURCE/tests/cli/check.sh"

# 1,900 rows (five tiles), their classes overlapping so that solvers have work to do; 50 lines of remarks in between.
rows 51 1900 6 | awk 'NR % 38 == 0 { print "# remark" } { $1 = NR % 9 == 0 ? -$1 : $1; print }' > all.svm
head -700 all.svm > part1.svm
sed -n '701,703p' all.svm > part2.svm
tail -n +704 all.svm > part3.svm
cat part1.svm part2.svm part3.svm > joined.svm
same all.svm joined.svm
# Three classes, and wide sparse rows.
awk '!/^#/ { $1 = NR % 3; print }' all.svm > three.svm
awk 'BEGIN { s = 7; for (i = 0; i < 900; i++) { line = i % 2 ? "b" : "a"; f = 1
    for (j = 0; j < 8; j++) { s = (s * 16807) % 2147483647; f += 1 + s % 2500; line = line " " f ":" (s % 7 + 1) }
    print line " " 30000 + i % 5 ":1" } }' > wide.svm

# bits NAME OPTIONS...: trains and compares with the first model of that name.
bits() {
    name=$1
    shift
    run 0 "$DPSVM" train "$@" --output.model=now.model -q
    if [ -e "$name.model" ]; then
        same "$name.model" now.model
    else
        mv now.model "$name.model"
    fi
}

# piped FILE COMMAND...: the file through a pipe.
piped() {
    input=$1
    shift
    run 0 sh -c 'file=$1; shift; cat "$file" | "$@"' sh "$input" "$@"
}

for solver in newton dcd sgd; do
    set -- --solver.type=$solver --map.features=100
    for threads in 1 2 4; do
        bits $solver all.svm "$@" --run.threads=$threads
    done
    bits $solver --data.train=part1.svm,part2.svm,part3.svm "$@"
    piped all.svm "$DPSVM" train - "$@" --output.model=now.model -q
    same $solver.model now.model
done
for threads in 1 2 4; do
    bits hinge all.svm --solver.type=newton --solver.loss=hinge --map.features=60 --run.threads=$threads
    bits three three.svm --map.features=60 --run.threads=$threads
    bits wide wide.svm --kernel.type=linear --run.threads=$threads
    bits fourier all.svm --map.type=fourier --map.features=60 --run.threads=$threads
    bits rbf all.svm --map.type=compositional --kernel.type=exponential --map.features=60 --run.threads=$threads
done

# Newton's Hessian and its factor cut into blocks for more threads than there are groups of rows.
for threads in 1 2 3 4 8 16; do
    for loss in squared_hinge hinge logistic; do
        bits blocks_$loss all.svm --solver.type=newton --solver.loss=$loss --map.features=400 --run.threads=$threads
    done
    bits blocks_three three.svm --solver.type=newton --map.features=250 --run.threads=$threads
done

# Columns that are bent, of dense rows and, where zeros stay, of compressed ones.
for scaling in log rank; do
    for threads in 1 2 4; do
        bits dense_$scaling all.svm --data.scaling=$scaling --map.features=60 --run.threads=$threads
        bits wide_log wide.svm --data.scaling=log --kernel.type=linear --run.threads=$threads
    done
    bits dense_$scaling --data.train=part1.svm,part2.svm,part3.svm --data.scaling=$scaling --map.features=60
    run 0 "$DPSVM" train all.svm --data.scaling=$scaling --map.features=60 --data.cache=rows.cache --output.model=now.model -q
    bits dense_$scaling all.svm --data.scaling=$scaling --map.features=60 --data.cache=rows.cache
    rm rows.cache
done
head -1 dense_rank.model | grep -q '^dpsvm model 4$' || fail 'bent columns need format 4'
head -1 newton.model | grep -q '^dpsvm model 1$' || fail 'other columns stay in format 1'

# Rows mapped once and kept, or again on every pass.
awk '{ r[NR] = $0 } END { for (k = 0; k < 8; k++) for (i = 1; i <= NR; i++) print r[i] }' all.svm > long.svm
for solver in newton dcd sgd; do
    set -- long.svm --solver.type=$solver --solver.max_iterations=3 --map.features=600
    bits kept_$solver "$@" --output.report=kept.json
    grep -q '"tiles_kept":.*true' kept.json || fail 'tiles were not kept with all memory'
    for room in 1:36M 2:36M 4:40M; do # threads:memory
        bits kept_$solver "$@" --output.report=made.json --run.threads="${room%:*}" --run.memory="${room#*:}"
        grep -q '"tiles_kept":.*false' made.json || fail "tiles were kept in ${room#*:}"
    done
done

# Every solver and loss on two and three classes, wide rows and CSV: instruction sets and threads at once, and files cut
# in three. What the processor lacks is left out, as for predictions below.
awk '!/^#/ { line = NR % 4 == 1 ? "p" : "q"; for (j = 2; j <= NF; j++) { sub(/.*:/, "", $j); line = line "," $j } print line }' \
    three.svm > all.csv
cut_in_three() { # FILE LINES-IN-FRONT
    head -n "$2" "$1" > cut1
    sed -n "$(($2 + 1)),$(($2 + 3))p" "$1" > cut2
    tail -n +$(($2 + 4)) "$1" > cut3
}
simds=$(simd_paths)
for file in all.svm three.svm wide.svm all.csv; do
    cut_in_three $file 600
    for solver in newton dcd sgd; do
        case $file-$solver in wide.svm-newton) continue ;; esac
        for loss in hinge squared_hinge logistic; do
            set -- --solver.type=$solver --solver.loss=$loss --solver.max_iterations=5 --map.features=40
            case $file in
            wide.svm) set -- "$@" --kernel.type=linear ;;
            all.csv) set -- "$@" --data.format=csv --data.header=off --data.label_column=1 ;;
            esac
            threads=1
            for simd in $simds; do
                bits "$file-$solver-$loss" $file "$@" --run.simd=$simd --run.threads=$threads
                threads=$((threads * 2))
            done
            bits "$file-$solver-$loss" --data.train=cut1,cut2,cut3 "$@" --run.threads=2
        done
    done
done
for kind in fourier rbf; do
    for simd in $simds; do
        case $kind in
        fourier) set -- --map.type=fourier ;;
        rbf) set -- --map.type=compositional --kernel.type=exponential ;;
        esac
        bits $kind all.svm "$@" --map.features=60 --run.simd=$simd
    done
done

# Another seed is another model: the comparisons above can fail.
run 0 "$DPSVM" train all.svm --solver.type=dcd --map.features=100 --map.seed=2 --output.model=now.model -q
! cmp -s dcd.model now.model || fail 'two seeds gave the same model'

# Predictions: threads, instruction sets, file, pipe, and rows cut into several files.
for name in newton three wide fourier rbf hinge; do
    case $name in three) file=three.svm ;; wide) file=wide.svm ;; *) file=all.svm ;; esac
    run 0 "$DPSVM" predict $name.model $file --scores --run.simd=portable --run.threads=1 -q
    mv out $name.scores
    for simd in $simds; do
        run 0 "$DPSVM" predict $name.model $file --scores --run.simd=$simd -q
        same $name.scores out
    done
    for threads in 2 4; do
        run 0 "$DPSVM" predict $name.model $file --scores --run.threads=$threads -q
        same $name.scores out
        piped $file "$DPSVM" predict $name.model - --scores --run.threads=$threads -q
        same $name.scores out
    done
done
: > parts.scores
for part in part1 part2 part3; do
    run 0 "$DPSVM" predict newton.model $part.svm --scores -q
    cat out >> parts.scores
done
same newton.scores parts.scores
finish
