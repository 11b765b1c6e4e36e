#!/bin/sh
# Tables as they come out of Debian's packages: data sets of r-cran-mlbench, -kernlab, -modeldata and -mass as R's
# write.csv, write.csv2 and write.table write them, and the files of scikit-learn, are trained without an option, or with
# the one or two that the program's message names; rows, features and classes must be those that the packages document.
#   sh tests/benchmarks/tables.sh [FOLDER]     FOLDER: where packages and tables go (default build/tables)
# The packages are downloaded and unpacked into FOLDER, not installed; needs apt-get and a Debian of 2023 or later.
# Prints a line a table; status 1 if one is other than documented.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
program=${DPSVM:-$root/build/release/dpsvm}
folder=${1:-$root/build/tables}
packages='r-base-core r-cran-mlbench r-cran-mass r-cran-kernlab r-cran-modeldata python3-sklearn libtre5 libtirpc3
          libicu72 libreadline8'
mkdir -p "$folder/out"
cd "$folder"
if [ ! -d root/usr/lib/R ]; then
    # shellcheck disable=SC2086  # words
    apt-get download $packages > download.log 2>&1 || {
        tail -5 download.log >&2
        exit 1
    }
    for package in *.deb; do
        dpkg -x "$package" root
    done
fi
home=$PWD/root/usr/lib/R
cd out
if [ ! -f iris.csv ]; then
    R_HOME=$home LD_LIBRARY_PATH=$home/lib:$folder/root/usr/lib/x86_64-linux-gnu R_LIBS=$home/library R_DEFAULT_PACKAGES=NULL \
        EDITOR=vi VISUAL=vi PAGER=cat R_PAPERSIZE=a4 R_BROWSER=none R_PDFVIEWER=none \
        "$home/bin/exec/R" --no-echo --no-restore --vanilla -f "$here/tables.R" --args "$home" > R.log 2>&1 || {
        tail -5 R.log >&2
        exit 1
    }
fi
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
echo "$((tables - failed)) of $tables tables as documented"
[ "$failed" -eq 0 ] && [ "$tables" -eq 105 ]
