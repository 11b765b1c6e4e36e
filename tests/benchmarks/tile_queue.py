#!/usr/bin/env python3
"""How the parallel stages scale to 32 and 64 threads, by playing their queues: build/bench/tile_queue.md, .csv, .svg.

    ./dev.sh bench queue

The program deals tiles of 384 rows (map, scores) and slots of tiles (sums over rows, util/ordered_sum.c) to threads, the
next one to whoever is free. Here the same queues are played with the seconds that one tile takes at the rates below,
which `dpsvm bench` measured with one thread (of OpenBLAS, before own kernels), each tile drawn up to 10 % longer; what is not parallel is added: the merging of slots,
and the Cholesky factor. What the play leaves out is that threads share memory: the bytes that a stage moves are printed
as the GB/s that all threads together would need.
"""
import heapq
import os
import random
import sys

import speed_common as common
from bench_common import arguments

TILE = 384
MAP, SYRK, CHOLESKY, MEMORY = 200e9, 85e9, 25e9, 10e9  # flop/s of a core; bytes/s of a core
THREADS = (1, 2, 8, 32, 64)


def makespan(tasks, threads):
    """Seconds until the last task ends; tasks in order, each to the thread that is free first."""
    free = [0.0] * threads
    for seconds in tasks:
        heapq.heappush(free, heapq.heappop(free) + seconds)
    return max(free)


def slots_of(tiles, elements, tile_flops):
    """dps_slot_count."""
    slots = 1
    while 2 * slots <= 256 and tiles // (2 * slots) >= 8 and tile_flops * (tiles // (2 * slots)) >= 32 * elements:
        slots *= 2
    return slots


def map_pass(rows, width, threads, draw):
    tiles = -(-rows // TILE)
    seconds = 2.0 * TILE * width * 50 * 3 / MAP  # 50 coordinates, degree 3
    return makespan([seconds * draw() for _ in range(tiles)], threads), rows * width * 4


def newton_step(rows, width, threads, draw):
    """A step that makes the Hessian anew from half of the rows: sum, scores, factor."""
    tiles, packed = -(-rows // TILE), width * (width + 1) / 2
    slots = slots_of(tiles, packed, TILE * width * width)
    syrk = TILE / 2 * width * (width + 1) / SYRK + TILE * width * 4 / MEMORY
    sizes = [(s + 1) * tiles // slots - s * tiles // slots for s in range(slots)]
    merge = 2 * packed * 8 / MEMORY  # clearing and adding a slot
    sums = makespan([size * syrk * draw() + merge for size in sizes], threads)
    scores = makespan([TILE * width * 4 / MEMORY * draw() for _ in range(tiles)], threads)
    return sums + scores + width ** 3 / 3 / CHOLESKY, 2 * rows * width * 4


def main():
    parser = arguments(__doc__.split("\n")[0])
    parser.parse_args()
    os.makedirs(common.OUT, exist_ok=True)
    table = []
    for name, stage in (("map", map_pass), ("newton step", newton_step)):
        for width in (512, 1024):
            for rows in (20000, 100000, 1000000):
                noise = random.Random(1)
                times = {threads: stage(rows, width, threads, lambda: 1 + 0.1 * noise.random()) for threads in THREADS}
                one = times[1][0]
                table.append([name, rows, width, *[f"{one / times[t][0]:.1f}" for t in THREADS[1:]],
                              f"{times[64][1] / times[64][0] / 1e9:.0f}"])
    common.write_table("tile_queue", ["stage", "rows", "D'", *[f"{t} threads" for t in THREADS[1:]],
                                      "GB/s at 64"], table)
    common.plot("tile_queue", "set ylabel 'times faster than one thread'\nset key outside\n"
                "set style data histogram\nset style fill solid\nset xtics rotate by 45 right\n"
                "plot for [k=4:7] 'tile_queue.csv' using k:xtic(sprintf('%s, %s x %s', strcol(1), strcol(2), strcol(3))) "
                ""
                "title columnheader(k)")
    return 0


if __name__ == "__main__":
    sys.exit(main())
