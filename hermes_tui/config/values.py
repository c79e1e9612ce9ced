"""Single values of the file that are more than their TOML type: durations and addresses."""

import ipaddress
import re
from typing import Final, NamedTuple
from urllib.parse import parse_qsl, urlsplit

_UNITS: Final = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_DURATION: Final = re.compile(r"(?:\d{1,9}(?:\.\d{1,9})?[smhd])+")
_PIECE: Final = re.compile(r"([\d.]+)([smhd])")
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


def seconds(value: object) -> float:
    """Return a duration such as `15m` or `1h30m` in seconds; ValueError says how to write one."""
    text = value.replace(" ", "").lower() if isinstance(value, str) else ""
    total = (
        sum(float(number) * _UNITS[unit] for number, unit in _PIECE.findall(text)) if _DURATION.fullmatch(text) else 0.0
    )
    if total < 1:
        raise ValueError('must be a duration of at least a second, in quotes: "30s", "15m", "1h30m" or "1d"')
    return total


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
