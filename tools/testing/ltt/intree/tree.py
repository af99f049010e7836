#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Lay LTT over a kernel's source.

usage: tree.py LINUX

Copies what belongs into a kernel's tree, and adds the lines to the kernel's own files that LTT
needs. Again for a newer LTT: what is gone here goes there, too. The file .ltt-tree in LINUX lists
what was copied, with checksums. A file that somebody else has made or changed stops it before
anything is changed.
"""

import hashlib
import os
import re
import shutil
import subprocess
import sys

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../../.."))
MANIFEST = ".ltt-tree"

# What is copied; tools/testing/ltt, which builds and boots kernels, is not.
DIRECTORIES = ["Documentation", "include", "kernel", "samples", "tools/ltt",
               "tools/testing/selftests/ltt"]
# Has the ltt command in it, which a kernel's build does not make.
LEFT_OUT = "kernel/trace/ltt-tool/"
RENAMED = {"Kconfig": "kernel/trace/Kconfig.ltt"}

BUILT = ["ltt-core/", "textout/", "ltt-events/"]

MAINTAINERS = """\
LTT TRACER
M:	LTT developers <linux-trace-kernel@vger.kernel.org>
L:	linux-trace-kernel@vger.kernel.org
S:	Maintained
F:	Documentation/ABI/testing/debugfs-ltt
F:	Documentation/trace/ltt/
F:	include/linux/ltt/
F:	include/uapi/linux/ltt.h
F:	kernel/trace/Kconfig.ltt
F:	kernel/trace/ltt-core/
F:	kernel/trace/ltt-events/
F:	kernel/trace/textout/
F:	samples/ltt/
F:	tools/ltt/
F:	tools/testing/selftests/ltt/
"""


class Refused(Exception):
    """Why nothing is done."""


def appended(lines):
    """At the end of the file."""
    def edit(text):
        return text if lines in text else text.rstrip("\n") + "\n\n" + lines
    return edit


def built(*directories):
    """By the kernel's makefile, if they are there."""
    return appended(f"obj-$(CONFIG_LTT) += {' '.join(directories)}\n")


def target(text):
    """Of kselftest, in the order of the alphabet."""
    line = "TARGETS += ltt\n"
    if line in text:
        return text
    before = [m for m in re.finditer(r"^TARGETS \+?= (\S+)\n", text, re.M) if m[1] < "ltt"]
    if not before:
        raise Refused("no list of TARGETS")
    return text[:before[-1].end()] + line + text[before[-1].end():]


def index(text):
    """Beside ftrace's page."""
    line = "   ltt/index\n"
    if line in text:
        return text
    found = re.search(r"^   ftrace\n(   \S+\n)*", text, re.M)
    if not found:
        raise Refused("no page of ftrace's")
    return text[:found.end()] + line + text[found.end():]


def ioctl_number(text):
    """A row of the table."""
    row = "0xF7  80-83  linux/ltt.h"
    if row in text:
        return text
    ruler = re.search(r"^====  =====  (=+) =+$", text, re.M)
    after = [m for m in re.finditer(r"^0x([0-9A-F]{2})  .*\n(?: .*\n)*", text, re.M)
             if int(m[1], 16) <= 0xF7]
    if not ruler or not after:
        raise Refused("no table of numbers")
    row = row.ljust(len("====  =====  ") + len(ruler[1]) + 1) + "LTT, files of a stream\n"
    return text[:after[-1].end()] + row + text[after[-1].end():]


def maintainers(text):
    """An entry among those of the alphabet."""
    if MAINTAINERS in text:
        return text
    text = re.sub(r"^LTT TRACER\n(?:.+\n)*\n?", "", text, flags=re.M)
    entries = list(re.finditer(r"(?<=\n\n)([A-Z0-9].*)\n(?=[A-Z]:\t)", text))
    # Not all are where they belong.
    before = [i for i, found in enumerate(entries[:-1])
              if found[1].startswith("L") and found[1].upper() < "LTT TRACER"]
    if before:
        at = entries[before[-1] + 1].start()
        return text[:at] + MAINTAINERS + "\n" + text[at:]
    raise Refused("no entries")


EDITS = {
    "kernel/trace/Kconfig": appended('source "kernel/trace/Kconfig.ltt"\n'),
    "kernel/trace/Makefile": built(*BUILT),
    "samples/Makefile": appended("obj-$(CONFIG_LTT_SAMPLES) += ltt/\n"),
    "tools/testing/selftests/Makefile": target,
    "Documentation/trace/index.rst": index,
    "Documentation/userspace-api/ioctl/ioctl-number.rst": ioctl_number,
    "MAINTAINERS": maintainers,
}


def read(path):
    """A file, as text."""
    with open(path, encoding="utf-8") as file:
        return file.read()


def checksum(path):
    """Of a file's contents."""
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def ours():
    """Paths of what is in DIRECTORIES; of a checkout, what git knows."""
    if os.path.exists(os.path.join(TOP, ".git")):
        listed = subprocess.run(["git", "-C", TOP, "ls-files", "-z", "--", *DIRECTORIES],
                                stdout=subprocess.PIPE, check=True, text=True).stdout
        yield from (path for path in listed.split("\0") if os.path.isfile(os.path.join(TOP, path)))
        return
    for directory in DIRECTORIES:
        for path, dirs, names in os.walk(os.path.join(TOP, directory)):
            dirs[:] = [name for name in dirs if name != "__pycache__"]
            yield from (os.path.relpath(os.path.join(path, name), TOP) for name in names)


def sources():
    """What is copied: {path there: path here}"""
    found = {there: os.path.join(TOP, here) for here, there in RENAMED.items()}
    found.update((path, os.path.join(TOP, path)) for path in ours()
                 if not path.startswith(LEFT_OUT))
    return found


def copied_before(linux):
    """{path: checksums} of the manifest; there are two if we were interrupted"""
    before = {}
    try:
        for line in read(os.path.join(linux, MANIFEST)).splitlines():
            digest, path = line.split("  ", 1)
            before.setdefault(path, set()).add(digest)
    except FileNotFoundError:
        pass
    return before


def write_manifest(linux, *lists):
    """Of several {path: checksums}"""
    lines = {f"{digest}  {path}\n" for one in lists for path in one for digest in one[path]}
    with open(os.path.join(linux, MANIFEST), "w", encoding="utf-8") as file:
        file.writelines(sorted(lines, key=lambda line: line.split("  ", 1)[1]))


def check(linux, files, before):
    """Is all that would be replaced or removed ours?"""
    for path in sorted(set(files) | set(before)):
        there = os.path.join(linux, path)
        if not os.path.lexists(there):
            continue
        if os.path.islink(there) or not os.path.isfile(there):
            raise Refused(f"{path} is not a file")
        if path not in before:
            raise Refused(f"{path} exists already, and is not ours")
        if checksum(there) not in before[path]:
            raise Refused(f"{path} has been changed since it was copied")


def edited(linux):
    """{path: new text} of the kernel's own files that change"""
    changed = {}
    for path, edit in EDITS.items():
        try:
            text = read(os.path.join(linux, path))
            new = edit(text)
        except (OSError, Refused) as error:
            raise Refused(f"{path}: {getattr(error, 'strerror', None) or error}") from error
        if new != text:
            changed[path] = new
    return changed


def replace(path, text):
    """The file is never half there."""
    with open(path + ".ltt-new", "w", encoding="utf-8") as file:
        file.write(text)
    shutil.copymode(path, path + ".ltt-new")
    os.replace(path + ".ltt-new", path)


def lay(linux):
    """Do it; returns the numbers of files copied, removed and edited."""
    if not re.search(r"^PATCHLEVEL = \d+$", read(os.path.join(linux, "Makefile")), re.M):
        raise Refused(f"{linux} is not a kernel's source")
    files = sources()
    before = copied_before(linux)
    check(linux, files, before)
    changed = edited(linux)
    gone = sorted(set(before) - set(files))
    listed = {path: {checksum(here)} for path, here in files.items()}
    # Should this be interrupted, what is old and what is new is both ours.
    write_manifest(linux, before, listed)
    for path in gone:
        if os.path.exists(os.path.join(linux, path)):
            os.unlink(os.path.join(linux, path))
    for path, here in files.items():
        there = os.path.join(linux, path)
        os.makedirs(os.path.dirname(there), exist_ok=True)
        # What has not changed is not built again.
        if not os.path.exists(there) or before.get(path) != listed[path]:
            shutil.copy(here, there + ".ltt-new")
            os.replace(there + ".ltt-new", there)
    write_manifest(linux, listed)
    for path, text in changed.items():
        replace(os.path.join(linux, path), text)
    return len(files), len(gone), len(changed)


def main():
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__.split("\n\n")[1], file=sys.stderr)
        return 2
    try:
        copied, gone, changed = lay(sys.argv[1])
    except (OSError, Refused) as error:
        print(f"tree.py: {error}", file=sys.stderr)
        return 1
    print(f"{copied} files of LTT, {gone} removed, {changed} of the kernel's own changed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
