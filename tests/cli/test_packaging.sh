#!/bin/sh
# docs/packaging: the build steps work, what they install works wherever it is moved, the environment module finds it,
# and the recipes name what there is.
. "$SOURCE/tests/cli/check.sh"
packaging=$SOURCE/docs/packaging

# The source archive, which builds without network and knows neither git nor this folder's build/, is what is built.
run 0 sh "$packaging/source.sh" "$PWD"
archive=$(cat out)
tar -x -z -f "$archive"
unpacked=$PWD/$(basename "$archive" .tar.gz)
[ ! -e "$unpacked/.git" ] && [ ! -e "$unpacked/build" ] || fail 'the source archive holds more than sources'
if [ -e "$SOURCE/.git" ]; then
    mv "$archive" first.tar.gz
    run 0 sh "$packaging/source.sh" "$PWD"
    same first.tar.gz "$archive"
fi
packaging=$unpacked/docs/packaging

# With the flags of Debian's packages, but little optimisation, for the time it takes (tests/builds/compilers.sh takes them whole).
BUILD_TYPE=Debug WITH_MPI=OFF BUILD_FOLDER=$PWD/build
CFLAGS='-O1 -fstack-protector-strong -Wformat -Werror=format-security -Wdate-time -D_FORTIFY_SOURCE=2'
export BUILD_TYPE CFLAGS WITH_MPI BUILD_FOLDER
offline=
unshare -n true 2> /dev/null && offline='unshare -n' || untried 'a build without network: unshare -n is not allowed here'
run 0 $offline sh "$packaging/build.sh" "$PWD/first"
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
    same "$unpacked/$file" "$doc/$file"
done
[ ! -e "$doc/docs/packaging" ] || fail 'recipes of packages are installed'
run 0 moved/bin/dpsvm train moved/share/dpsvm/configs/spirals.ini -q --map.features=20 --output.model=spirals.dpsvm
for file in "$unpacked"/configs/slurm/*; do
    same "$file" "moved/share/dpsvm/configs/slurm/${file##*/}"
done
for command in '' -train -predict -tune -evaluate -transform -info -check -kernel -export -bench -help -version; do
    [ -s "moved/share/man/man1/dpsvm$command.1" ] || fail "no manual page dpsvm$command(1)"
done
for page in dpsvm.ini dpsvm-model; do
    [ -s "moved/share/man/man5/$page.5" ] || fail "no manual page $page(5)"
done
grep -q '^complete -F _dpsvm dpsvm$' moved/share/bash-completion/completions/dpsvm || fail 'no completion for bash'
[ "$(head -n 1 moved/share/zsh/site-functions/_dpsvm)" = '#compdef dpsvm' ] || fail 'no completion for zsh'
if command -v man > /dev/null; then # by PATH alone, as man finds it
    PATH=$PWD/moved/bin:$PATH MANPATH="" man -w dpsvm-train > out 2> err
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
grep -niE 'blas|lapack' "$packaging"/*.txt "$packaging"/*.def "$packaging"/*.sh "$packaging"/spack/* > out &&
    fail "no BLAS or LAPACK is needed: $(head -n 1 out)"
if command -v python3 > /dev/null; then
    # read with stand-ins for what Spack brings: its options are those of the build, its packages those of dev.sh
    cat > recipe.py <<'PYTHON'
import sys, types
needs = []
class CMakePackage:
    def define(self, name, value):
        return "-D%s:STRING=%s" % (name, {True: "ON", False: "OFF"}.get(value, value))
class Spec:
    def satisfies(self, text):
        return text != "+mpi"
package = types.ModuleType("spack.package")
package.__dict__.update(CMakePackage=CMakePackage, version=lambda name: None, variant=lambda name, **words: None,
                        depends_on=lambda name, **words: needs.append(name.split("@")[0]))
sys.modules["spack"] = types.ModuleType("spack")
sys.modules["spack.package"] = package
names = {}
exec(open(sys.argv[1]).read(), names)
recipe = names["Dpsvm"]()
recipe.spec = Spec()
print(*recipe.cmake_args())
assert set(needs) == {"c", "cmake", "random123", "xxhash", "cjson", "zlib-api", "zstd", "bzip2", "xz", "mpi"}, needs
PYTHON
    run 0 python3 recipe.py "$packaging/spack/package.py"
    arguments=$(cat out)
    # shellcheck disable=SC2086
    run 0 cmake -S "$unpacked" -B "$PWD/spack" $arguments
    grep -q 'MPI: none (DPSVM_WITH_MPI is OFF)' out || fail "Spack's recipe without MPI: $(grep MPI out)"
    grep -q 'not used by the project' err && fail "options of Spack's recipe: $(cat err)"
else
    untried "the syntax of Spack's recipe: no python3"
fi

finish
