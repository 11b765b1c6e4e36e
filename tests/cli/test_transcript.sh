#!/bin/sh
# docs/first_minutes.md is what a new user sees: its commands are run here, in order, and what they say is compared with
# the page, seconds, threads and memory left out. On a difference the new page is left in scratch/first_minutes.md.
. "$SOURCE/tests/cli/check.sh"

mkdir bin
ln -s "$DPSVM" bin/dpsvm
PATH="$PWD/bin:$PATH"
export PATH

# A table as people have them: an id, a date, a text, numbers with gaps, and what is to be told. The generator is
# arithmetic that every awk does alike.
awk 'function r() { s = (s * 16807) % 2147483647; return s / 2147483647 }
    BEGIN { s = 20; split("Ulm Bonn Kiel Jena", town, " "); print "id,joined,town,age,income,visits,churned"
    for (i = 1; i <= 1200; i++) {
        t = town[1 + int(4 * r())]; age = 18 + int(62 * r()); income = 20 + int(400 * r()) / 10; visits = int(30 * r())
        score = (age > 50 && t == "Ulm") + 0.05 * visits - 0.015 * income + 0.5 * (r() - 0.5)
        printf "%d,2024-%02d-%02d,%s,%s,%.1f,%d,%s\n", 1000 + i, 1 + int(12 * r()), 1 + int(28 * r()), t,
            (r() < 0.03 ? "" : age), income, visits, (score > 0.3 ? "yes" : "no") } }' > all.csv
{ sed -n '1,1001p' all.csv; } > customers.csv
{ sed -n '1p;1002,1201p' all.csv; } > later.csv
cut -d, -f1-6 later.csv | head -6 > new.csv

# The page: its text as it is, and after each line "$ command" of a console block what the command says now.
plain() {
    sed -e 's/^\(dpsvm [0-9.]* [a-z]*:\).*/\1 .../' -e 's/^seconds: .*/seconds: .../' -e 's/searched in [0-9.]* s/searched in ... s/' \
        -e 's/in [0-9.]* s;/in ... s;/' -e 's/in [0-9.]* s$/in ... s/' -e 's/^needs: [^;]*;/needs: ...;/' \
        -e 's/^\(solver: [a-z]* converged after\) .*/\1 .../' -e 's/^objective: .*/objective: .../' \
        -e 's/^\(trained  *[0-9]* rows,\) .*/\1 .../' -e '/  [0-9]*:[0-9][0-9]\(, about [0-9:]* left\)*$/d' \
        -e '/^plan: about/d' # progress, and the plan of a slow machine
}
while IFS= read -r line; do
    case $line in
    '```console') inside=1; printf '%s\n' "$line" ;;
    '```') inside=''; printf '%s\n' "$line" ;;
    '$ '*)
        printf '%s\n' "$line"
        sh -c "${line#\$ }" < /dev/null > said 2>&1
        plain < said
        ;;
    *) [ -n "${inside:-}" ] || printf '%s\n' "$line" ;;
    esac
done < "$SOURCE/docs/first_minutes.md" > first_minutes.md
[ "$(grep -c '^\$ ' first_minutes.md)" -ge 6 ] || fail 'the page shows no session'
cmp -s first_minutes.md "$SOURCE/docs/first_minutes.md" || {
    diff "$SOURCE/docs/first_minutes.md" first_minutes.md > err
    fail "docs/first_minutes.md is not what the program says; where that is meant: cp $PWD/first_minutes.md docs/"
}
finish
