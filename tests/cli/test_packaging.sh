#!/bin/sh
# docs/packaging: the build steps work, what they install works wherever it is moved, the environment module finds it,
# and the recipes name what there is.
. "$SOURCE/tests/cli/check.sh"
packaging=$SOURCE/docs/packaging

# With the flags of Debian's packages, but little optimisation, for the time it takes (tests/builds/compilers.sh takes them whole).
BUILD_TYPE=Debug WITH_MPI=OFF BUILD_FOLDER=$PWD/build
CFLAGS='-O1 -fstack-protector-strong -Wformat -Werror=format-security -Wdate-time -D_FORTIFY_SOURCE=2'
export BUILD_TYPE CFLAGS WITH_MPI BUILD_FOLDER
run 0 sh "$packaging/build.sh" "$PWD/first"
grep -q '^MPI  *none (built with DPSVM_WITH_MPI=OFF)' out || fail "WITH_MPI=OFF: $(grep MPI out)"
# AUTO that ends without MPI says so where it is configured; the version names it as it does OFF.
run 0 cmake -S "$SOURCE" -B "$PWD/auto" -DBUILD_TESTING=OFF -DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON
grep -q 'MPI: none was found.*DPSVM_WITH_MPI is AUTO' out || fail "DPSVM_WITH_MPI=AUTO: $(grep MPI out)"
mv first moved
rm -rf build
rows 5 400 3 > rows.svm
run 0 moved/bin/dpsvm train rows.svm -q --map.features=50
run 0 moved/bin/dpsvm predict model.dpsvm rows.svm -q
agree 390 out rows.svm

# What else is installed, and works where it is: pages, configurations with their data, completion, manual pages.
doc=moved/share/doc/dpsvm
for file in LICENSE README.md CHANGELOG.md docs/guide.md docs/evidence/figures/refine.svg; do
    same "$SOURCE/$file" "$doc/$file"
done
[ ! -e "$doc/docs/packaging" ] || fail 'recipes of packages are installed'
run 0 moved/bin/dpsvm train moved/share/dpsvm/configs/spirals.ini -q --map.features=20 --output.model=spirals.dpsvm
for file in "$SOURCE"/configs/slurm/*; do
    same "$file" "moved/share/dpsvm/configs/slurm/${file##*/}"
done
for command in '' -train -predict -tune -evaluate -transform -info -check -kernel -bench -help -version; do
    [ -s "moved/share/man/man1/dpsvm$command.1" ] || fail "no manual page dpsvm$command(1)"
done
for page in dpsvm.ini dpsvm-model; do
    [ -s "moved/share/man/man5/$page.5" ] || fail "no manual page $page(5)"
done
grep -q '^complete -F _dpsvm dpsvm$' moved/share/bash-completion/completions/dpsvm || fail 'no completion for bash'
[ "$(head -n 1 moved/share/zsh/site-functions/_dpsvm)" = '#compdef dpsvm' ] || fail 'no completion for zsh'
if command -v man > /dev/null; then # by PATH alone, as man finds it
    PATH=$PWD/moved/bin:$PATH MANPATH= man -w dpsvm-train > out 2> err
    [ "$(cat out)" = "$PWD/moved/share/man/man1/dpsvm-train.1" ] || fail "man dpsvm-train finds $(cat out)"
fi

# The module, read by Tcl with the commands of a module: every folder it names is there, wherever it was moved.
version=$("$DPSVM" version | awk 'NR == 1 { print $2 }')
if command -v tclsh > /dev/null; then
    cat > read.tcl <<'TCL'
proc module-whatis {args} {}
proc conflict {args} {}
proc setenv {args} {}
proc prepend-path {name folder} { if {![file isdirectory $folder]} { puts "$name: no $folder" } }
set ModulesCurrentModulefile [lindex $argv 0]
source $ModulesCurrentModulefile
ModulesHelp
puts "prefix $prefix"
TCL
    run 0 tclsh read.tcl "$PWD/moved/share/modulefiles/dpsvm/$version"
    [ "$(cat out)" = "prefix $PWD/moved" ] || fail "$(cat out)"
else
    untried 'the environment module: no tclsh'
fi
# One version: the recipes name the program's.
grep -q "^## $version (" "$SOURCE/CHANGELOG.md" || fail "CHANGELOG.md does not name $version"
grep -q "version(\"$version\"" "$packaging/spack/package.py" || fail "Spack's recipe does not name $version"

# The packages of the image: all that dev.sh asks for to build where nothing is there; make instead of ninja, and MPI.
{
    sed -n '/^have_header()/,/^}/p; /^need()/,/^}/p; /^missing_packages()/,/^}/p' "$SOURCE/dev.sh"
    echo 'PATH=/nowhere; missing_packages build'
} > needs.sh
run 0 sh needs.sh
tr ' ' '\n' < out | sed '/^$/d; s/^ninja-build$/make/' > needs
[ "$(wc -w < needs)" -ge 11 ] || fail "dev.sh asks for $(tr '\n' ' ' < needs)"
for package in $(cat needs) libopenmpi-dev; do
    grep -qwF -e "$package" "$packaging/debian-build.txt" || fail "the image lacks $package"
done
grep -rniE 'blas|lapack' "$packaging" > out && fail "no BLAS or LAPACK is needed: $(head -n 1 out)"
if command -v python3 > /dev/null; then
    run 0 python3 -c "import ast, sys; ast.parse(open(sys.argv[1]).read())" "$packaging/spack/package.py"
else
    untried "the syntax of Spack's recipe: no python3"
fi

finish
