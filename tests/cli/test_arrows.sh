#!/bin/sh
# The rules of docs/architecture.md that the build cannot say (which room sees which it does: test_rooms.sh): who prints
# and exits, which library is whose, what only a room sees, no circle of includes, unique names that no system header
# has. Needs SOURCE, the top of the source tree. The rules are first tried on a tree that breaks each of them.
set -u
: "${SOURCE:?set SOURCE to the top of the source tree}"
LC_ALL=C
export LC_ALL

# owner HEADER: sets `alone` to the room that alone may include this header of an outside library, a folder under src.
owner() {
    case $1 in
    dlfcn.h) alone=linalg ;;
    Random123/*) alone=rng ;;
    cjson/*) alone=pipeline/report ;;
    xxhash.h | zlib.h | zstd.h | bzlib.h | lzma.h | mpi.h) alone=util ;;
    *) alone= ;;
    esac
}

# code FILE: without comments and the insides of strings, lines kept.
code() {
    awk '{
        out = ""
        n = length($0)
        for (i = 1; i <= n; i++) {
            c = substr($0, i, 1)
            two = substr($0, i, 2)
            if (in_comment) { if (two == "*/") { in_comment = 0; i++ } }
            else if (quote != "") { if (c == "\\") i++; else if (c == quote) { quote = ""; out = out c } }
            else if (two == "/*") { in_comment = 1; i++; out = out " " }
            else if (two == "//") break
            else { if (c == "\"" || c == "\047") quote = c; out = out c }
        }
        quote = ""
        print out
    }' "$1"
}

# includes FILE...: a line "FILE NAME" for each include.
includes() {
    awk 'match($0, /^[ \t]*#[ \t]*include[ \t]*[<"][^>"]*[>"]/) {
        name = substr($0, RSTART, RLENGTH - 1)
        sub(/^[^<"]*[<"]/, "", name)
        print FILENAME, name
    }' "$@" /dev/null
}

# say_code TEXT PATTERN all|cli: TEXT of each line of code where the pattern (of grep -E) stands; cli: except in cli. Only
# files that have it at all are read as code.
prints='(^|[^A-Za-z0-9_])((v?printf|puts|putchar|perror|_?exit|_Exit|abort)[[:space:]]*\(|(stdout|stderr)([^A-Za-z0-9_]|$))'
locale='(^|[^A-Za-z0-9_])setlocale[[:space:]]*\('
say_code() {
    grep -lE "$2" $files | while read -r file; do
        case $3$file in
        cli*/src/cli/*) ;;
        *) code "$file" | grep -nE "$2" | sed "s|^|$file: $1, line |" ;;
        esac
    done
}

# Headers of ISO C, POSIX, glibc and musl; the compiler brings more, in a folder of its own.
system_headers='aio aliases alloca ar argp argz assert byteswap complex cpio crypt ctype dirent dlfcn elf endian envz
    err errno error execinfo fcntl features fenv float fmtmsg fnmatch fstab fts ftw gconv getopt glob grp gshadow iconv
    ifaddrs inttypes iso646 langinfo lastlog libgen libintl limits link locale malloc math mcheck memory mntent
    monetary mqueue ndbm netdb nl_types nss obstack paths poll printf pthread pty pwd re_comp regex regexp resolv
    sched search semaphore setjmp sgtty shadow signal spawn stab stdalign stdarg stdatomic stdbit stdbool stdckdint
    stddef stdint stdio stdio_ext stdlib stdnoreturn string strings stropts syscall sysexits syslog tar termio
    termios tgmath thread_db threads time trace ttyent uchar ucontext ulimit unistd utime utmp utmpx values varargs
    wait wchar wctype wordexp'
compiler_headers=$(${CC:-cc} -print-file-name=include 2> /dev/null) || compiler_headers=

# say_includes: of lines "FILE HEADER", what is not allowed.
say_includes() {
    while read -r file header; do
        folder=${file%/*}
        room=${folder#"$1"/src/}
        owner "$header"
        if [ -n "$alone" ] && [ "$alone" != "$room" ]; then
            echo "$file includes $header, which only $alone may"
        fi
        case $header in
        *_private.h) # of the room, or of the room that this folder is in
            [ -f "$folder/$header" ] || [ -f "${folder%/*}/$header" ] ||
                echo "$file includes $header of another room"
            ;;
        esac
        # cli sees these because a model is made of what they know, and includes none of them itself
        if [ "$room" = cli ]; then
            for found in "$1"/src/features/"$header" "$1"/src/linalg/"$header" "$1"/src/data/"$header" \
                "$1"/src/data/*/"$header"; do
                [ ! -f "$found" ] || echo "$file includes $header, which cli leaves to others"
            done
        fi
    done
}

# broken_rules TREE: one line for each fault.
broken_rules() {
    # no name has a blank
    files=$(find "$1"/src -mindepth 2 -maxdepth 3 -name '*.[ch]' | sort)
    # shellcheck disable=SC2086  # names
    {
        included=$(includes $files)
        awk 'length > 100 { print FILENAME ": longer than 100 columns, line " FNR }' $files
    }
    printf '%s\n' "$included" | say_includes "$1"
    say_code 'sets the locale' "$locale" all
    say_code 'only cli prints or exits' "$prints" cli
    printf '%s\n' "$included" | sed 's|^.*/\([^/ ]* \)|\1|' | tsort 2>&1 > /dev/null |
        sed 's/^tsort: //; s/^-: input contains a loop:/a circle of includes:/'
    names=$(find "$1/src" "$1/tests" -name '*.[ch]' -o -name '*.sh' | sed 's|.*/||' | sort)
    for name in $(echo "$names" | sed -n 's/\.h$//p'); do
        case " $(echo $system_headers) " in
        *" $name "*) echo "$name.h has the name of a system header" ;;
        *) [ ! -e "${compiler_headers:-/none}/$name.h" ] || echo "$name.h has the name of a header of the compiler" ;;
        esac
    done
    echo "$names" | uniq -d | sed 's/$/ is the name of two files/'
    echo "$names" | grep -vE '^[a-z][a-z0-9_]*\.(c|h|sh)$' | sed 's/$/ is not snake_case/'
}

rm -rf planted
mkdir -p planted/src/util planted/src/data/rows planted/src/pipeline/report planted/src/cli planted/tests
cat > planted/src/data/rows/rows.h << 'END'
/* Not faults: printf( in a comment, "stderr" in a string, snprintf, dps_exit(. */
#include "base.h"
#define TEXT "goes to stderr, printf(1)"
static inline void dps_exit(char *b) { snprintf(b, 1, TEXT); }
END
: > planted/src/data/rows/rows_private.h
echo '#include "rows_private.h"' > planted/src/data/rows/rows.c
echo '#include <cjson/cJSON.h>' > planted/src/pipeline/report/report.c
echo 'int base;' > planted/src/util/base.h
echo '#include "there.h"' > planted/src/util/here.h
echo 'int main(void) { printf("cli may"); exit(0); }' > planted/src/cli/program.c
[ -z "$(broken_rules planted)" ] || {
    echo "FAIL: found a fault where there is none: $(broken_rules planted)"
    exit 1
}
faults=0
# plant FILE WHAT-IS-SAID LINE
plant() {
    printf '%s\n' "$3" > "planted/$1"
    found=$(broken_rules planted)
    rm "planted/$1"
    case $found in
    *"$2"*) ;;
    *)
        echo "FAIL: not noticed: $3 in $1"
        faults=$((faults + 1))
        ;;
    esac
}
plant src/util/bad.c 'only rng may' '#include <Random123/philox.h>'
plant src/util/bad.c 'only pipeline/report may' '#include <cjson/cJSON.h>'
plant src/util/bad.c 'rows_private.h of another room' '#include "rows_private.h"'
plant src/cli/bad.c 'rows.h, which cli leaves to others' '#include "rows.h"'
plant src/util/there.h 'circle of includes' '#include "here.h"'
plant src/util/bad.c 'only cli prints' 'void f(void) { printf("x"); }'
plant src/util/bad.c 'only cli prints' 'void f(void) { fputs("x", stderr); }'
plant src/util/bad.c 'only cli prints' 'void f(void) { if (1) exit(1); }'
plant src/util/bad.c 'longer than 100' "/* $(printf '%0100d' 0) */"
plant src/cli/bad.c 'sets the locale' 'void f(void) { setlocale(0, ""); }'
plant tests/rows.h 'two files' ''
plant src/util/limits.h 'name of a system header' ''
plant tests/unwind.h 'name of a header of the compiler' ''
plant tests/BadName.c 'not snake_case' ''
rm -rf planted

broken_rules "$SOURCE" > found
if [ -s found ]; then
    sed "s|$SOURCE/||g" found
    faults=$((faults + 1))
fi
[ "$faults" -eq 0 ]
