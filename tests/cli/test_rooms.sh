#!/bin/sh
# Each room sees only the rooms that it may use: an include of any other does not compile. Files are planted into the
# command that compiles a source of the room (compile_commands.json). Needs BUILD and SOURCE.
set -u
: "${BUILD:?set BUILD to the build folder}" "${SOURCE:?set SOURCE to the top of the source tree}"
faults=0

# compiles ROOM-FILE HEADER: whether a source with the flags of src/ROOM-FILE may include it.
compiles() {
    command=$(sed -n "s|^ *\"command\": \"\\(.*\\) -o .*\\.dir/$1\\.o -c .*/src/$1\",\$|\\1|p" \
        "$BUILD/compile_commands.json" | head -n 1 | sed 's|\\"|"|g; s|\\\\|\\|g')
    [ -n "$command" ] || {
        echo "FAIL: no command compiles src/$1"
        exit 1
    }
    printf '#include "%s"\nint planted;\n' "$2" > planted.c
    eval "$command -fsyntax-only planted.c" > said 2>&1
}

# may ROOM-FILE HEADER, may_not ROOM-FILE HEADER
may() {
    compiles "$1" "$2" || {
        echo "FAIL: a source beside $1 cannot include $2:"
        cat said
        faults=$((faults + 1))
    }
}
may_not() {
    if compiles "$1" "$2"; then
        echo "FAIL: a source beside $1 could include $2"
        faults=$((faults + 1))
    elif ! grep -q "$2" said; then
        echo "FAIL: a source beside $1 does not compile, but not for $2:"
        cat said
        faults=$((faults + 1))
    fi
}

# rooms
may solver/sgd.c row_tile.h
may_not solver/sgd.c scaler.h
may_not solver/sgd.c kernel.h
may_not features/kernel.c loss.h
may_not features/kernel.c labels.h
may_not util/text.c row_tile.h
may_not config/ini.c row_tile.h
may_not model/model.c solver.h
may cli/command_train.c model.h
may_not cli/command_train.c solver.h
may_not cli/command_train.c random.h
# sub-rooms
may data/rows/scaler.c table.h
may_not data/parse/table_head.c scaler.h
may_not data/source/source.c csv_parser.h
may_not data/rows/scaler.c cache.h
may pipeline/train/train.c settings.h
may_not pipeline/plan/settings.c train.h
may_not pipeline/tiles/folds.c settings.h
may_not pipeline/choose/choose_c.c predictor.h
may_not pipeline/predict/predict.c checkpoint.h
may_not pipeline/train/train.c report.h
may pipeline/export/export.c predictor.h
may_not pipeline/export/export.c train.h
may_not pipeline/study/bench.c json_report.h
# what only the room sees
may_not model/model.c additive_body.h
[ "$faults" -eq 0 ]
