"""Addresses that look right and are not: what a base URL and an API mode alone give away (C17, C78, C116)."""

import ipaddress
from collections.abc import Iterator
from typing import Final
from urllib.parse import SplitResult, urlsplit

from hermes_tui.core.known_provider import KnownProvider
from hermes_tui.core.known_providers import KNOWN_PROVIDERS, known_server
from hermes_tui.core.remark import Gravity, Remark, Witness
from hermes_tui.core.route import ApiMode, Route
from hermes_tui.core.text import PlainText

_ENDPOINTS: Final = {
    "/chat/completions": ApiMode.CHAT_COMPLETIONS,
    "/responses": ApiMode.CODEX_RESPONSES,
    "/messages": ApiMode.ANTHROPIC_MESSAGES,
}
"""What requests add to a base URL, and the API mode that adds it."""

_HOME_ENDS: Final = (".local", ".lan", ".home", ".internal", ".localhost")


def about_address(route: Route, *, sends_key: bool) -> Iterator[Remark]:
    """Yield what is wrong, or looks so, about a route's base URL; it must be one that a configuration accepts."""
    address, server = urlsplit(route.base_url), known_server(route.base_url)
    path = address.path.rstrip("/").lower()
    endpoint = next((ending for ending in _ENDPOINTS if path.endswith(ending)), None)
    if endpoint is not None:
        yield _fault(f"base_url ends in {endpoint}, which every request adds: leave it out{_mode(route, endpoint)}")
    elif server is not None:
        yield from _about_server(route, path, server)
    elif "anthropic" in path and route.api_mode is not ApiMode.ANTHROPIC_MESSAGES:
        yield _doubt(f'base_url looks like Anthropic\'s API: is api_mode = "{ApiMode.ANTHROPIC_MESSAGES}" meant?')
    if sends_key and address.scheme == "http" and _is_public(address):
        yield _doubt("the key goes over http, which anybody on the way can read: write https")


def _mode(route: Route, endpoint: str) -> str:
    mode = _ENDPOINTS[endpoint]
    return f', and write api_mode = "{mode}"' if mode is not route.api_mode else ""


def _about_server(route: Route, path: str, server: KnownProvider) -> Iterator[Remark]:
    named = KNOWN_PROVIDERS.get(route.provider)
    if named is not None and named is not server:
        yield _doubt(f"base_url is {server}'s, and the provider is called {named.name}")
    home = urlsplit(server.base_url).path
    if path != home and home.startswith(f"{path}/"):
        yield _doubt(f"base_url is shorter than {server}'s usual one: is {server.base_url} meant?")
    if route.api_mode is server.api_mode:
        return
    compatible = server.api_mode is ApiMode.ANTHROPIC_MESSAGES and route.api_mode is ApiMode.CHAT_COMPLETIONS
    if server.api_mode is not ApiMode.CHAT_COMPLETIONS and not compatible:
        yield _fault(f'{server} does not speak {route.api_mode}: write api_mode = "{server.api_mode}"')
    if route.api_mode is ApiMode.ANTHROPIC_MESSAGES and "anthropic" not in path and not server.relays:
        yield _doubt(f"{server} may not speak {route.api_mode} at this base_url: its own is {server.api_mode}")


def _is_public(address: SplitResult) -> bool:
    """Tell whether a host is beyond this machine and its own network, as far as its name tells."""
    host = address.hostname or ""
    try:
        return ipaddress.ip_address(host).is_global
    except ValueError:
        return "." in host and not host.endswith(_HOME_ENDS)


def _fault(what: str) -> Remark:
    return Remark(Gravity.FAULT, Witness.CONFIGURATION, PlainText(what))


def _doubt(what: str) -> Remark:
    return Remark(Gravity.DOUBT, Witness.CONFIGURATION, PlainText(what))
