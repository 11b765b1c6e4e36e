#!/usr/bin/env python3
"""How the parallel stages scale to 64 threads, by playing their queues: build/bench/tile_queue.md, .csv, .svg.

    ./dev.sh bench queue

The program deals tiles of 384 rows (map, scores), slots of tiles (sums over rows, util/ordered_sum.c), blocks of the
Hessian (solver/newton_blocks.c) and parts of a Cholesky factor (linalg/cholesky.c) to threads, the next one to whoever is
free. Here the same queues are played with the seconds that one of them takes at the rates below, each drawn up to 5 %
longer, and what threads wait for is added: regions, the parts that one thread does. First the play predicts what
`dpsvm bench scale` measures with one and two threads of this machine, and prints both.

What the play leaves out is that threads share memory: the bytes that a stage moves are printed as the GB/s that all
threads together would need.
"""
import heapq
import os
import random
import subprocess
import sys

import speed_common as common
from bench_common import arguments

TILE = 384
# Rates of one core of the machine that the documents were written on (AVX-512, 4 GHz), by `dpsvm bench scale` and
# `dpsvm bench linalg`, and by timing the calls of a step alone: flop/s of a map and of a Hessian's products, bytes/s at
# which rows are gathered and passes read them, seconds of a row's loss (logistic, squared hinge).
MAP, PRODUCTS, GATHER, PASS, LOGISTIC, HINGE = 100e9, 229e9, 27e9, 60e9, 12e-9, 3e-9
# A Hessian in blocks takes longer, all threads together, because each gathers the columns it needs: 1 + GATHERED / edge
# (measured with one thread at D' 512: edge 192 1.2 times, 48 1.6 times).
GATHERED = 31
# Factor: a block of 192 on the diagonal, 24 rows below it, a part of 48 x 48 behind them.
DIAGONAL, ROWS24, PART48, BLOCK = 45e-6, 11.5e-6, 7.3e-6, 192
SOLVE = 25e9  # bytes/s of the triangular systems
# A parallel region, from its start to its end: sleeping threads (the program's default) were measured with 2 threads at
# 6 us and with 64 on two cores at 5 us a thread; threads that wait awake (OMP_WAIT_POLICY=active) at 1 us with two.
WAITS = {"asleep": lambda t: 0.0 if t == 1 else 6e-6 + 1e-6 * (t - 2), "awake": lambda t: 0.0 if t == 1 else 1e-6 * t ** 0.5}
THREADS = (1, 2, 8, 16, 32, 64)


def makespan(tasks, threads):
    """Seconds until the last task ends; tasks in order, each to the thread that is free first."""
    free = [0.0] * threads
    for seconds in tasks:
        heapq.heappush(free, heapq.heappop(free) + seconds)
    return max(free)


def slots_of(tiles, elements, tile_flops):
    """dps_slot_count."""
    slots = 1
    while (2 * slots <= 16384 and tiles // (2 * slots) >= (8 if slots < 256 else 64)
           and tile_flops * (tiles // (2 * slots)) >= 32 * elements):
        slots *= 2
    return slots


def map_pass(rows, width, threads, draw, wait):
    tiles = -(-rows // TILE)
    seconds = 2.0 * TILE * width * 50 * 3 / MAP  # 50 coordinates, degree 3
    return makespan([seconds * draw() for _ in range(tiles)], threads) + wait, rows * width * 4


def factor(width, threads, draw, wait):
    seconds = 0.0
    for first in range(0, width, BLOCK):
        left = max(0, width - first - BLOCK)
        side = -(-left // 48)
        alone = min(1.0, (width - first) / BLOCK)
        seconds += DIAGONAL * alone ** 2
        seconds += makespan([ROWS24 * draw() for _ in range(-(-left // 24))], threads)
        seconds += makespan([PART48 * draw() for _ in range(side * (side + 1) // 2)], threads) + 3 * wait
    return seconds


def sums(rows, width, threads, share, draw):
    """Gradient and Hessian: slots, or blocks of columns where threads outnumber them (dps_newton_prefers_blocks)."""
    tiles, packed = -(-rows // TILE), width * (width + 1) / 2
    slots = slots_of(tiles, packed + width, TILE * width * width)
    sizes = [(s + 1) * tiles // slots - s * tiles // slots for s in range(slots)]
    products = share * TILE * width * (width + 1) / PRODUCTS + share * TILE * width * 4 / GATHER
    gradient = TILE * width * 4 / PASS
    rounds = -(-slots // threads)
    if threads == 1 or 10 * slots >= 9 * rounds * threads:
        return makespan([size * (products + gradient) * draw() + 2 * packed * 8 / PASS for size in sizes], threads)
    for edge in (192, 144, 96, 48):
        side = -(-width // edge)
        if slots * side * (side + 1) // 2 >= 3 * threads:
            break
    whole = products * (1 + GATHERED / edge) * edge * edge / packed
    tasks = [size * whole * draw() for size in sizes for _ in range(side * (side - 1) // 2)]
    tasks += [size * whole / 2 * draw() for size in sizes for _ in range(side)]
    tasks += [size * gradient / side * 2 * draw() for size in sizes for _ in range(side)]
    return makespan(tasks, threads) + slots * packed * 8 / PASS / threads


def newton_step(rows, width, threads, draw, wait, share=0.5, loss=HINGE):
    """A step that makes the Hessian anew from a share of the rows: sums, factor, scores, line search."""
    tiles = -(-rows // TILE)
    slots = slots_of(tiles, 3, 20 * TILE)
    workers = max(1, min(threads, slots, int(tiles * TILE * (20 if loss == HINGE else 100) / 262144)))
    line = 2.5 * rows * loss / workers + 1e-9 * rows
    scores = makespan([TILE * width * 4 / PASS * draw() for _ in range(tiles)], threads)
    packed = width * (width + 1) / 2
    alone = 2 * packed * 8 / SOLVE + packed * 8 / PASS / threads  # the systems, and the matrix put together
    return (sums(rows, width, threads, share, draw) + factor(width, threads, draw, wait) + scores + line + alone
            + 9 * wait, 2 * rows * width * 4)


def play(stage, rows, width, threads, wait, **more):
    noise = random.Random(1)
    return stage(rows, width, threads, lambda: 1 + 0.05 * noise.random(), WAITS[wait](threads), **more)


def measured(program):
    """Seconds of the Newton step of `dpsvm bench scale` with one and two threads: the least of three tables."""
    least = {}
    for _ in range(3):
        table = subprocess.run([program, "bench", "scale", "-q", "--run.threads=2"], check=True, capture_output=True,
                               text=True).stdout
        for line in table.splitlines():
            cells = [cell.strip() for cell in line.split("|")]
            if cells[1] == "newton step":
                least[int(cells[2])] = min(least.get(int(cells[2]), 1e9), float(cells[3]))
    return least


def compare(program):
    found = measured(program)
    rows = []
    for threads in (1, 2):
        guess = play(newton_step, 20000, 512, threads, "asleep", share=1.0, loss=LOGISTIC)[0]
        rows.append([threads, f"{1e3 * guess:.1f}", f"{1e3 * found[threads]:.1f}", f"{100 * (guess / found[threads] - 1):+.0f} %"])
    common.write_table("tile_queue_check", ["threads", "played ms", "measured ms", "played to measured"], rows)


def main():
    parser = arguments(__doc__.split("\n")[0])
    parser.parse_args()
    os.makedirs(common.OUT, exist_ok=True)
    if os.environ.get("DPSVM"):
        compare(os.environ["DPSVM"])
    table = []
    cases = [("map", "asleep", map_pass), ("newton step", "asleep", newton_step), ("newton step", "awake", newton_step)]
    for name, wait, stage in cases:
        for width in (512, 1024):
            for rows in (20000, 100000, 1000000):
                times = {threads: play(stage, rows, width, threads, wait) for threads in THREADS}
                one = times[1][0]
                table.append([name, wait, rows, width, *[f"{one / times[t][0]:.1f}" for t in THREADS[1:]],
                              f"{times[64][1] / times[64][0] / 1e9:.0f}"])
    common.write_table("tile_queue", ["stage", "threads wait", "rows", "D'", *[f"{t} threads" for t in THREADS[1:]],
                                      "GB/s at 64"], table)
    common.plot("tile_queue", "set ylabel 'times faster than one thread'\nset key outside\n"
                "set style data histogram\nset style fill solid\nset xtics rotate by 45 right\n"
                "plot for [k=5:9] 'tile_queue.csv' using "
                "k:xtic(sprintf('%s, %s, %s x %s', strcol(1), strcol(2), strcol(3), strcol(4))) title columnheader(k)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
