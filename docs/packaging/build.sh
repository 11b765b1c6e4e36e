#!/bin/sh
# The steps of every package: configure, build, install, look at it.   sh docs/packaging/build.sh PREFIX
#
# PREFIX may be moved afterwards. What it needs at run time: the libraries it was built with, at their places (MPI by
# RPATH where it is not the system's). BUILD_TYPE, BUILD_FOLDER, WITH_MPI (ON, OFF, AUTO): see below.
set -eu
prefix=${1:?the folder to install into}
source=$(cd "$(dirname "$0")/../.." && pwd)
folder=${BUILD_FOLDER:-$source/build/package}

cmake -S "$source" -B "$folder" -DCMAKE_BUILD_TYPE="${BUILD_TYPE:-Release}" -DBUILD_TESTING=OFF \
    -DDPSVM_WITH_MPI="${WITH_MPI:-AUTO}" -DCMAKE_INSTALL_PREFIX="$prefix"
cmake --build "$folder" --parallel
cmake --install "$folder"
"$prefix/bin/dpsvm" version
