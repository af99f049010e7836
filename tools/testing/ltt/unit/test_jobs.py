#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""usage: test_jobs.py BUILD-DIRECTORY LTT ADDRESS-SANITIZED THREAD-SANITIZED

`ltt view` with several threads writes what it writes with one, byte for byte. The two
commands with sanitizers have slices, and pieces of text, of some KB (libltt.mk). Prints KTAP.
"""

import os
import random
import resource
import shutil
import socket
import subprocess
import sys
import tempfile

BUILD, LTT, ASAN, TSAN = sys.argv[1:]
# LIB_CHUNK of the commands with sanitizers.
CHUNK = 4096
# How many traces are damaged.
DAMAGED = 150 if os.environ.get("LTT_LONG") else 40
OPTIONS = ([], ["--wall"], ["--style", "json"], ["--style", "kv"], ["--style", "lttv"],
           ["-m", "many.*"], ["-m", "* !loss.*"], ["-b", "5.1"], ["-b", "5.05", "-e", "9"],
           ["-e", "5.02"], ["--filter", "many.*: $cpu != 1"],
           ["-m", "loss.*", "--filter", "loss.*: $cpu == 2"])


def run(command, jobs, args, **how):
    """Status, text and messages of `ltt view`."""
    done = subprocess.run([command, "view", "-j", str(jobs), *args], check=False,
                          **(how or {"capture_output": True}))
    return done.returncode, done.stdout, done.stderr


def writes(command, jobs, args):
    """How many bytes each write() had, of which the first is the header."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    sizes = []
    for end in ours, theirs:
        end.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 1 << 20)
    with theirs, subprocess.Popen([command, "view", "-j", str(jobs), *args],
                                  stdout=theirs) as view:
        theirs.close()
        while size := len(ours.recv(1 << 20)):
            sizes.append(size)
        ours.close()
    assert view.returncode == 0
    return sizes[1:]


class Tests:
    """Each method is a test, and returns what is wrong."""

    def __init__(self, tmp):
        self.tmp = tmp
        self.le, self.be, self.busy = (tmp + name for name in ("/le", "/be", "/busy"))
        for command in ([BUILD + "/make_trace", self.le],
                        ["qemu-s390x", BUILD + "/make_trace_s390x", self.be],
                        [BUILD + "/make_bench", self.busy, "30000"]):
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)

    def same_text(self):
        """the same text, whatever is wanted, of one trace or several"""
        for options in OPTIONS:
            for dirs in [self.le], [self.be], ["-w", self.le, self.be]:
                one = run(ASAN, 1, options + dirs)
                for jobs in 2, 5:
                    if run(ASAN, jobs, options + dirs) != one or one[0] or one[2]:
                        return f"-j {jobs} {options} {dirs}: {one[0]} {one[2]}"
        return None

    def all_by_threads(self):
        """no slice of a good trace is read twice by those who come after"""
        for dirs in [self.le], [self.be], [self.busy], ["-w", self.le, self.be]:
            sizes = writes(ASAN, 3, dirs)
            if len(sizes) < 50 or max(sizes) > CHUNK:
                return f"{dirs}: {len(sizes)} writes, of up to {max(sizes)} bytes"
        if max(writes(ASAN, 1, [self.le])) <= CHUNK:
            return "threads where one was asked for"
        return None

    def small(self):
        """a small trace is left to one thread, and so is one without indexes"""
        if max(writes(LTT, 8, [self.le])) <= 65536:
            return "threads for a small trace"
        bare = self.tmp + "/bare"
        shutil.copytree(self.busy, bare)
        shutil.rmtree(bare + "/index")
        if max(writes(ASAN, 8, [bare])) <= CHUNK:
            return "threads without an index"
        return None

    def damage(self, rng, number):
        """A trace in which something is wrong."""
        damaged = f"{self.tmp}/damaged"
        shutil.rmtree(damaged, ignore_errors=True)
        shutil.copytree(rng.choice([self.le, self.be, self.busy]), damaged)
        files = sorted(entry.path for entry in os.scandir(damaged) if entry.name[-1].isdigit())
        indexes = sorted(entry.path for entry in os.scandir(damaged + "/index"))
        for _ in range(rng.choice((0, 1, 1, 2, 5, 20)) if number else 0):
            name = rng.choice(files + indexes if rng.random() < .3 else files)
            with open(name, "rb") as file:
                text = bytearray(file.read())
            if not text:
                continue
            at, to = rng.randrange(len(text)), rng.randrange(len(text))
            size = rng.randrange(1, 9000)
            change = rng.randrange(6)
            if change == 0:
                text[at] ^= 1 << rng.randrange(8)
            elif change == 1:
                text[at:at + size // 40] = rng.randbytes(size // 40)
            elif change == 2:
                del text[at:]
            elif change == 3:
                del text[at:at + size]
            elif change == 4:
                text[to:to + size] = text[at:at + size]
            else:
                text += text[at:at + size]
            with open(name, "wb") as file:
                file.write(text)
        return rng.choice(OPTIONS) + [damaged]

    def damaged(self):
        """the same text, problems and status, of traces that are damaged at random"""
        rng = random.Random(7)
        problems = 0
        for number in range(DAMAGED):
            args = self.damage(rng, number)
            one, jobs = run(ASAN, 1, args), rng.choice((2, 3, 6))
            problems += one[0]
            if run(ASAN, jobs, args) != one:
                return f"number {number}, -j {jobs} {args}"
        print(f"# {problems} with problems")
        return None if problems > DAMAGED / 3 else "hardly any damage"

    def races(self):
        """no data race, in good traces and in damaged ones"""
        rng = random.Random(8)
        for number, options in enumerate(OPTIONS):
            for args in options + [self.le], self.damage(rng, number):
                one, many = run(ASAN, 1, args), run(TSAN, 4, args)
                if many != one:
                    return f"{args}: {many[0]}, {many[2].decode(errors='replace')}"
        return None

    def symbols(self):
        """all threads know the symbols; broken ones are reported once"""
        named = self.tmp + "/named"
        shutil.copytree(self.le, named)
        os.mkdir(named + "/symbols")
        for table, wanted in ((b"0000000000001000 T _stext\nffffffffffff0000 T _end\n"
                               b"0000000000002000 T second\n", 0), (b"what\n", 1)):
            with open(named + "/symbols/kallsyms", "wb") as file:
                file.write(table)
            one, many = run(ASAN, 1, [named]), run(TSAN, 4, [named])
            if many != one or one[0] != wanted or one[2].count(b"\n") != wanted:
                return f"{one[0]} {one[2]}, {many[0]} {many[2]}"
            if not wanted and (b"_stext+0x" not in one[1] and b"second+0x" not in one[1]):
                return "no symbols"
        return None

    def few_files(self):
        """indexes do not take files away that one thread would have had"""
        named = self.tmp + "/named"
        with open(named + "/symbols/kallsyms", "wb") as file:
            file.write(b"0000000000001000 T _stext\nffffffffffff0000 T _end\n")
        found = set()
        for most in range(10, 32):
            how = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE,
                   "preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))}
            one, many = (run(ASAN, jobs, [named], **how) for jobs in (1, 4))
            if many != one:
                return f"{most} files: {one[0]} {one[2]}, {many[0]} {many[2]}"
            found.add(one[0])
        return None if found == {0, 1} else f"status {found}"

    def no_reader(self):
        """a reader that goes away, and a disk that is full"""
        for jobs in 1, 4:
            with subprocess.Popen([ASAN, "view", "-j", str(jobs), self.le], stderr=subprocess.PIPE,
                                  stdout=subprocess.PIPE) as view:
                view.stdout.read(10000)
                view.stdout.close()
                messages = view.stderr.read()
            if view.returncode or messages:
                return f"-j {jobs}: {view.returncode} {messages}"
        with open("/dev/full", "wb") as full:
            how = {"stdout": full, "stderr": subprocess.PIPE}
            one, many = (run(ASAN, jobs, [self.le], **how) for jobs in (1, 4))
        return None if many == one and one[0] == 1 and b"No space" in one[2] else f"{one} {many}"

    def nonsense(self):
        """numbers of threads that are none"""
        for jobs in "0", "-1", "", "2x", "1025", "99999999999999999999", " 1":
            status, text, messages = run(ASAN, jobs, [self.le])
            if not status or text or b"expected a number of threads" not in messages:
                return f"{jobs!r}: {status} {messages}"
        return None


def main():
    failed = 0
    with tempfile.TemporaryDirectory() as tmp:
        tests = Tests(tmp)
        names = ("same_text", "all_by_threads", "small", "damaged", "races", "symbols", "few_files",
                 "no_reader", "nonsense")
        print(f"KTAP version 1\n1..{len(names)}")
        for number, name in enumerate(names, 1):
            test = getattr(tests, name)
            wrong = test()
            if wrong:
                print("# " + wrong.replace("\n", "\n# "))
            failed += bool(wrong)
            print(f"{'not ok' if wrong else 'ok'} {number} jobs.{name}: {test.__doc__}", flush=True)
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
