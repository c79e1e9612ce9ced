"""A process that has done everything once, and forks a life for each order: `python -m tests.durability.zygote FD`.

An order is a function and its arguments, followed by the descriptor on which the life speaks; it is answered with the
life's pid. A pid is the order to wait for that life's end; it is answered with the exit code. Nothing is open when a
life is forked: no loop, no thread, no connection to SQLite.
"""

import importlib
import os
import pkgutil
import sys
from multiprocessing.connection import Connection
from multiprocessing.reduction import recv_handle

import hermes_tui


def main(descriptor: int) -> None:
    """Load the whole program, do the first order here, then fork a life for each, until killed."""
    for found in pkgutil.walk_packages(hermes_tui.__path__, "hermes_tui."):
        if not found.name.endswith("__main__"):
            importlib.import_module(found.name)
    with Connection(descriptor) as orders:
        _follow(orders.recv(), recv_handle(orders))
        while True:
            order = orders.recv()
            orders.send(_exit_code(order) if isinstance(order, int) else _fork(order, recv_handle(orders)))


def _exit_code(pid: int) -> int:
    _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status)


def _fork(order: tuple[object, ...], spoken_on: int) -> int:
    pid = os.fork()
    if pid == 0:
        _follow(order, spoken_on)
        os._exit(0)
    os.close(spoken_on)
    return pid


def _follow(order: tuple[object, ...], spoken_on: int) -> None:
    do, *arguments = order
    with Connection(spoken_on, readable=False) as said:
        do(*arguments, said)  # type: ignore[operator]


if __name__ == "__main__":
    main(int(sys.argv[1]))
