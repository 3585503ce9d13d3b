"""Keeps a process on the loopback address: connections and look-ups beyond it fail.

An audit hook sees them, whoever makes them. Only a name given to `connect` is looked up before the
hook hears of it, so the methods that take an address are watched as well.
"""

import errno
import functools
import ipaddress
import socket
import sys

# The host's place in the arguments of these audit events.
HOST = dict.fromkeys(("socket.connect", "socket.sendto", "socket.sendmsg"), 1)
LOOK_UPS = ("getaddrinfo", "gethostbyname", "gethostbyaddr", "getnameinfo")
HOST |= {f"socket.{name}": 0 for name in LOOK_UPS}

reached: list[str] = []


def is_loopback(address) -> bool:
    """Whether an address, of any family and in any form that the socket module takes, is here."""
    host = address[0] if isinstance(address, tuple) and address else address
    host = host.decode() if isinstance(host, bytes | bytearray) else host
    if not host or isinstance(host, int) or host == "localhost":
        return True  # without a name it is a local socket, with a number one to the kernel
    if isinstance(address, str | bytes) and str(host).startswith(("/", "\0")):
        return True  # a socket of this machine's file system
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False  # a name: to look it up would already leave this machine


def _watch(event, arguments):
    if event in HOST and not is_loopback(arguments[HOST[event]]):
        reached.append(f"{event} {arguments[HOST[event]]!r}")
        raise OSError(errno.ENETUNREACH, f"The tests stay on the loopback address: {reached[-1]}")


def _watched(method):
    @functools.wraps(method)
    def watched(self, *arguments):
        _watch("socket.connect", (self, arguments[-1]))
        return method(self, *arguments)

    return watched


def install() -> None:
    """From now on this process stays on the loopback address."""
    sys.addaudithook(_watch)
    for name in ("connect", "connect_ex", "sendto"):
        setattr(socket.socket, name, _watched(getattr(socket.socket, name)))
