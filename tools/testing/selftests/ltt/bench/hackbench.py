#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: hackbench.py RUNS NONE TRACER...

RUNS has a line "TRACER TIME SWITCHES" for each run. Prints of NONE, and then of each tracer:
"TRACER TIME OVERHEAD SWITCHES EQUAL": means, what its runs take longer than those of NONE in
percent, and how much that would be if all had switched as often as those of NONE. This is an analysis
of covariance with one slope for all: time = a(tracer) + b * switches, by least squares (R. A.
Fisher, Statistical Methods for Research Workers, 4th edition, 1932, section 49.1).

Runs that take more than half as long again as the median of their tracer's are left out, and
told: a timer of the emulator that was lost.
"""

import statistics
import sys


def without_outliers(runs, tracer):
    limit = statistics.median(time for time, _ in runs) * 1.5
    for time, switches in runs:
        if time > limit:
            print(f'left out: {tracer}, {time} us, {switches} switches')
    return [run for run in runs if run[0] <= limit]


def common_slope(groups):
    """How much longer a run takes with one switch more."""
    covariance = variance = 0
    for runs in groups.values():
        times, switches = (statistics.mean(column) for column in zip(*runs))
        covariance += sum((t - times) * (s - switches) for t, s in runs)
        variance += sum((s - switches) ** 2 for _, s in runs)
    return covariance / variance if variance else 0


def main():
    found = {}
    with open(sys.argv[1], encoding='ascii') as lines:
        for line in lines:
            tracer, time, switches = line.split()
            found.setdefault(tracer, []).append((int(time), int(switches)))
    groups = {tracer: without_outliers(found[tracer], tracer) for tracer in sys.argv[2:]}
    slope = common_slope(groups)
    print(f'slope: {slope:.3f} us a switch')
    none = None
    for tracer, runs in groups.items():
        time, switches = (statistics.mean(column) for column in zip(*runs))
        none = none or (time, switches)
        equal = time - slope * (switches - none[1])
        print(f'{tracer} {time:.0f} {(time / none[0] - 1) * 100:.2f} {switches:.0f} '
              f'{(equal / none[0] - 1) * 100:.2f}')


if __name__ == '__main__':
    main()
