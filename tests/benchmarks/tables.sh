#!/bin/sh
# Tables as they come out of Debian's packages: data sets of r-cran-mlbench, -kernlab, -modeldata and -mass as R's
# write.csv, write.csv2, write.table and write.arff and as pandas' to_csv write them, the files of scikit-learn and the
# examples of weka are trained without an option, or with the one or two that the program's message names; rows, features
# and classes must be those that the packages document.
#   sh tests/benchmarks/tables.sh [FOLDER]     FOLDER: where packages and tables go (default build/tables)
# The packages are downloaded and unpacked into FOLDER, not installed; needs apt-get and a Debian of 2023 or later.
# Prints a line a table; status 1 if one is other than documented.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
program=${DPSVM:-$root/build/release/dpsvm}
folder=${1:-$root/build/tables}
mkdir -p "$folder/out"
cd "$folder"
folder=$PWD
cd out
[ -f iris.csv ] || sh "$here/r_data.sh" "$folder" "$here/tables.R" r-cran-mlbench r-cran-mass r-cran-kernlab r-cran-modeldata \
    r-cran-foreign python3-sklearn weka python3.11-minimal libpython3.11-minimal libpython3.11-stdlib python3-pandas \
    python3-pandas-lib python3-numpy python3-dateutil python3-tz python3-six libblas3 liblapack3 libgfortran5 libquadmath0 \
    libffi8 libexpat1
usr=$folder/root/usr
if [ ! -f iris.pandas.csv ]; then
    libraries=$usr/lib/$(uname -m)-linux-gnu
    PYTHONHOME=$usr PYTHONPATH=$usr/lib/python3/dist-packages LD_LIBRARY_PATH=$libraries:$libraries/blas:$libraries/lapack \
        "$usr/bin/python3.11" "$here/tables.py" Glass=Type Sonar=Class PimaIndiansDiabetes=diabetes Vehicle=Class \
        Satellite=classes spam=type iris=Species > pandas.log 2>&1 || {
        tail -5 pandas.log >&2
        exit 1
    }
fi
cp "$usr"/share/doc/weka/examples/*.arff .
cp "$folder"/root/usr/lib/python3/dist-packages/sklearn/datasets/data/*.csv* .

failed=0
tables=0
# try FILE ROWS FEATURES CLASSES [OPTION ...]; classes 0: regression
try() {
    file=$1 wanted="$2 rows, $3 features, $4 classes"
    rows=$2 features=$3 classes=$4
    shift 4
    tables=$((tables + 1))
    "$program" train "$file" --kernel.type=linear --output.baseline=off --output.model=table.model "$@" > log 2>&1 || true
    found=$(sed -n 's/^data: \([0-9]* rows, [0-9]* features\), [a-z]*, \(.*\)/\1, \2/p' log | sed 's/ (.*//; s/targets .*/0 classes/')
    verdict=ok
    if [ "$found" != "$wanted" ]; then
        verdict="OTHER: $found"
        failed=$((failed + 1))
        grep 'dpsvm: [^w]' log | cut -c1-200 || true
    fi
    printf '%-28s %6s rows %4s features %3s classes  %-45s %s\n' "$file" "$rows" "$features" "$classes" "$*" "$verdict"
}
# forms NAME ROWS FEATURES CLASSES [OPTION ...]: as R writes it, four ways
forms() {
    name=$1
    shift
    for form in csv bare.csv semicolon.csv table; do
        try "$name.$form" "$@"
    done
}

missing=--data.missing=mean
forms Glass 214 9 6
forms Sonar 208 60 2
forms Vowel 990 10 11
forms BreastCancer 699 9 2 $missing
forms HouseVotes84 435 32 2 $missing # 16 columns of y and n
forms Satellite 6435 36 6
forms Vehicle 846 18 4
forms Zoo 101 31 7 # 15 columns of TRUE and FALSE, and legs
forms Soybean 683 35 19 $missing
forms DNA 3186 180 3
forms PimaIndiansDiabetes 768 8 2
forms BostonHousing 506 13 0 --solver.task=regression --data.label_column=medv
forms spam 4601 57 2
forms musk 476 166 2
forms promotergene 106 228 2 # 57 columns of four bases
forms penguins 344 9 3 $missing # islands and sexes
forms two_class_dat 791 2 2
forms mlc_churn 5000 73 2 --data.label_column=churn # 51 states, 3 area codes, two plans
forms Pima.te 332 7 2
forms crabs 200 8 2
forms biopsy 699 9 2 $missing
forms fgl 214 9 6
forms birthwt 189 9 2
forms cats 144 2 2
forms iris 150 4 3
# of scikit-learn: the first line counts rows and columns and names the classes
try wine_data.csv 178 13 3
try breast_cancer.csv 569 30 2
try digits.csv.gz 1797 61 10 # of 64 pixels three are always 0
try boston_house_prices.csv 506 13 0 --solver.task=regression --data.label_column=last
try diabetes_data_raw.csv.gz 442 9 0 --solver.task=regression --data.label_column=last
# pandas NAME ROWS FEATURES CLASSES: as pandas writes it (tables.py), nine ways
pandas() {
    name=$1
    for form in csv bare.csv semicolon.csv tab.gz date.csv dated.csv; do
        try "$name.pandas.$form" "$2" "$3" "$4"
    done
    try "$name.pandas.nan.csv" "$2" "$3" "$4" $missing
    try "$name.pandas.na.csv" "$2" "$3" "$4" $missing
    try "$name.pandas.bool.csv" "$2" $(($3 + 2)) "$4" # True and False
}
pandas Glass 214 9 6
pandas Sonar 208 60 2
pandas PimaIndiansDiabetes 768 8 2
pandas Vehicle 846 18 4
pandas Satellite 6435 36 6
pandas spam 4601 57 2
pandas iris 150 4 3
# R's write.arff
try Glass.arff 214 9 6
try Sonar.arff 208 60 2
try PimaIndiansDiabetes.arff 768 8 2
try Vehicle.arff 846 18 4
try Satellite.arff 6435 36 6
try BostonHousing.arff 506 14 0 --solver.task=regression # chas is a factor of two values
try spam.arff 4601 57 2
try musk.arff 476 166 2
try promotergene.arff 106 228 2
try Pima.te.arff 332 7 2
try fgl.arff 214 9 6
try cats.arff 144 2 2 --data.label_column=Sex
# examples of weka; a nominal attribute has a feature for each value that stands in a row
try breast-cancer.arff 286 41 2 $missing
try contact-lenses.arff 24 9 3
try cpu.arff 209 6 0 --solver.task=regression
try cpu.with.vendor.arff 209 36 0 --solver.task=regression # 30 vendors
try credit-g.arff 1000 61 2
try diabetes.arff 768 8 2
try glass.arff 214 9 6
try ionosphere.arff 351 33 2 # of 34 one is always 0
try iris.2D.arff 150 2 3
try iris.arff 150 4 3
try labor.arff 57 29 2 $missing
try segment-challenge.arff 1500 19 7
try segment-test.arff 810 19 7
try soybean.arff 683 99 19 $missing
try supermarket.arff 4627 122 2 $missing # baskets: t, or missing
try unbalanced.arff 856 32 2
try vote.arff 435 32 2 $missing
try weather.nominal.arff 14 10 2
try weather.numeric.arff 14 7 2
echo "$((tables - failed)) of $tables tables as documented"
[ "$failed" -eq 0 ] && [ "$tables" -eq 199 ]
