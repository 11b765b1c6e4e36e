#!/usr/bin/env python3
"""newton over 1 to 1,024 nodes: messages and seconds of a step by a model from measured rates: build/bench/ranks_model.md.

    ./dev.sh bench ranks           a calculation, after ranks.py

A rank is a node of 32 cores. Rates of a core as in tile_queue.py (of OpenBLAS, before own kernels); the network is assumed, since there is none here: 2 us
and 10 GB/s a message (Open MPI between two processes of one machine: 0.4 us, 0.7 to 1.7 GB/s). What the program sends in a
step of one model, by what its source does (util/ordered_sum.c, solver/newton*.c):

    Hessian and gradient   E = 8 (D'^2 / 2 + D') bytes up a tree of log2 R levels, each an addition, and E down to all
    small sums             of 24 bytes, up and down: the counts of rows, the objective, each trial of the line search
    agreements, direction  8 D' bytes and a few
"""
import math
import os
import sys

import speed_common as common
from bench_common import arguments

CORES = 32
SYRK, CHOLESKY, CORE_MEMORY, NODE_MEMORY = 85e9, 25e9, 10e9, 150e9  # flop/s, bytes/s
LATENCY, WIRE = 2e-6, 10e9
TILE = 384
TRIALS, OTHERS = 4, 12  # of the line search; other small collectives of a step
CHANGED = 0.25  # rows whose Hessian terms are made in a step, on average


def units(rows):
    """dps_slot_count: threads of all ranks beyond that have no rows."""
    tiles, count = -(-rows // TILE), 1
    while 2 * count <= 16384 and tiles // (2 * count) >= (8 if count < 256 else 64):
        count *= 2
    return count


def step(rows, width, nodes):
    """Seconds: at work on rows, factor, sending and adding Hessians, small messages."""
    ranks = min(nodes, units(rows))
    slots_here = max(1, units(rows) // ranks)
    threads = min(CORES, slots_here)
    own = rows / ranks
    levels = math.log2(nodes)
    bytes_sum = 8 * (width * (width + 1) / 2 + width)
    work = own * CHANGED * width * width / (SYRK * threads) + 3 * own * width * 4 / min(
        NODE_MEMORY, CORE_MEMORY * CORES)
    factor = width ** 3 / 3 / CHOLESKY
    hessian = levels * (2 * bytes_sum / WIRE + bytes_sum / CORE_MEMORY)
    small = (OTHERS + 3 * (TRIALS + 1)) * 2 * levels * LATENCY
    return work, factor, hessian, small


def main():
    arguments(__doc__.split("\n")[0]).parse_args()
    os.makedirs(common.OUT, exist_ok=True)
    table = []
    for rows, width in ((10 ** 6, 512), (10 ** 7, 512), (10 ** 7, 2048), (10 ** 8, 512), (10 ** 8, 2048), (10 ** 9, 2048)):
        alone = sum(step(rows, width, 1))
        for nodes in (1, 4, 16, 64, 256, 1024):
            parts = step(rows, width, nodes)
            table.append([f"{rows:.0e}", width, nodes, *[f"{1e3 * part:.3g}" for part in parts],
                          f"{1e3 * sum(parts):.3g}", f"{alone / sum(parts):.1f}"])
    common.write_table("ranks_model", ["rows", "D'", "nodes", "rows' work ms", "factor ms", "Hessians sent ms",
                                       "small messages ms", "step ms", "speed-up"], table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
