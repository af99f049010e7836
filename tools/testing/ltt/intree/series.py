#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Patches that add LTT to a kernel, one for each layer.

usage: series.py LINUX DIRECTORY [BENCH.JSON]

LINUX is a kernel's source without LTT; it stays as it is. DIRECTORY, which must not have patches yet,
gets what git format-patch writes, with a cover letter that has the figures of `make bench`. What
the patches are is said in series.txt.
"""

import fnmatch
import glob
import json
import os
import subprocess
import sys
import tempfile

import tree

HERE = os.path.dirname(os.path.realpath(__file__))
COVER = """\
LTT records typed events in lockless per-CPU buffers. The kernel merges them by
time and renders them through their format strings, so that cat, grep and awk on
one file of debugfs show a live, totally ordered trace. The same trace can be
captured in binary (CTF) at the same time.

Nothing of an event is formatted when it is recorded, and the write path takes
no lock, allocates nothing, and wakes nobody. Filters decide on the arguments
before anything is reserved. Documentation/trace/ltt/ has the rest.
"""


class Patch:
    """One of the series: its subject, patterns and reason."""

    def __init__(self, text):
        head, _, why = text.partition("\n\n")
        self.subject, *self.patterns = head.splitlines()
        self.why = why.strip()

    def has(self, path):
        """Is a path in this patch?"""
        return any(fnmatch.fnmatch(path, pattern) for pattern in self.patterns)


def patches():
    """Those of series.txt"""
    text = tree.read(os.path.join(HERE, "series.txt"))
    return [Patch(part) for part in ("\n" + text).split("\n= ")[1:]]


def git(directory, *arguments):
    """As nobody in particular, whatever the user's configuration says."""
    name = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER")
            for what, value in (("NAME", "LTT developers"),
                                ("EMAIL", "linux-trace-kernel@vger.kernel.org"))}
    env = {**os.environ, **name, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"}
    return subprocess.run(["git", "-C", directory, *arguments], env=env, check=True, text=True,
                          stdout=subprocess.PIPE).stdout


def put(directory, path, text):
    """Write a file; text may be bytes."""
    path = os.path.join(directory, path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(text if isinstance(text, bytes) else text.encode())


def commit(repository, message):
    """All that there is."""
    git(repository, "add", "-Af", ".")
    git(repository, "commit", "-qs", "-m", message)


def make(linux, repository):
    """A commit for each patch"""
    git(repository, "init", "-q")
    changed = tree.edited(linux)
    for path in changed:
        put(repository, path, tree.read(os.path.join(linux, path)))
    commit(repository, "kernel")
    left = {path: open(here, "rb").read() for path, here in tree.sources().items()}
    for path in left:
        if os.path.lexists(os.path.join(linux, path)):
            raise tree.Refused(f"{path} exists already in {linux}")
    left.update(changed)
    makefile = "kernel/trace/Makefile"
    for patch in patches():
        mine = [path for path in left if patch.has(path)]
        if not mine:
            raise tree.Refused(f"nothing is in the patch '{patch.subject}'")
        for path in mine:
            put(repository, path, left.pop(path))
            if path not in changed and os.access(os.path.join(tree.TOP, path), os.X_OK):
                os.chmod(os.path.join(repository, path), 0o755)
        # Each step builds what there is.
        there = [name for name in tree.BUILT if os.path.exists(
            os.path.join(repository, os.path.dirname(makefile), name, "Makefile"))]
        if there:
            put(repository, makefile, tree.built(*there)(tree.read(os.path.join(linux, makefile))))
        commit(repository, f"{patch.subject}\n\n{patch.why}")
    if left:
        raise tree.Refused(f"in no patch: {' '.join(sorted(left))}")


def figures(path):
    """Of `make bench`, as a table"""
    try:
        report = json.loads(tree.read(path))
    except ValueError as error:
        raise tree.Refused(f"{path}: {error}") from error
    rows = [("", "LTT", "", "beside it")]
    for figure in report["figures"]:
        peer = f"{figure['peer_value']:g} {figure['peer']}" if "peer" in figure else ""
        rows.append((figure["name"], f"{figure['value']:g}", figure["unit"], peer))
    name, value, unit = (max(len(row[i]) for row in rows) for i in range(3))
    table = "".join(f"{row[0]:{name}} {row[1]:>{value}} {row[2]:{unit}} {row[3]}".rstrip() + "\n"
                    for row in rows)
    return f"\nMeasured on {report['machine']}, {report['date']}:\n\n{table}"


def write(repository, directory, bench):
    """The patches, with their cover letter"""
    blurb = COVER + (figures(bench) if bench else "")
    os.makedirs(directory, exist_ok=True)
    if glob.glob(os.path.join(glob.escape(directory), "*.patch")):
        raise tree.Refused(f"{directory} has patches already")
    root = git(repository, "rev-list", "--max-parents=0", "HEAD").strip()
    git(repository, "format-patch", "-q", "--cover-letter", "-o", os.path.abspath(directory), root)
    cover = os.path.join(directory, "0000-cover-letter.patch")
    text = tree.read(cover).replace("*** SUBJECT HERE ***", "LTT: live, ordered text traces")
    with open(cover, "w", encoding="utf-8") as file:
        file.write(text.replace("*** BLURB HERE ***\n", blurb))


def main():
    if len(sys.argv) not in (3, 4):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    try:
        with tempfile.TemporaryDirectory() as repository:
            make(sys.argv[1], repository)
            write(repository, sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else None)
    except (OSError, tree.Refused, subprocess.CalledProcessError) as error:
        print(f"series.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
