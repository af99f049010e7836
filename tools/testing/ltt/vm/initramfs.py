# SPDX-License-Identifier: GPL-2.0
"""What a guest starts from: process 1 and its modules, and the host's files of which it
needs many messages of 9p if it opens them there, as scripts do all the time."""
import glob
import os
import re
import shutil
import subprocess
import tempfile

MODULES = ["virtio_pci", "virtio_console", "9pnet_virtio", "9p", "overlay"]

# Starting a program takes twenty messages and more. So files of Debian's essential packages and
# of these are in the guest's memory, and those others, with paths in the tree or absolute ones.
# What is missing here is found on the host.
PACKAGES = ["kmod", "libacl1", "libattr1", "libc6", "libexpat1", "liblzma5", "libpcre2-8-0",
            "libproc2-0", "libselinux1", "libssl3", "libsystemd0", "libtinfo6", "libzstd1",
            "mawk", "procps", "python3-minimal", "zlib1g"]
OTHERS = ["/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/alternatives/*", "/etc/group",
          "/etc/ld.so.cache", "/etc/locale.alias", "/etc/modprobe.d/*", "/etc/nsswitch.conf",
          "/etc/passwd", "/usr/share/locale/locale.alias",
          "build/selftests/*", "build/tools/ltt",
          "tools/testing/ltt/*", "tools/testing/ltt/vm/*", "tools/testing/selftests/ltt/*"]
# What no script asks for, more than half of it all.
UNUSED = re.compile(r"/perl|/gconv/.*\.so$|/libmvec|/s?bin/(dpkg|ldconfig)|"
                    r"/modules\.(alias|dep|symbols)$")


def lines(*command):
    """What COMMAND prints; nothing if there is no such command."""
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True, check=False).stdout.splitlines()
    except FileNotFoundError:
        return []


def archive(f, directory, names, check=True):
    """Append NAMES in DIRECTORY to an initramfs, which may consist of several archives."""
    subprocess.run(["cpio", "--quiet", "-0o", "-H", "newc"], cwd=directory, check=check,
                   input="\0".join(names).encode(), stdout=f)


def often_opened(root, modules):
    """Links and files with the real paths of their directories, and these before them."""
    essential = [line[4:] for line in lines("dpkg-query", "-W", "-f=${Essential} ${Package}\n")
                 if line.startswith("yes ")]
    found = [name for name in lines("dpkg", "-L", *essential, *PACKAGES)
             if not name.startswith(("/usr/share/", "/usr/include/"))]
    for pattern in OTHERS + [modules + "/modules.*", modules + "/updates/*"]:
        found += glob.glob(os.path.join(root, pattern))
    paths = set()
    for name in found:
        if UNUSED.search(name):
            continue
        name = os.path.join(os.path.realpath(os.path.dirname(name)), os.path.basename(name))
        if os.path.islink(name) or os.path.isfile(name) and os.access(name, os.R_OK):
            while name != "/":
                paths.add(name)
                name = os.path.dirname(name)
    return sorted(paths)


def plain_module(file, directory):
    """Copy a module, which may be compressed; its name there."""
    name = os.path.basename(file).removesuffix(".xz")
    if file.endswith(".xz"):
        with open(f"{directory}/{name}", "wb") as f:
            subprocess.run(["xz", "-dc", file], stdout=f, check=True)
    else:
        shutil.copy(file, directory)
    return name


def make(path, kernel, init, config, command):
    """Write the initramfs to PATH. CONFIG are INIT's settings; ROOT, the tree's, is one."""
    files = []
    for name in MODULES if kernel.base else []:
        files += [f for f in kernel.needed(name) if f not in files]
    with tempfile.TemporaryDirectory(prefix="ltt-initramfs.") as top:
        for name in ("bin", "modules", "near"):
            os.mkdir(f"{top}/{name}")
        shutil.copy("/bin/busybox", top + "/bin/busybox")
        shutil.copy(init, top + "/init")
        with open(top + "/modules/order", "w") as f:
            for file in files:
                f.write(plain_module(file, top + "/modules") + "\n")
        with open(top + "/config", "w") as f:
            for name, value in config.items():
                f.write("{}='{}'\n".format(name, value.replace("'", "'\\''")))
        with open(top + "/command", "w") as f:
            f.write(command)
        with open(path, "wb") as f:
            archive(f, top, [".", *glob.glob("**", root_dir=top, recursive=True)])
            os.mkdir(top + "/host")
            os.symlink("/", top + "/host/near")
            # One that is gone meanwhile is not there on the host either.
            if not kernel.system:
                near = ["near" + name for name in often_opened(config["ROOT"], kernel.modules)]
                archive(f, top + "/host", near, check=False)
