"""Loopback or nowhere: in the way of every name that is looked up and every connection that is opened.

Python loads it where this folder is on `PYTHONPATH`, in the children of a process too.
"""

import ipaddress
import sys
from typing import Any

NAMING = ("socket.getaddrinfo", "socket.gethostbyname")
CONNECTING = ("socket.connect", "socket.sendto", "socket.sendmsg")


def refuse(event: str, arguments: tuple[Any, ...]) -> None:
    """Raise OSError where an address is not of this machine."""
    if event in NAMING:
        host = arguments[0]
    elif event in CONNECTING and isinstance(address := arguments[1], tuple):
        host = address[0]
    else:
        return
    if not _is_here(host.decode() if isinstance(host, bytes) else host):
        raise OSError(f"{host} is not of this machine")


def _is_here(host: str | None) -> bool:
    if host in ("localhost", "", None):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


sys.addaudithook(refuse)
