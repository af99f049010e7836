# SPDX-License-Identifier: GPL-2.0
"""Processors that QEMU lets run what is not there any more.

While one processor patches code, another may translate it just before the byte is written,
and keep that; see Documentation/trace/ltt/testing.rst. As the kernel does so with
breakpoints, the other takes the same one for ever, often with interrupts off. Writing the
byte again, as a debugger can, makes QEMU throw the translation away. Newer kernels, 7.2 has
been seen to, do not try a breakpoint again that is gone: they die of it.
"""
import re
import socket
import time


class Debugger:
    """QEMU's port for gdb, which speaks gdb's remote serial protocol ("GDB Remote Serial
    Protocol" in gdb's manual). The guest stands still while it is open."""

    def __init__(self, path):
        self.port = socket.socket(socket.AF_UNIX)
        self.port.settimeout(5)
        self.port.connect(path)
        self.answers = self.port.makefile("r", newline="")

    def ask(self, command):
        self.port.sendall(f"${command}#{sum(command.encode()) % 256:02x}".encode())
        packet = ""
        while not (found := re.search(r"\$([^#]*)#..$", packet)):
            if not (byte := self.answers.read(1)):
                raise OSError("QEMU's port for gdb was closed")
            packet += byte
        self.port.sendall(b"+")
        return found[1]

    def write_again(self, address):
        byte = self.ask(f"m{address:x},1")
        if len(byte) == 2:
            self.ask(f"M{address:x},1:{byte}")

    def close(self):
        self.ask("D")
        self.answers.close()
        self.port.close()


def standing(guest):
    """Where each processor is that does not sleep, in the kernel: its number, RIP and RSP."""
    found = set()
    for cpu in guest.ask("info registers -a").split("CPU#")[1:]:
        where = re.search(r"RSP=([0-9a-f]+).*RIP=([0-9a-f]+).*CPL=0.*HLT=0", cpu, re.DOTALL)
        if where:
            found.add((cpu.split()[0], int(where[2], 16), int(where[1], 16)))
    return found


def release(guest, path):
    """If processors of a silent guest are where they were a second ago, what is there is
    written again, which changes nothing for one that only waits; through a port at PATH.
    Return: the addresses."""
    before = standing(guest)
    if not before:
        return []
    time.sleep(1)
    addresses = sorted({rip for _, rip, _ in before & standing(guest)})
    if addresses:
        guest.ask(f"gdbserver unix:{path},server=on,wait=off")
        try:
            debugger = Debugger(path)
            for address in addresses:
                debugger.write_again(address)
            debugger.close()
        except OSError:
            addresses = []
        guest.ask("gdbserver none")
        guest.ask("cont")
    return addresses


def died_of(log):
    """Did the kernel, by its LOG, die of a breakpoint that its own dump does not show?

    >>> oops = "Oops: int3: 0000 [#1] SMP\\nRIP: 0010:f+0x1/0x9\\nCode: 66 90 eb <51> eb\\n"
    >>> died_of(oops), died_of(oops.replace("eb <", "cc <")), died_of(oops.replace("int3", "x"))
    (True, False, False)
    """
    found = re.search(r"\bint3: 0000 \[#1\].*?\bCode:[^\n]*?([0-9a-f]{2}) <", log, re.DOTALL)
    return found is not None and found[1] != "cc"
