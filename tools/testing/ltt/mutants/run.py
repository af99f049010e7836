#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Do the selftests bite?

usage: run.py [NAME...]		all of table.py, or those of these names or tests
       run.py --sound		no mistake: do all the cases pass by themselves?
       run.py --table		none is made: can each one be, and is the documentation's table right?
       run.py --rst		the table for Documentation/trace/ltt/testing.rst

Makes one mistake after the other in a copy of the tree, builds that, and runs the
selftest that is about it in the virtual machine: the case that the table names must fail,
with no others than those that it needs. In the tree as it is they must pass, in just this
way: that is looked at last. A mistake that cannot be made any more, because the source has
changed, is a failure, too: adapt it. Prints KTAP.

The copy, MUTANTS=build/mutants, stays: only what a mistake has touched is built anew.
"""

import fcntl
import filecmp
import os
import re
import shutil
import subprocess
import sys

from table import MUTANTS

TOP = os.path.realpath(os.path.join(os.path.dirname(__file__), "../../../.."))
SCRATCH = os.environ.get("MUTANTS", os.path.join(TOP, "build/mutants"))
TREE = os.path.join(SCRATCH, "tree")
SELFTESTS = "tools/testing/selftests/ltt"
PAGE = "Documentation/trace/ltt/testing.rst"
NOT_BUILT = re.compile(r"\s*not ok \d+ (modules|user-mode-linux|tools|test-programs)$")


def files(top):
    """What belongs to the tree, relative to it."""
    for directory, names, found in os.walk(top):
        if directory == top:
            names[:] = [n for n in names if n not in ("build", ".git")]
        names[:] = [n for n in names if n != "__pycache__"]
        for name in found:
            yield os.path.relpath(os.path.join(directory, name), top)


def copy(path):
    """A file into the copy of the tree, if it is another there."""
    source, target = os.path.join(TOP, path), os.path.join(TREE, path)
    if os.path.isfile(target) and filecmp.cmp(source, target, shallow=False):
        return
    os.makedirs(os.path.dirname(target), exist_ok=True)
    # Not its time: make compares that with what a mistake was built into.
    shutil.copy(source, target)


def copy_tree():
    there = set(files(TOP))
    for path in there:
        copy(path)
    for path in set(files(TREE)) - there:
        os.remove(os.path.join(TREE, path))


def mutated(mutant):
    """The file with the mistake; None: it has changed."""
    with open(os.path.join(TOP, mutant.file), encoding="utf-8") as file:
        text = file.read()
    return text.replace(mutant.old, mutant.new) if text.count(mutant.old) == 1 else None


def mutate(mutant):
    """Make the mistake in the copy. Return: why not, or None."""
    text = mutated(mutant)
    if text is None:
        return f"{mutant.file} has changed, update the mutant"
    with open(os.path.join(TREE, mutant.file), "w", encoding="utf-8") as file:
        file.write(text)
    return None


def run(tests, mutants, where=TREE):
    """Run the cases of the mutants, without what else their tests have. Return: lines."""
    cases = {case for mutant in mutants for case in (mutant.case, *mutant.needs)}
    only = "|".join("^" + re.sub(r"([.^$*+?()\[\]{}|\\])", r"\\\1", case) + "$"
                    for case in sorted(cases))
    env = {**os.environ, "LTT_CASE": only}
    for mutant in mutants:
        env.update(mutant.env)
    ran = subprocess.run([os.path.join(where, "tools/testing/ltt/check.sh"), *tests],
                         cwd=where, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                         stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
    return ran.stdout.splitlines()


def has_result(lines, how, case):
    return any(re.fullmatch(rf"\s*{how} \d+ {re.escape(case)}", line) for line in lines)


def has_complaint(lines, test):
    """Did the guest's kernel complain? That fails a test, too."""
    return any(re.match(rf"\s*not ok \d+ {re.escape(test)} # kernel: ", line) for line in lines)


def judge(mutant, lines):
    """Why the mistake was not caught, or None."""
    if any(NOT_BUILT.match(line) for line in lines):
        return "does not build"
    if has_result(lines, "not ok", mutant.case) or has_complaint(lines, mutant.test):
        return None
    return "not found" if has_result(lines, "ok", mutant.case) else "the case did not run"


def attempt(mutant):
    """Return: why the mistake was not caught, or None."""
    trouble = mutate(mutant)
    if trouble:
        return trouble
    try:
        lines = run([mutant.test], [mutant])
    finally:
        copy(mutant.file)
    trouble = judge(mutant, lines)
    shown = lines[-60:] if trouble else [line for line in lines if "FAIL: " in line][:3]
    for line in shown:
        print("#   " + line.lstrip("# "))
    return trouble


def sound():
    """Do the cases pass where no mistake was made? Return: why not, or None."""
    bad = []
    for debug in ("", "1"):
        mutants = [m for m in MUTANTS if m.env.get("DEBUG", "") == debug]
        lines = run(sorted({m.test for m in mutants}), mutants, TOP)
        wrong = sorted({f"{m.test}: {m.case}" for m in mutants
                        if not has_result(lines, "ok", m.case) or
                        has_result(lines, "not ok", m.case) or
                        has_complaint(lines, m.test)})
        bad += wrong
        for line in lines if wrong else []:
            print("#   " + line.lstrip("# "))
    return "fails even without a mutant: " + ", ".join(bad) if bad else None


def listed_tests():
    """Those of the selftests' makefile."""
    script = "include Makefile\nltt-list: ; @echo $(TEST_PROGS) $(TEST_PROGS_EXTENDED)\n"
    return subprocess.run(["make", "-s", "--no-print-directory", "-C",
                           os.path.join(TOP, SELFTESTS), "-f", "-", "ltt-list"],
                          input=script, stdout=subprocess.PIPE, text=True,
                          check=True).stdout.split()


def rst():
    """The table of the documentation."""
    rows = sorted((m.test, m.name, m.case) for m in MUTANTS)
    return "".join(f"   * - {'``' + test + '``'}\n     - {name}\n     - {case}\n"
                   for test, name, case in rows)


def without():
    """Which tests have no mistakes, or None."""
    names = set(listed_tests()) - {m.test for m in MUTANTS}
    return f"no mutants for {' '.join(sorted(names))}" if names else None


def table_trouble():
    """What is wrong with the table itself, or None."""
    stale = [f"{m.file} ({m.test}: {m.name})" for m in MUTANTS if mutated(m) is None]
    if stale:
        return f"changed, update the mutants: {', '.join(stale)}"
    with open(os.path.join(TOP, PAGE), encoding="utf-8") as page:
        if rst() not in page.read():
            return f"{PAGE} is out of date, see run.py --rst"
    return None


def result(number, what, trouble):
    if trouble:
        print("# " + trouble)
    print(f"{'not ok' if trouble else 'ok'} {number} {what}", flush=True)
    return bool(trouble)


def main():
    names = sys.argv[1:]
    if names == ["--rst"]:
        print(rst(), end="")
        return 0
    if names == ["--table"]:
        print("KTAP version 1\n1..1", flush=True)
        return result(1, "the mistakes can be made", table_trouble())
    if names == ["--sound"]:
        print("KTAP version 1\n1..1", flush=True)
        return result(1, "the cases pass without a mistake", sound())
    chosen = [m for m in MUTANTS if not names or m.name in names or m.test in names]
    if not chosen:
        sys.exit(__doc__)
    os.makedirs(TREE, exist_ok=True)
    bad = 0
    with open(os.path.join(SCRATCH, "lock"), "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        copy_tree()
        print(f"KTAP version 1\n1..{len(chosen) + (0 if names else 2)}", flush=True)
        for number, mutant in enumerate(chosen, 1):
            bad += result(number, f"{mutant.test}: {mutant.name}", attempt(mutant))
    if not names:
        bad += result(len(chosen) + 1, "each test has its mistakes",
                      without() or table_trouble())
        bad += result(len(chosen) + 2, "the cases pass without a mistake", sound())
    return bad != 0


if __name__ == "__main__":
    sys.exit(main())
