"""Who holds a lease: the name that Hermes signs with (`pid=4711:pidns=4026531836:turn=…:platform=cli`)."""

import functools
import re
from pathlib import Path
from typing import Final

_PID: Final = re.compile(r"(?:^|:)pid=([0-9]{1,10})(?::|$)")
_NAMESPACE: Final = re.compile(r"(?:^|:)pidns=([0-9]+)(?::|$)")


def local_pid(holder: object) -> int | None:
    """Return the process that `holder` names, None where it names none or one of another container."""
    if not isinstance(holder, str) or (pid := _PID.search(holder)) is None or not int(pid[1]):
        return None
    namespace = _NAMESPACE.search(holder)
    return int(pid[1]) if namespace is None or namespace[1] == _own_namespace() else None


@functools.cache
def _own_namespace() -> str | None:
    """Return the number of the process namespace that this program is in, None where there is no such thing."""
    try:
        link = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        return None
    return link.partition("[")[2].rstrip("]")
