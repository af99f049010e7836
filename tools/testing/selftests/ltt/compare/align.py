# SPDX-License-Identifier: GPL-2.0
"""For comparisons of two tracers: events are pairs of a time in ns and a key."""

NEAR_NS = 1_000_000_000     # events further apart are not the same


def align(ltt, ftrace, alike):
    """
    Where ltt begins in ftrace, which started before it: the nearest place from which
    so many events are alike.
    """
    first = [key for _, key in ltt[:alike]]
    places = [i for i, (time, key) in enumerate(ftrace)
              if key == first[0] and abs(time - ltt[0][0]) < NEAR_NS and
              [k for _, k in ftrace[i:i + len(first)]] == first]
    return min(places, key=lambda i: abs(ftrace[i][0] - ltt[0][0]), default=None)
