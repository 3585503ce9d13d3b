"""The guard that keeps all tests on the loopback address."""

import asyncio
import socket

import httpx2
import loopback
import pytest
from fake_provider import FakeProvider

# TEST-NET-1 of RFC 5737 and a reserved name of RFC 2606: nobody's, should the guard fail.
BEYOND = "192.0.2.1"
ATTEMPTS = {
    "connect": lambda: socket.create_connection((BEYOND, 80), timeout=0.2),
    "connect_ex": lambda: socket.socket().connect_ex((BEYOND, 80)),
    "IPv6": lambda: socket.socket(socket.AF_INET6).connect(("2001:db8::1", 80)),
    "datagram": lambda: socket.socket(type=socket.SOCK_DGRAM).sendto(b"x", (BEYOND, 53)),
    "look-up": lambda: socket.getaddrinfo("name.invalid", 80),
    "old look-up": lambda: socket.gethostbyname("name.invalid"),
    "name to connect to": lambda: socket.socket().connect(("name.invalid", 80)),
    "name to send to": lambda: socket.socket(type=socket.SOCK_DGRAM).sendto(b"x", ("x.invalid", 1)),
    "name that begins like here": lambda: socket.getaddrinfo("127.0.0.1.name.invalid", 80),
    "SDK": lambda: httpx2.get("https://name.invalid"),
    "asyncio": lambda: asyncio.run(asyncio.open_connection(BEYOND, 80)),
}


@pytest.mark.parametrize("attempt", ATTEMPTS)
@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_nothing_leaves(attempt, beyond_loopback):
    with pytest.raises((OSError, httpx2.TransportError), match="stay on the loopback"):
        ATTEMPTS[attempt]()
    assert len(beyond_loopback) == 1
    beyond_loopback.clear()


def test_the_loopback_address_is_open():
    with FakeProvider() as provider:
        assert httpx2.post(f"{provider.url}/nowhere", json={}).status_code == 404
    here = (("127.8.9.1", 80), ("::1", 80, 0, 0), "localhost", "/run/some.socket", None)
    there = (("8.8.8.8", 53), ("::ffff:8.8.8.8", 53, 0, 0), ("fe80::1%eth0", 53, 0, 0))
    assert all(map(loopback.is_loopback, here))
    assert not any(map(loopback.is_loopback, (*there, "localhost.example", b"example.org")))
