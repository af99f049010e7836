#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Follow the metadata of a trace by poll() until the trace is destroyed.

usage: follow-metadata.py FILE

Standard output gets what is read, as it comes. The status is not 0 if poll() and
read() disagree about whether there is something to read.
"""

import os
import select
import sys

# Prime and small, so that declarations are cut anywhere.
CHUNK = 97


def drain(fd, out):
    """All that there is now; returns how many bytes."""
    done = 0
    while data := os.read(fd, CHUNK):
        done += len(data)
        out.write(data)
    out.flush()
    return done


def main():
    fd = os.open(sys.argv[1], os.O_RDONLY)
    out = sys.stdout.buffer
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    while True:
        events = poll.poll()[0][1]
        if events & ~(select.POLLIN | select.POLLHUP):
            return f"poll() returns {events:#x}"
        if bool(drain(fd, out)) != bool(events & select.POLLIN):
            return f"poll() returns {events:#x}, read() says otherwise"
        if events & select.POLLHUP:
            # Nothing can have come after the end.
            return f"{events:#x} after the end" if drain(fd, out) else 0


sys.exit(main())
