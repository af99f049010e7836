#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""The pages that Sphinx makes the site of.

usage: sources.py DIRECTORY KERNEL [BENCH.JSON]

Links those of Documentation/trace/ltt into the new or empty DIRECTORY, and makes two more, which
their index gets: of Documentation/ABI, with a script of KERNEL's, and of BENCH.JSON, which is what
`make bench` writes, with plots.
"""
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path[:0] = [os.path.join(HERE, "../bench"), os.path.join(HERE, "../../../ltt/man")]
import bench_report                 # noqa: E402
import pages                        # noqa: E402


def titled(title, text):
    """A page"""
    ruler = "=" * len(title)
    return f"{ruler}\n{title}\n{ruler}\n\n{text}\n"


def abi(kernel):
    """The files of debugfs, as the kernel's documentation has them."""
    done = subprocess.run([kernel + "/scripts/get_abi.pl", "rest", "--rst-source", "--dir",
                           pages.TOP + "/Documentation/ABI/testing"],
                          stdout=subprocess.PIPE, text=True, check=True)
    # The kernel's pages are in a directory of Documentation.
    return titled("Files in debugfs", done.stdout.replace(":doc:`/trace/ltt/", ":doc:`/"))


def plot(directory, name, picture, what):
    """A figure with a title of its own."""
    with open(f"{directory}/{name}.svg", "w", encoding="utf-8") as out:
        out.write(picture)
    return f".. figure:: {name}.svg\n   :alt: {what}\n\n   {what}\n\n"


def figures(directory, path):
    """Of `make bench`"""
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    peers = [figure for figure in report["figures"] if "peer" in figure]
    text = (f"Version {report['version']}, {report['date']}, {report['machine']}. Instructions are "
            "repeatable; of times take the ratios. :doc:`testing` explains them.\n\n")
    if peers:
        text += plot(directory, "peers", bench_report.bars(peers), "LTT beside others")
    for name, points in bench_report.curves(report["figures"]).items():
        text += plot(directory, name, bench_report.curve(points), name)
    text += ".. list-table::\n   :header-rows: 1\n\n"
    rows = [("figure", "LTT", "unit", "peer", "its value")]
    for figure in report["figures"]:
        peer = (figure["peer"], bench_report.number(figure["peer_value"])) if "peer" in figure else ("", "")
        rows.append((figure["name"], bench_report.number(figure["value"]), figure["unit"], *peer))
    for row in rows:
        cells = (f"``{cell}``" if i == 0 and row != rows[0] else cell for i, cell in enumerate(row))
        text += "".join(f"   {'-' if i else '* -'} {cell}\n".replace("   - ", "     - ")
                        for i, cell in enumerate(cells))
    return titled("Figures", text)


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__.split("\n\n")[1])
    directory = sys.argv[1]
    pages.write(directory)
    made = {"abi": abi(sys.argv[2])}
    if len(sys.argv) > 3:
        made["figures"] = figures(directory, sys.argv[3])
    index = pages.read("Documentation/trace/ltt/index.rst")
    for name, before in (("abi", "binary"), ("figures", "models")):
        if f"\n   {before}\n" not in index:
            sys.exit(f"sources.py: {before} is not in the lists of index.rst")
        if name in made:
            index = index.replace(f"   {before}\n", f"   {name}\n   {before}\n")
    made["index"] = index
    for name, text in made.items():
        path = f"{directory}/{name}.rst"
        if os.path.lexists(path):
            os.unlink(path)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)


if __name__ == "__main__":
    main()
