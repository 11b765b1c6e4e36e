#!/bin/sh
# dpsvm export --c: the file compiles without a warning under every compiler that is there, and its scores, classes and
# probabilities are those of `dpsvm predict` to the last bit, for every kind of map, scaling and model.
. "$SOURCE/tests/cli/check.sh"

compilers=$CC
for other in gcc clang; do
    found=$(command -v $other) || continue
    [ "$(readlink -f "$found")" = "$(readlink -f "$(command -v "$CC")")" ] || compilers="$compilers $other"
done
case $compilers in
*clang*) ;;
*) untried 'exported C under clang: there is none' ;;
esac
strict='-std=c99 -Wall -Wextra -Werror -pedantic'

# compiled NAME COMPILER FLAGS...: NAME.c becomes NAME.run
compiled() {
    name=$1
    shift
    run 0 "$@" -Dscorer_MAIN "$name.c" -o "$name.run" -lm
}

# exported NAME FILE ROWS [OPTIONS...]: trained so, the C file says of ROWS what the program says of FILE; kinds: what.
kinds='--scores'
exported() {
    name=$1
    file=$2
    rows=$3
    shift 3
    run 0 "$DPSVM" train --output.model="$name.model" -q "$@"
    run 0 "$DPSVM" export "$name.model" --c "$name.c" --name scorer -q
    for compiler in $compilers; do
        compiled "$name" "$compiler" $strict -O2
        for said in $kinds; do
            # shellcheck disable=SC2046  # words
            run 0 "$DPSVM" predict "$name.model" "$file" $(echo "$said" | sed 's/--class//') -q
            cp out "$name.predict"
            run 0 "./$name.run" $said < "$rows"
            same out "$name.predict"
        done
    done
}

. "$SOURCE/tests/cli/exported_models.sh"

# Words that the model takes for a missing value, also where all other texts are one value, and nan in any case; blanks and
# tabs around values, which predict leaves out.
spaced() {
    table "$1" "$2" | awk -F, -v OFS=, 'NR > 1 && NR % 7 == 0 { $1 = "-9" } NR > 1 && NR % 29 == 0 { $1 = "NaN" }
        NR > 1 && NR % 11 == 0 { $2 = "none" } NR > 1 && NR % 31 == 0 { $2 = "nAn" } NR > 1 && NR % 5 == 0 { $2 = " " $2 " \t" }
        NR > 1 && NR % 3 == 0 { $1 = "\t" $1 " "; $4 = " " $4 " " } { print }'
}
spaced 0 '' > words.csv
spaced 1 mauve > words_other.csv
cut -d, -f1-4 words_other.csv | sed 1d > words.rows
kinds='--scores'
exported words words_other.csv words.rows --data.train=words.csv --data.text_columns=code --data.missing=mean \
    --data.missing_words=none,-9 --kernel.type=linear --data.ignore_columns=price --data.label_column=y
run 0 "$DPSVM" info words.model
grep -q 'colour: .* one for all others' out || fail 'no column of words.model takes all others as one value'
kinds='--scores --class --proba'

# Wide rows, which pass through as they are; other flags, which change no bit.
kinds='--scores'
awk 'BEGIN { for (i = 0; i < 400; i++) { y = i % 2 ? 1 : -1; printf "%d", y
    for (j = 1 + i * 7 % 900; j <= 5000; j += 900) printf " %d:%.3f", j, y * (j % 7) + (i * j) % 13 / 9; print "" } }' > wide
exported wide wide wide --data.train=wide --kernel.degree=2 --map.features=8
compiled polynomial "$CC" -std=gnu99 -O3 -march=native
run 0 ./polynomial.run < rows
cp out polynomial.out
run 0 "$DPSVM" predict polynomial.model rows --scores -q
same out polynomial.out
run 1 "$CC" -std=c99 -ffast-math -c polynomial.c -o fast.o
says 'ffast-math'

# What predict refuses is refused.
for row in '+1 1:1e6 2:-1e300' '+1 1:nan'; do
    echo "$row" > bad
    "$DPSVM" predict polynomial.model bad -q > /dev/null 2>&1 && fail "predict takes $row"
    run 1 ./polynomial.run < bad
    silent
done
run 0 "$DPSVM" train --data.train=table.csv --data.label_column=y --data.ignore_columns=size,colour --output.model=whole.model -q
run 0 "$DPSVM" export whole.model --c whole.c --name scorer
compiled whole "$CC" $strict
printf ',2,1.5\n' > bad
run 1 ./whole.run < bad
says 'line 1: column 1 has no value'

# Texts of a model that would be C: every byte that is not harmless is a number.
cat > two << 'END'
a\*/x??/,1,"""}; int y; //??/"
z*/,2,end\
END
echo 'colour*/,n,y' | cat - two two two two two two > hostile.csv
sed 1d hostile.csv | cut -d, -f1-2 > hostile.rows
kinds='--scores --class'
exported hostile hostile.csv hostile.rows --data.train=hostile.csv --data.label_column=y

# Standard output, names, and what is refused before a model is read.
run 0 "$DPSVM" export polynomial.model --c -
sed 's/model_/scorer_/g' out > named.c
sed 's/^#ifdef model_MAIN/#ifdef scorer_MAIN/' named.c > whole.c
same whole.c polynomial.c
cp polynomial.model kept.model
ln -s kept.model link.model
for flag in --c --onnx; do
    for to in kept.model link.model ./kept.model; do
        refused 2 'the model and .* are both' "$DPSVM" export kept.model $flag $to
    done
    refused 2 'the model and .* are both' "$DPSVM" export link.model $flag kept.model
done
same kept.model polynomial.model
# No function of the file's own is named as those that --name makes are.
run 0 "$DPSVM" export classes.model --c random.c --name random
grep -q 'random_columns\[' random.c || fail 'the names of columns are not in random.c'
for compiler in $compilers; do
    run 0 "$compiler" $strict -c random.c -o random.o
done
run 1 grep -E '^static .*_(scores|class|labels|probabilities|columns|code)\(' "$SOURCE/src/pipeline/export/scorer.c.in"
refused 2 'a name of C' "$DPSVM" export no.model --c - --name 2x
refused 2 'is missing' "$DPSVM" export polynomial.model
refused 1 'no.model' "$DPSVM" export no.model --c -
run 0 "$DPSVM" train wide --map.features=12000 --map.projection=gaussian --kernel.degree=2 --solver.type=sgd \
    --solver.max_iterations=1 --output.model=large.model -q
refused 2 'numbers, map and weights together' "$DPSVM" export large.model --c large.c
[ ! -e large.c ] || fail 'large.c was written'
[ "$failures" -eq 0 ]
