#!/bin/sh
# What clang-format (.clang-format) and shellcheck say of the sources. Exit code 1: one of them says something.
set -eu
cd "$(dirname "$0")/../.."
status=0

# Other versions break lines at other places.
case $(clang-format --version) in
*' version 14.'*)
    find src tests include -name '*.[ch]' -exec clang-format --dry-run -Werror {} + || status=1
    echo "$(find src tests include -name '*.[ch]' | wc -l) C files through clang-format"
    ;;
*) echo "not tried: the layout, which is that of clang-format 14; here is $(clang-format --version)" ;;
esac

# Not asked: of dash and bash, which have ulimit's options and -ef (SC3045, SC3013); "$data[section]" is no array in sh
# (SC1087); a file may be called cut (SC2238). Warnings are, notes on style are not.
scripts=$(find . -path ./build -prune -o \( -name '*.sh' -o -name '*.sbatch' -o -path ./.ci/run \) -print)
# shellcheck disable=SC2086  # names without blanks
shellcheck --severity=warning --exclude=SC3045,SC3013,SC1087,SC2238 $scripts || status=1
echo "$(echo "$scripts" | wc -l) scripts through shellcheck"
exit $status
