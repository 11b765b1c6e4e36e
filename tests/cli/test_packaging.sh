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

# The module, read by Tcl with the commands of a module: every folder it names is there.
if command -v tclsh > /dev/null; then
    sed "s|^set prefix .*|set prefix $PWD/moved|" "$packaging/modulefile" > module
    cat > read.tcl <<'TCL'
proc module-whatis {args} {}
proc conflict {args} {}
proc setenv {args} {}
proc prepend-path {name folder} { if {![file isdirectory $folder]} { puts "$name: no $folder" } }
source module
ModulesHelp
TCL
    run 0 tclsh read.tcl
    # lib may be lib64 or lib/ARCHITECTURE where CMake says so
    grep -v '/lib' out > missing
    [ ! -s missing ] || fail "$(cat missing)"
else
    untried 'the environment module: no tclsh'
fi
grep -q "/$("$DPSVM" version | awk 'NR == 1 { print $2 }')\$" "$packaging/modulefile" || fail "the module's version"

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
