# SPDX-License-Identifier: GPL-2.0
"""For tests of LTT's files in debugfs."""
import os


def read(path, most=None):
    """All that is there now, or the first MOST bytes and perhaps more. An OSError if it
    cannot be opened or read."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    data = b''
    try:
        while (most is None or len(data) < most) and (chunk := os.read(fd, 65536)):
            data += chunk
    except BlockingIOError:
        pass
    finally:
        os.close(fd)
    return data


def write(path, data):
    """In one write. Return: 0, or the errno; an OSError if it cannot be opened."""
    fd = os.open(path, os.O_WRONLY)
    try:
        os.write(fd, data)
        return 0
    except OSError as e:
        return e.errno
    finally:
        os.close(fd)


def log_above(path):
    """The error_log for requests to a file."""
    while True:
        path = os.path.dirname(path)
        if os.path.exists(path + '/error_log'):
            return path + '/error_log'


def logged(log):
    """Does an error_log hold an error?"""
    return any(not line.startswith(b'#') for line in read(log).splitlines())
