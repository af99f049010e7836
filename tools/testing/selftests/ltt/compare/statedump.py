#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Does a state dump tell what /proc, /sys and ip tell?

usage: statedump.py TRACE PID...

Starts TRACE, which records all markers of the channel statedump, reads its text until the
dump is complete, stops it, and compares. What is looked at here is looked at before and
after: what was the same both times must be in the dump, just so, and the dump must not
have anything that was there neither before nor after. The processes PID must be among
those whose open files and memory maps were compared.
"""

import collections
import glob
import json
import os
import pickle
import re
import subprocess
import sys
import time

LTT = "/sys/kernel/debug/ltt"
CONVERSION = re.compile(r"(\w+) %#?(?:[xod]|l*[uxd]|s|p[IM]\w*)(?:\{[^}]*\})?")
LINE = re.compile(r"\d+\.\d+ \[\d+\] statedump\.(\w+): (.*)")
PF_KTHREAD = 0x200000
NAMESPACES = ("pid", "user", "mnt", "net", "uts", "ipc", "cgroup")


def slurp(path):
    with open(path, encoding="utf-8", errors="surrogateescape") as file:
        return file.read()


def unescaped(text):
    """What somebody has shown with backslashes."""
    return text.encode("utf-8", "surrogateescape").decode("unicode_escape") if "\\" in text else text


def unless_gone(function, *args):
    """A process or thread may end while we look at it."""
    try:
        return function(*args)
    except (FileNotFoundError, ProcessLookupError, NotADirectoryError):
        return None


def as_kernel(function):
    """What FUNCTION returns where the root is that of kernel threads: paths are theirs."""
    receiver, sender = os.pipe()
    child = os.fork()
    if not child:
        os.close(receiver)
        os.chroot("/proc/2/root")
        with os.fdopen(sender, "wb") as file:
            pickle.dump(function(), file)
        os._exit(0)
    os.close(sender)
    with os.fdopen(receiver, "rb") as file:
        result = pickle.load(file)
    os.waitpid(child, 0)
    return result


# What there is, by means of others. Dictionaries: what it is called, how it looks.

def tasks():
    return [path.rsplit("/", 3)[1::2] for path in glob.glob("/proc/[0-9]*/task/[0-9]*")]


def thread(pid, tid):
    base = f"/proc/{pid}/task/{tid}"
    comm = slurp(f"{base}/comm")[:-1]
    stat = slurp(f"{base}/stat").rsplit(")", 1)[1].split()
    status = slurp(f"{base}/status")
    uid = re.search(r"^Uid:\t(\d+)", status, re.M)[1]
    gid = re.search(r"^Gid:\t(\d+)", status, re.M)[1]
    return {"pid": pid, "ppid": stat[1], "comm": comm, "uid": uid, "gid": gid,
            "type": "kernel" if int(stat[6]) & PF_KTHREAD else "user",
            "flags": f"{int(stat[6]):x}", "nice": stat[16], "state": stat[0]}


def threads():
    found = {tid: unless_gone(thread, pid, tid) for pid, tid in tasks()}
    return {tid: values for tid, values in found.items() if values}


def namespaces_of(pid, tid):
    base = f"/proc/{pid}/task/{tid}"
    found = {f"{name}_ns": re.search(r"\[(\d+)\]", os.readlink(f"{base}/ns/{name}"))[1]
             for name in NAMESPACES if os.path.exists(f"/proc/self/ns/{name}")}
    status = slurp(f"{base}/status")
    found["vtid"] = re.search(r"^NSpid:.*\t(\d+)$", status, re.M)[1]
    found["vpid"] = re.search(r"^NStgid:.*\t(\d+)$", status, re.M)[1]
    return found


def namespaces():
    found = {tid: unless_gone(namespaces_of, pid, tid) for pid, tid in tasks()}
    return {tid: values for tid, values in found.items() if values}


def cgroups():
    """Of the unified hierarchy; a cgroup's number is that of its directory."""
    mount = re.search(r"^\S+ (\S+) cgroup2 ", slurp("/proc/mounts"), re.M)
    found = {}
    for pid, tid in tasks():
        text = unless_gone(slurp, f"/proc/{pid}/task/{tid}/cgroup")
        path = re.search(r"^0::(.*)$", text or "", re.M)
        if path:
            found[tid] = {"path": path[1]}
            if mount:
                found[tid]["id"] = str(os.stat(mount[1] + path[1]).st_ino)
    return found


def file_of(pid, number):
    flags = re.search(r"^flags:\t(\d+)$", slurp(f"/proc/{pid}/fdinfo/{number}"), re.M)[1]
    # Whether it is closed by exec() is not a property of the file.
    return {"path": os.readlink(f"/proc/{pid}/fd/{number}"),
            "flags": int(flags, 8) & ~os.O_CLOEXEC}


def files_of(pid):
    found = {number: unless_gone(file_of, pid, number)
             for number in os.listdir(f"/proc/{pid}/fd")}
    return {number: values for number, values in found.items() if values}


def processes():
    return [path.rsplit("/", 1)[1] for path in glob.glob("/proc/[0-9]*")]


def files():
    """Of processes, and of threads that have other ones."""
    found = {}
    for pid, tid in tasks():
        own = unless_gone(files_of, f"{pid}/task/{tid}") or {}
        if tid == pid or own != (unless_gone(files_of, pid) or {}):
            for number, values in own.items():
                found[tid, number] = values
    return found


def maps_of(pid):
    """The first thread may have ended before the process."""
    return slurp(f"/proc/{pid}/maps") or "".join(
        slurp(f"/proc/{pid}/task/{tid}/maps") for tid in os.listdir(f"/proc/{pid}/task"))


def maps():
    found = {}
    for pid in processes():
        for line in (unless_gone(maps_of, pid) or "").splitlines():
            where, perms, offset, _, _, *path = line.split(None, 5)
            if path and path[0].strip() == "[vsyscall]":
                continue        # not in any process's map
            start, end = where.split("-")
            path = path[0] if path else ""
            found[pid, start.lstrip("0")] = {
                "end": end.lstrip("0"), "perms": perms[:3],
                "pgoff": str(int(offset, 16) // 4096) if path.startswith("/") else "0",
                "path": path}
    return found


def modules():
    return {(name, size): {"base": f"{int(base, 16):x}"} for name, size, *_, base in
            (re.sub(r" \(\w+\)$", "", line).split()
             for line in slurp("/proc/modules").splitlines())}


def interrupts():
    found = {}
    for path in glob.glob("/sys/kernel/irq/*/actions"):
        base = os.path.dirname(path)
        for action in slurp(path).strip().split(","):
            if action:
                found[os.path.basename(base), action] = {
                    "name": slurp(f"{base}/chip_name").strip(),
                    "hwirq": slurp(f"{base}/hwirq").strip() or "0"}
    return found


def ip(pid):
    command = ["ip", "-j", "addr"]
    if pid:
        command = ["nsenter", "-n", "-t", pid] + command
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def number_of_net(pid):
    if not os.path.exists("/proc/self/ns/net"):
        return "0"
    return re.search(r"\[(\d+)\]", os.readlink(f"/proc/{pid or 'self'}/ns/net"))[1]


def interfaces(pids):
    """Of our network namespace, and those of PIDS."""
    found = {}
    for pid in [None] + pids:
        for interface in ip(pid):
            found[number_of_net(pid), str(interface["ifindex"])] = {
                "name": interface["ifname"], "mtu": str(interface["mtu"]),
                "mac": interface.get("address") or "00:00:00:00:00:00",
                "up": "UP" in interface["flags"]}
    return found


def addresses(pids, family):
    found = {}
    for pid in [None] + pids:
        for interface in ip(pid):
            for address in interface["addr_info"]:
                if address["family"] == family:
                    found[number_of_net(pid), interface["ifname"], address["local"]] = {
                        "prefix": str(address["prefixlen"])}
    return found


def block_devices():
    found = {}
    for path in glob.glob("/sys/class/block/*"):
        major, minor = slurp(f"{path}/dev").strip().split(":")
        found[os.path.basename(path).replace("!", "/")] = {
            "major": major, "minor": minor, "sectors": slurp(f"{path}/size").strip(),
            "partition": str(int(os.path.exists(f"{path}/partition"))),
            "readonly": slurp(f"{path}/ro").strip()}
    return found


def cpus():
    found = {}
    for path in glob.glob("/sys/devices/system/cpu/cpu[0-9]*"):
        topology = f"{path}/topology"
        if os.path.exists(topology):
            found[path.rsplit("cpu", 1)[1]] = {
                "package": slurp(f"{topology}/physical_package_id").strip(),
                "core": slurp(f"{topology}/core_id").strip(), "online": "1"}
    return found


def snapshot(pids):
    # A process whose first thread has ended is in no namespace by its own name.
    pids = [pid for pid in pids if unless_gone(os.readlink, f"/proc/{pid}/ns/net")]
    return {"process_state": threads(), "process_namespaces": namespaces(),
            "process_cgroup": cgroups(), "file_descriptor": as_kernel(files),
            "vm_map": as_kernel(maps), "module": modules(), "interrupt": interrupts(),
            "network_interface": interfaces(pids),
            "network_ipv4": addresses(pids, "inet"), "network_ipv6": addresses(pids, "inet6"),
            "block_device": block_devices(), "cpu_topology": cpus()}


# The dump.

def dump(trace):
    """Lines of the trace's text from its start until the dump is complete."""
    base = f"{LTT}/traces/{trace}"
    text = b""
    pipe = os.open(f"{base}/text/statedump", os.O_RDONLY | os.O_NONBLOCK)
    with open(f"{base}/enabled", "w", encoding="ascii") as file:
        file.write("1")
    end = time.monotonic() + 120
    while not re.search(rb" statedump\.end: .*\n", text):
        try:
            text += os.read(pipe, 1 << 20)
        except BlockingIOError:
            time.sleep(0.01)
        if time.monotonic() > end:
            sys.exit("the dump does not end: " + slurp(f"{base}/statedump"))
    while "state complete" not in slurp(f"{base}/statedump"):
        time.sleep(0.01)
    status = slurp(f"{base}/statedump")
    with open(f"{base}/enabled", "w", encoding="ascii") as file:
        file.write("0")
    os.close(pipe)
    return text.decode("utf-8", "surrogateescape").splitlines(), status


def parsed(trace, lines):
    """The events, by marker."""
    patterns, events = {}, collections.defaultdict(list)
    for path in glob.glob(f"{LTT}/traces/{trace}/channels/statedump/markers/*/format"):
        pattern, last = "", 0
        text = slurp(path).rstrip("\n")
        for found in CONVERSION.finditer(text):
            value = ".*" if "%s" in found[0] else r"\S+"
            pattern += re.escape(text[last:found.start()]) + f"{found[1]} (?P<{found[1]}>{value})"
            last = found.end()
        patterns[path.split("/")[-2]] = re.compile(pattern + re.escape(text[last:]) + "$")
    for line in lines:
        if line.startswith("#"):
            if "lost" in line:
                sys.exit(line)
            continue
        marker, rest = LINE.match(line).groups()
        events[marker].append(patterns[marker].match(rest).groupdict())
    return events


KEYS = {"process_state": ("tid",), "process_namespaces": ("tid",), "process_cgroup": ("tid",),
        "file_descriptor": ("tid", "fd"), "vm_map": ("pid", "start"),
        "module": ("name", "size"), "interrupt": ("irq", "action"),
        "network_interface": ("net_ns", "ifindex"),
        "network_ipv4": ("net_ns", "name", "address"),
        "network_ipv6": ("net_ns", "name", "address"), "block_device": ("name",),
        "cpu_topology": ("cpu",)}


def told(marker, events):
    """The same dictionaries, of events."""
    result = {}
    for event in events:
        key = tuple(unescaped(event[name]) for name in KEYS[marker])
        if marker == "file_descriptor":
            event["flags"] = int(event["flags"], 8) & ~os.O_CLOEXEC
        elif marker == "vm_map":
            flags = event["flags"].split("|")
            event["perms"] = "".join(c if c in flags else "-" for c in "rwx")
        elif marker == "network_interface":
            event["up"] = "up" in event["flags"].split("|")
        if key in result:
            sys.exit(f"{marker} {key}: twice")
        result[key if len(key) > 1 else key[0]] = event
    return result


def equal(marker, name, wanted, event):
    found = event[name]
    if marker == "process_state":
        if name == "state":     # changes all the time
            return found in "RSDTtXZPI"
        if name == "comm":      # /proc says more of kernel threads
            found = unescaped(found)
            return wanted.startswith(found) if event["type"] == "kernel" else wanted == found
    if marker == "cpu_topology" and event["online"] == "0":
        return True
    if name == "path" and marker == "vm_map":
        if wanted == "[heap]":  # up to 6.6, /proc also means areas beside it
            return found in ("", wanted)
        if wanted.startswith("[anon"):
            return found == ""
        return unescaped(found) == re.sub(r"\\(\d{3})", lambda o: chr(int(o[1], 8)), wanted)
    return unescaped(found) == wanted if isinstance(wanted, str) else found == wanted


def compare(marker, before, after, events, pids):
    """Return: what was compared, what is wrong."""
    found, wrong = told(marker, events), []
    same = {key: values for key, values in before.items() if after.get(key) == values}
    for key, values in same.items():
        event = found.get(key)
        if not event:
            wrong.append(f"{marker} {key}: missing: {values}")
            continue
        wrong += [f"{marker} {key}: {name} is {event[name]}, not {value}"
                  for name, value in values.items() if not equal(marker, name, value, event)]
    new = [key for key in found if key not in before and key not in after]
    if marker in ("process_state", "module", "block_device", "interrupt"):
        # Workers of the kernel come and go.
        wrong += [f"{marker} {key}: is not there: {found[key]}" for key in new
                  if not found[key].get("comm", "").startswith("kworker")]
    if marker in ("file_descriptor", "vm_map"):
        wrong += [f"{marker} {key}: is not there: {found[key]}" for key in new
                  if key[0] in pids]
    return same, wrong


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    trace, pids = sys.argv[1], sys.argv[2:]
    before = snapshot(pids)
    lines, status = dump(trace)
    after = snapshot(pids)
    events = parsed(trace, lines)

    wrong, counted = [], {}
    for marker, (first, second) in {m: (before[m], after[m]) for m in before}.items():
        same, bad = compare(marker, first, second, events[marker], pids)
        print(f"{marker}: {len(events[marker])} events, {len(same)} of {len(first)} compared")
        wrong += bad
        counted[marker] = same
    for pid in pids:
        threads_of = os.listdir(f"/proc/{pid}/task")
        for marker in ("file_descriptor", "vm_map"):
            if not any(key[0] in threads_of for key in counted[marker]):
                wrong.append(f"{marker}: nothing of {pid} compared")
        if pid not in counted["process_state"]:
            wrong.append(f"{pid} not compared")

    # What it says of itself.
    end = events["end"][0]
    names = {"process_state": "threads", "process_namespaces": "namespaces",
             "process_cgroup": "cgroups", "file_descriptor": "files", "vm_map": "maps",
             "interrupt": "interrupts", "module": "modules",
             "network_interface": "interfaces", "network_ipv4": "ipv4",
             "network_ipv6": "ipv6", "block_device": "block_devices",
             "cpu_topology": "cpus"}
    for marker, name in names.items():
        if int(end[name]) != len(events[marker]):
            wrong.append(f"end: {end[name]} {name}, found {len(events[marker])}")
        if f"\n{marker} {len(events[marker])}\n" not in status:
            wrong.append(f"statedump: {status}")
    for marker in ("start", "end"):
        if len(events[marker]) != 1 or events[marker][0]["number"] != "1":
            wrong.append(f"{marker}: {events[marker]}")
    if events["start"][0]["reason"] != "start" or end["lost"] != "0" or end["skipped"] != "0":
        wrong.append(f"{events['start']} {events['end']}")
    print("\n".join(wrong[:40]))
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
