#!/bin/sh
# soak.py with what the build says; skipped where it cannot run.
set -u
command -v python3 > /dev/null || {
    echo 'skipped: no python3'
    exit 77
}
exec python3 -B "$SOURCE/tests/soak/soak.py" "$@"
