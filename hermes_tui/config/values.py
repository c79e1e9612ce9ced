"""Single values of the file that are more than their TOML type: addresses."""

import ipaddress
import re
from typing import Final, NamedTuple
from urllib.parse import parse_qsl, urlsplit

_VERSION: Final = "api-version"
"""What an Azure address may ask for; anything else behind a `?` may be a key."""

_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


class Origin(NamedTuple):
    """What must be equal for two addresses to be the same server: a key never goes to another one."""

    scheme: str
    host: str
    port: int

    @property
    def loopback(self) -> bool:
        """Whether the server is on this machine."""
        if self.host == "localhost" or self.host.endswith(".localhost"):
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False


def base_url(text: str) -> str:
    """Return an address without its last slash; ValueError says what is wrong, without showing it."""
    try:
        parts = urlsplit(text)
        host, port = parts.hostname, parts.port
    except ValueError:
        host, port, parts = None, None, urlsplit("")
    if parts.scheme not in _DEFAULT_PORTS or not host or port == 0 or re.search(r"[^!-\[\]-~]", text):
        raise ValueError("must be an http or https address with a host, such as https://api.example.com/v1")
    if parts.username is not None or parts.password is not None:
        raise ValueError("must not hold a user name or password: put the key into api_key, as ${NAME}")
    asked = {name for name, _ in parse_qsl(parts.query, keep_blank_values=True)}
    if "#" in text or ("?" in text and asked != {_VERSION}):
        raise ValueError(f"must end with its path: take out what follows ? or # ({_VERSION} alone may stay)")
    return text.rstrip("/")


def origin(url: str) -> Origin:
    """Return the server of an address that `base_url` accepted."""
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".")
    return Origin(parts.scheme, host, parts.port or _DEFAULT_PORTS.get(parts.scheme, 0))
