"""Whatever a hand, a mouse and a window can do to a program, by chance but repeatable."""

import random

from tests.terminal.conftest import Terminal
from tests.terminal.hostile import POISON

_KEYS = (*"?:/123456jkgGzsSnbrfpPcmeixRtyhvuoNAaJKda .,[]+-0", "\t", "\r", "\x7f", "\x0e", "\x12", "\x13", "\x1a")
"""Every key of the dashboard but those that leave it or hand the terminal to another program."""

_CODES = (
    "\x1b[A",
    "\x1b[B",
    "\x1b[C",
    "\x1b[D",
    "\x1b[5~",
    "\x1b[6~",
    "\x1b[H",
    "\x1b[F",
    "\x1b[Z",
    "\x1bOP",
    "\x1b[I",
)


def disturb(screen: Terminal, chance: random.Random) -> None:
    """Do one thing to the program."""
    match chance.randint(0, 9):
        case 0 | 1 | 2 | 3:
            screen.press(chance.choice(_KEYS))
        case 4:
            screen.press(chance.choice(_CODES))
        case 5:
            screen.press("\x1b")
        case 6 | 7:
            button, x, y = chance.choice((0, 0, 0, 2, 35, 64, 65)), chance.randint(1, 200), chance.randint(1, 60)
            screen.press(f"\x1b[<{button};{x};{y}M")
            screen.press(f"\x1b[<{button};{x};{y}m")
        case 8:
            screen.press(f"\x1b[200~{chance.choice(POISON)}\x1b[201~")
        case _:
            screen.resize(chance.randint(1, 200), chance.randint(1, 60))
