#!/bin/sh
# Makes the data sets of this folder again, byte for byte:  sh data/generate.sh [FOLDER]
# Random numbers are the minimal standard generator of Park and Miller (1988), s <- 16807 s mod (2^31 - 1), which
# double precision holds exactly, so that every awk gives the same rows. README.md says what the sets are.
set -eu
folder=${1:-$(dirname "$0")}
LC_ALL=C
export LC_ALL

# rows NAME SEED COUNT PROGRAM: PROGRAM prints one row a call, with uniform() in [0, 1) and normal() at hand.
rows() {
    awk -v seed="$2" -v count="$3" '
        function uniform() { seed = (seed * 16807) % 2147483647; return seed / 2147483647 }
        function normal(  k, s) { s = 0; for (k = 0; k < 12; k++) s += uniform(); return s - 6 }
        '"$4"'
        BEGIN { pi = 3.14159265358979; for (k = 0; k < 20; k++) uniform(); for (k = 0; k < count; k++) row() }' \
        > "$folder/$1"
}

# Six inputs near -1 or +1; the label is the sign of the product of the first four. No single input says anything.
parity='function row(  j, b, y, line) {
    y = 1; line = ""
    for (j = 1; j <= 6; j++) {
        b = uniform() < 0.5 ? -1 : 1
        if (j <= 4) y *= b
        line = line sprintf(" %d:%.3f", j, b + 0.25 * normal())
    }
    printf "%+d%s\n", y, line
}'
rows parity.train 101 1200 "$parity"
rows parity.test 102 800 "$parity"

# Two arms, one the other turned by half a turn, each winding one and three quarter times round the origin.
spirals='function row(  y, turn, r, angle) {
    y = uniform() < 0.5 ? -1 : 1
    turn = 3.5 * pi * sqrt(uniform())
    r = 0.05 + 0.95 * turn / (3.5 * pi)
    angle = turn + (y < 0 ? pi : 0)
    printf "%+d 1:%.4f 2:%.4f\n", y, r * cos(angle) + 0.02 * normal(), r * sin(angle) + 0.02 * normal()
}'
rows spirals.train 201 1000 "$spirals"
rows spirals.test 202 1000 "$spirals"

# Five bent blades round the origin, classes 1 to 5.
pinwheel='function row(  k, r, angle) {
    k = int(5 * uniform())
    r = 1 + 0.3 * normal()
    angle = 2 * pi * k / 5 + 0.12 * normal() / (r < 0.3 ? 0.3 : r) + 1.2 * r
    printf "%d 1:%.4f 2:%.4f\n", k + 1, r * cos(angle), r * sin(angle)
}'
rows pinwheel.train 301 1200 "$pinwheel"
rows pinwheel.test 302 800 "$pinwheel"
