"""A terminal that goes away while the program draws: a connection that was lost, a window that was closed."""

from tests.terminal.conftest import Open


def test_a_lost_terminal_ends_the_program(terminal: Open) -> None:
    screen = terminal(120, 40, "demo", "--speed", "30")
    screen.shows("nightly-docs", "Help")
    assert screen.hang_up() == 0
