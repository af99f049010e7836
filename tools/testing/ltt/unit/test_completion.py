#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Completion of ltt in bash and zsh: keys are typed on a terminal, into shells without any
configuration but ours.

usage: test_completion.py LTT
"""
import os
import pty
import re
import select
import shutil
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.realpath(__file__))
SCRIPTS = os.path.realpath(HERE + "/../../../ltt/completion")

# Inserts all completions of a word, where TAB would list them.
ALL = "\x1b*"
SHELLS = {
    "bash": (["bash", "--norc", "--noprofile", "-i"],
             f"set +o history; bind 'set enable-bracketed-paste off'; . {SCRIPTS}/ltt.bash"),
    "zsh": (["zsh", "-f", "-i"],
            f"unsetopt zle_bracketed_paste prompt_cr nomatch; fpath=({SCRIPTS} $fpath); autoload -U compinit; "
            "compinit -u -D; zle -C all complete-word _generic; bindkey '\\e*' all; "
            "zstyle ':completion:all:*' insert yes; "
            "zstyle ':completion:all::::' completer _all_matches _complete"),
}

MARKERS = ["irq.softirq_entry", "irq.softirq_exit", "sched.sched_switch", "sched.sched_wakeup"]
TRACES = ["demo", "other"]

# What is typed after "ltt ", and what the line's words are then.
CASES = [
    ("a command", "rec\t", ["record"]),
    ("commands", "re" + ALL, ["record", "repair"]),
    ("an option", "record --fol\t", ["record", "--follow"]),
    ("options of a command", "list --m\t", ["list", "--missing"]),
    ("none of another command", "list --fol\t", ["list", "--fol"]),
    ("a channel", "text -e sc\t", ["text", "-e", "sched."]),
    ("a marker", "text -e sched.sched_w\t", ["text", "-e", "sched.sched_wakeup"]),
    ("markers, and all of a channel", "text -e sched." + ALL,
     ["text", "-e", "sched.*", "sched.sched_switch", "sched.sched_wakeup"]),
    ("a marker after =", "record --event=irq.softirq_en\t", ["record", "--event=irq.softirq_entry"]),
    ("operands that are markers", "list irq.softirq_ex\t", ["list", "irq.softirq_exit"]),
    ("an end that is no pattern", "view -e sc\t", ["view", "-e", "sc"]),
    ("traces", "stop " + ALL, ["stop", "demo", "other"]),
    ("the trace of an option", "record -t d\t", ["record", "-t", "demo"]),
    ("a style", "text --style=lt\t", ["text", "--style=lttv"]),
    ("a mode", "create new --mode o\t", ["create", "new", "--mode", "overwrite"]),
    ("a directory, not a file", "view ./ca\t", ["view", "./capture"]),
    ("what another program gets", "record -e a -- cat ./ca" + ALL,
     ["record", "-e", "a", "--", "cat", "./capture", "./cattle"]),
]


def tracer(root):
    """What ltt list and ltt status look at."""
    os.makedirs(root)
    with open(root + "/markers", "w", encoding="utf-8") as f:
        f.write("# marker\tmodule\tstate\tformat\n")
        f.writelines(f"{name}\tkernel\toff\ta %d\n" for name in MARKERS)
    with open(root + "/setup_trace", "w", encoding="utf-8"):
        pass
    for name in TRACES:
        os.makedirs(f"{root}/traces/{name}/channels")
        for file in ("enabled", "markers", "budget"):
            with open(f"{root}/traces/{name}/{file}", "w", encoding="utf-8") as f:
                f.write("1\n")


class Shell:
    """An interactive one, on a terminal of its own."""

    def __init__(self, args, setup, env, cwd):
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.chdir(cwd)
            os.execvpe(args[0], args, env)
        self.said = ""
        # Not what the terminal echoes.
        self.run(setup + "; PS1=; printf '%s\\n' 'rea''dy'", "ready\r\n")

    def write(self, keys):
        os.write(self.fd, keys.encode())

    def wait(self, text):
        """Read until TEXT; what came before it."""
        end = time.monotonic() + 300
        while text not in self.said:
            if not select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError(f"no {text!r} in {self.said!r}")
            self.said += os.read(self.fd, 65536).decode(errors="replace")
        before, self.said = self.said.split(text, 1)
        return before

    def run(self, line, text):
        self.write(line + "\n")
        return self.wait(text)

    def completed(self, keys):
        """Type KEYS after "ltt ", and have the line's words printed."""
        self.write("ltt " + keys)
        # To the line's beginning, and to its end again.
        self.write("\x01printf '<%s>' be''gins \x05 en''ds\n")
        self.wait("<begins>")
        return re.findall("<([^>]*)>", self.wait("<ends>"))

    def end(self):
        os.close(self.fd)
        os.waitpid(self.pid, 0)


def main():
    print("KTAP version 1")
    number = failed = 0
    with tempfile.TemporaryDirectory() as tmp:
        tracer(tmp + "/ltt")
        os.mkdir(tmp + "/bin")
        os.symlink(os.path.realpath(sys.argv[1]), tmp + "/bin/ltt")
        os.makedirs(tmp + "/cwd/capture")
        with open(tmp + "/cwd/cattle", "w", encoding="utf-8"):
            pass
        env = {"PATH": tmp + "/bin:" + os.environ["PATH"], "LTT_ROOT": tmp + "/ltt", "LC_ALL": "C",
               "HOME": tmp, "TERM": "dumb", "COLUMNS": "500", "LINES": "50"}
        for name, (args, setup) in SHELLS.items():
            shell = shutil.which(name) and Shell(args, setup + "; stty cols 500", env, tmp + "/cwd")
            for what, keys, wanted in CASES:
                number += 1
                if not shell:
                    print(f"ok {number} {name}: {what} # SKIP needs {name}")
                    continue
                found = shell.completed(keys)
                verdict = "ok"
                # zsh takes the slash of a directory back where no name follows.
                found = [word.rstrip("/") for word in found]
                if sorted(found) != sorted(["ltt", *wanted]):
                    verdict, failed = "not ok", failed + 1
                    print(f"# wanted {wanted}, found {found}")
                print(f"{verdict} {number} {name}: {what}", flush=True)
            if shell:
                shell.end()
    print(f"1..{number}")
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
