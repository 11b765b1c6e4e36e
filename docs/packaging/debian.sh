#!/bin/sh
# Debian packages of this tree, by the recipe in debian/ and dpkg-buildpackage.   sh docs/packaging/debian.sh FOLDER
#
# FOLDER gets the .deb files (and .changes, .buildinfo). What the build needs (debian/control) must be installed; with
# ranks: DEB_BUILD_PROFILES=pkg.dpsvm.mpi. The version and the changelog are those of CHANGELOG.md.
set -eu
folder=${1:?the folder that gets the packages}
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
work=$(mktemp -d "$folder/build.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

archive=$(sh "$here/source.sh" "$work")
name=$(basename "$archive" .tar.gz)
version=${name#dpsvm-}
mv "$archive" "$work/dpsvm_$version.orig.tar.gz"
tar -x -z -f "$work/dpsvm_$version.orig.tar.gz" -C "$work"
cp -R "$here/debian" "$work/$name/debian"

# Entries of CHANGELOG.md as debian/changelog wants them, in lines of 80: "## 0.2.0 (2026-11-29)", then "- ..." with lines that go on.
maintainer=$(sed -n 's/^Maintainer: //p' "$here/debian/control")
awk -v maintainer="$maintainer" '
    function close_entry() { if (date != "") printf "\n -- %s  %s\n\n", maintainer, date }
    /^## [0-9]/ {
        close_entry()
        day = substr($3, 2, 10)
        command = "LC_ALL=C date -u -R -d \"" day " 12:00\""
        command | getline date
        close(command)
        printf "dpsvm (%s-1) unstable; urgency=medium\n\n", $2
        next
    }
    date == "" || /^ *$/ { next }
    {
        sub(/^- /, "  * ") || sub(/^ +/, "    ")
        for (line = $0; length(line) > 80; line = "    " substr(line, at + 1)) {
            for (at = 80; at > 4 && substr(line, at, 1) != " "; at--) { }
            if (at == 4) break # one long word
            print substr(line, 1, at - 1)
        }
        print line
    }
    END { close_entry() }' "$work/$name/CHANGELOG.md" >"$work/$name/debian/changelog"

(cd "$work/$name" && dpkg-buildpackage -us -uc -b) >&2
for file in "$work"/*.deb "$work"/*.changes "$work"/*.buildinfo; do
    mv "$file" "$folder"
done
ls "$folder"/*.deb
