#!/bin/sh
# The source archive, FOLDER/dpsvm-VERSION.tar.gz, which builds without git and without network.   sh docs/packaging/source.sh FOLDER
#
# In a git checkout it holds what is committed (equal commits give equal bytes), elsewhere the tree without build/.
set -eu
folder=${1:?the folder that gets the archive}
source=$(cd "$(dirname "$0")/../.." && pwd)
version=$(sed -n 's/^project(dpsvm VERSION \([0-9.]*\).*/\1/p' "$source/CMakeLists.txt")
name=dpsvm-$version
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
if [ -e "$source/.git" ] && git -c safe.directory='*' -C "$source" rev-parse --verify -q HEAD >/dev/null 2>&1; then
    git -c safe.directory='*' -C "$source" archive --prefix="$name/" HEAD | gzip -n -9 >"$folder/$name.tar.gz"
else
    tar -c -C "$source" --exclude=./build --exclude=./.git --exclude="./${folder#"$source"/}" --sort=name --owner=0 --group=0 --numeric-owner \
        --transform="s|^\.|$name|" . | gzip -n -9 >"$folder/$name.tar.gz"
fi
echo "$folder/$name.tar.gz"
