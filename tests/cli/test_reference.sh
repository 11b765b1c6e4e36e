#!/bin/sh
# The reference of the C libraries: doxygen has nothing to say about its comments, and every function is in it.
. "$SOURCE/tests/cli/check.sh"
if ! command -v doxygen > /dev/null; then
    echo 'skipped: there is no doxygen'
    exit 77
fi
folder=$PWD
run_in_source() {
    cd "$SOURCE" && { cat docs/Doxyfile; echo "OUTPUT_DIRECTORY = $folder/reference"; } | doxygen -
}
rm -rf reference
mkdir reference
(run_in_source) > out 2> err || fail "doxygen ends with $?"
[ ! -s err ] || fail "$(head -n 5 err)"
for name in $(sed -n 's/^DPSVM_API.*\(dpsvm_[a-z_]*\)(.*/\1/p' "$SOURCE"/include/dpsvm/*.h); do
    grep -q "$name" reference/html/score_8h.html reference/html/dpsvm_8h.html || fail "the reference lacks $name"
done
finish
