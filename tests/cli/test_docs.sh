#!/bin/sh
# Every command that README.md and docs/guide.md show in a block marked "sh" works: the blocks of a page are run in
# order, in a folder with copies of data/ and configs/ and with dpsvm on the PATH. Every option they name exists.
. "$SOURCE/tests/cli/check.sh"

mkdir bin
ln -s "$DPSVM" bin/dpsvm
PATH="$PWD/bin:$PATH"
export PATH

# docs/cluster.md starts ranks: where there is an MPI.
if [ -n "${MPIEXEC:-}" ]; then
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$MPIEXEC" > bin/mpirun
    chmod +x bin/mpirun
    OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
    export OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM OMPI_MCA_rmaps_base_oversubscribe
fi
for page in README.md docs/guide.md ${MPIEXEC:+docs/cluster.md}; do
    folder=run_$(basename "$page" .md)
    mkdir "$folder"
    cp -r "$SOURCE/data" "$SOURCE/configs" "$folder"
    awk '/^```sh$/ { inside = 1; print "echo \"block at line " NR "\" >&2"; next } /^```/ { inside = 0 } inside' \
        "$SOURCE/$page" > "$folder.sh"
    [ "$(grep -c 'block at line' "$folder.sh")" -gt 0 ] || fail "$page shows no command"
    step="commands of $page"
    (cd "$folder" && sh -eu "../$folder.sh") > out 2> err || {
        grep 'block at line' err | tail -1 >&2
        tail -5 err >&2
        fail "a command of $page does not work"
    }
    step=""
    grep -Eo '\b(data|kernel|map|solver|run|output)\.[a-zA-Z][a-zA-Z0-9_]*' "$SOURCE/$page" | sort -u > named
    while read -r name; do
        case $name in
        data.svm | *.ini | *.md | *.c | *.h | *.json | *.dpsvm | *.npy | *.def) continue ;;
        esac
        grep -Eq "OPTION\(${name%.*}, ${name#*.}," "$SOURCE/src/config/options.def" ||
            fail "$page names the option $name, which does not exist"
    done < named
done

lines 1000 run_README/labels
lines 1000 run_guide/labels

finish
