"""Lock the process that runs a student's code: no network, no other process, no file but its own.

The kernel does it, as Python itself can lock nothing in: namespaces take the network and the other
processes away, all disks become read-only, and Landlock hides what an exercise does not need. This
needs Linux 5.13 or newer that allows user namespaces, as the usual distributions do.
"""

from __future__ import annotations

import ctypes
import os
import resource
import shutil
import struct
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

# From the kernel's headers: sched.h, mount.h, landlock.h, prctl.h.
NEW_MOUNTS, NEW_USER, NEW_PROCESSES, NEW_NETWORK, NEW_IPC = (
    0x00020000,
    0x10000000,
    0x20000000,
    0x40000000,
    0x08000000,
)
PRIVATE_RECURSIVE, BIND = 0x00040000 | 0x4000, 0x1000
READ_ONLY, RECURSIVE = 1, 0x8000
MOUNT_SETATTR, CREATE_RULESET, ADD_RULE, RESTRICT_SELF = 442, 444, 445, 446
NO_NEW_PRIVILEGES = 38
READ = 1 << 0 | 1 << 2 | 1 << 3  # run, read a file, list a folder
ALL = (1 << 13) - 1
MEMORY, FILE, TMPFS = 3 << 30, 20 << 20, "size=64m"

_c = ctypes.CDLL(None, use_errno=True)


class NotLocked(OSError):
    """This system cannot lock a process in."""


def run_apart(task: Callable[[], None], scratch: Path, readable: Iterable[Path]) -> tuple[int, int]:
    """Run a task in a locked process, in a copy of the folder `scratch` in memory.

    Gives the ids of the process that waits for it and of its own; to end all that it started, kill
    the second. Raises NotLocked where the kernel refuses: then nothing was run.
    """
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    read, write = os.pipe()
    waiting = os.fork()
    if waiting == 0:
        try:
            _enter_namespaces(scratch)
            own = os.fork()
            if own == 0:
                _lock(scratch, readable, used)
                os.write(write, b"locked")
                os.close(write)
                task()
                os._exit(0)
            os.write(write, f"{own} ".encode())
            os.closerange(3, os.sysconf("SC_OPEN_MAX"))  # the lines of the other
            os.waitpid(own, 0)
        except OSError as error:
            os.write(write, f"failed: {error}".encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        said = pipe.read()
    # The two of them write at the same time.
    number = said.replace("locked", "").strip()
    if "locked" not in said or not number.isdigit():
        raise NotLocked(
            f"A student's code cannot be locked in here ({said or 'no reason is given'}). Grading "
            "needs Linux 5.13 or newer with user namespaces, outside of a container."
        )
    return waiting, int(number)


def _check(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise NotLocked(number, f"{what}: {os.strerror(number)}")
    return result


def _enter_namespaces(scratch: Path) -> None:
    user, group = os.getuid(), os.getgid()
    flags = NEW_USER | NEW_MOUNTS | NEW_PROCESSES | NEW_NETWORK | NEW_IPC
    _check(_c.unshare(flags), "namespaces")
    Path("/proc/self/setgroups").write_text("deny")
    Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
    Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    _check(_c.mount(None, b"/", None, PRIVATE_RECURSIVE, None), "mounts")
    attributes = struct.pack("4Q", READ_ONLY, 0, 0, 0)
    _check(_c.syscall(MOUNT_SETATTR, -1, b"/", RECURSIVE, attributes, 32), "read-only disks")
    # The copy is made over /proc, of which the code need not see anything.
    _check(_c.mount(b"tmpfs", b"/proc", b"tmpfs", 0, TMPFS.encode()), "a folder in memory")
    shutil.copytree(scratch, "/proc", dirs_exist_ok=True, symlinks=True)
    _check(_c.mount(b"/proc", str(scratch).encode(), None, BIND, None), "the folder's place")


def _lock(scratch: Path, readable: Iterable[Path], used: int) -> None:
    rules = _check(_c.syscall(CREATE_RULESET, struct.pack("Q", ALL), 8, 0), "Landlock")
    for path, rights in [*((path, READ) for path in readable), (scratch, ALL)]:
        if not path.exists():
            continue
        folder = os.open(path, os.O_PATH)
        rights &= ALL if path.is_dir() else 0b111
        rule = struct.pack("=Qi", rights, folder)
        _check(_c.syscall(ADD_RULE, rules, 1, rule, 0), f"Landlock for {path}")
        os.close(folder)
    _check(_c.prctl(NO_NEW_PRIVILEGES, 1, 0, 0, 0), "no new privileges")
    _check(_c.syscall(RESTRICT_SELF, rules, 0), "Landlock")
    os.close(rules)
    os.chdir(scratch)
    os.setsid()  # its group held processes that it must not reach
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    resource.setrlimit(resource.RLIMIT_FSIZE, (FILE, FILE))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    sys.addaudithook(_no_new_process)


def _no_new_process(event: str, args: tuple) -> None:
    # Only against a class of accidents: an endless row of processes would slow the machine down.
    if event in ("os.fork", "os.forkpty", "os.posix_spawn", "subprocess.Popen", "os.system"):
        raise PermissionError("No process may be started here.")
