#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The man pages: which there are, and what of the documentation is in them.

usage: pages.py DIRECTORY

Links the pages of Documentation/trace/ltt into DIRECTORY, and writes one there for each command
that has only a part of a page; Sphinx makes man pages of them.
       pages.py --aliases DIRECTORY
Writes the man pages that only refer to another one, for commands that share a page.
       pages.py --names
Prints the names of all man pages.
"""
import collections
import os
import re
import sys

TOP = os.path.realpath(os.path.join(os.path.dirname(os.path.realpath(__file__)), "../../.."))
SOURCES = TOP + "/Documentation/trace/ltt"


def read(name):
    with open(os.path.join(TOP, name), encoding="utf-8") as f:
        return f.read()


VERSION = re.search(r'LTT_VERSION\s+"(.*)"', read("include/linux/ltt/version.h"))[1]
# What each command is for, as `ltt --help` has it.
COMMANDS = dict(re.findall(r'\{ "(\w+)",\s*ltt_cmd_\w+,\s*"(.*)" \}', read("tools/ltt/cmd/main.c")))

# document: its file without .rst. Unless there are no parts, that is made of these: sections of
# ltt.rst, after a whole page if there is one.
Page = collections.namedtuple("Page", "name section document what parts whole", defaults=((), ""))

NEW = "Options of a new trace"
MANY = "ltt create, start, stop, destroy"


def command(name, *parts, whole=""):
    return Page("ltt-" + name, 1, "ltt-" + name, COMMANDS[name], [*parts, "Environment"], whole)


def of_document(name, section, document, what):
    return Page(name, section, document, what)


PAGES = [
    of_document("ltt", 1, "ltt", "trace the kernel"),
    command("record", "ltt record", NEW, "What is in the directory"),
    command("text", "ltt text", NEW),
    command("list", "ltt list"),
    command("status", "ltt status"),
    command("plan", "ltt plan", NEW),
    command("create", MANY, NEW),
    command("repair", "ltt repair"),
    of_document("ltt-view", 1, "view", COMMANDS["view"]),
    command("pair", NEW, whole="pair"),
    command("flight", NEW, whole="flight"),
    of_document("ltt-plot", 1, "plot", COMMANDS["plot"]),
    of_document("ltt-export", 1, "export", COMMANDS["export"]),
    of_document("ltt-names", 1, "names", COMMANDS["names"]),
    of_document("ltt-serve", 1, "serve", COMMANDS["serve"]),
    of_document("ltt-crash", 1, "persist", COMMANDS["crash"]),
    of_document("ltt-dumps", 7, "crash", "what LTT shows of a kernel that has crashed"),
    of_document("ltt-relay", 7, "relay", "send captures of LTT to lttng-relayd"),
    of_document("ltt-lines", 5, "text", "the text that LTT shows of events"),
    of_document("ltt-ctf", 5, "ctf", "the traces that LTT records"),
    of_document("ltt-filters", 7, "filters", "expressions that choose events of LTT"),
    of_document("ltt-triggers", 7, "triggers", "what traces of LTT do at an event"),
    of_document("ltt-contexts", 7, "contexts", "values recorded with every event of LTT"),
    of_document("ltt-markers", 7, "markers", "instrument kernel code for LTT"),
    of_document("ltt-kprobes", 7, "kprobes", "define markers of LTT at run time"),
    of_document("ltt-first-marker", 7, "first-marker", "instrument a module for LTT in a minute"),
]
# Commands that have no page of their own, and whose they share.
ALIASES = {"ltt-" + name: "ltt-create" for name in ("start", "stop", "destroy")}


def sections(text):
    """Sections by their titles."""
    pieces = re.split(r"^(\S.*)\n=+\n", text, flags=re.M)
    return dict(zip(pieces[1::2], pieces[2::2]))


def heading(title):
    return f"{title}\n{'=' * len(title)}\n\n"


def begin(page, first):
    """The page of a command whose first section says, before anything else, how it is called."""
    synopsis, description = re.match(r"\s*(::\n\n(?:\t[^\n]*\n)+)(.*)", first, flags=re.S).groups()
    return ("=" * len(page.name) + "\n" + heading(page.name) + heading("Synopsis") + synopsis +
            "\n" + heading("Description") + description.lstrip("\n"))


def compose(page, ltt):
    """The whole text, of whatever it is to be made."""
    parts = list(page.parts)
    if page.whole:
        text = read(f"Documentation/trace/ltt/{page.whole}.rst")
    else:
        text = begin(page, ltt[parts.pop(0)])
    for part in parts:
        text += "\n" + heading(part) + ltt[part].lstrip("\n")
    return ":orphan:\n\n" + text


def write(directory):
    os.makedirs(directory, exist_ok=True)
    for name in os.listdir(directory):
        os.unlink(os.path.join(directory, name))
    for name in os.listdir(SOURCES):
        if name.endswith(".rst"):
            os.symlink(os.path.join(SOURCES, name), os.path.join(directory, name))
    ltt = sections(read("Documentation/trace/ltt/ltt.rst"))
    for page in PAGES:
        if page.parts:
            with open(f"{directory}/{page.document}.rst", "w", encoding="utf-8") as f:
                f.write(compose(page, ltt))


def write_aliases(directory):
    for name, whose in ALIASES.items():
        with open(f"{directory}/{name}.1", "w", encoding="utf-8") as f:
            f.write(f".so man1/{whose}.1\n")


def print_names():
    for page in PAGES:
        print(f"{page.name}.{page.section}")
    for name in ALIASES:
        print(name + ".1")


if __name__ == "__main__":
    if sys.argv[1] == "--aliases":
        write_aliases(sys.argv[2])
    elif sys.argv[1] == "--names":
        print_names()
    else:
        write(sys.argv[1])
