"""Examining: the servers behind a text that is being edited, asked without spending a token (C116)."""

from collections.abc import AsyncGenerator
from typing import Protocol

from hermes_tui.core.catalogue import Catalogue
from hermes_tui.core.editing import Entry
from hermes_tui.core.fitness import Fitness


class Examiner(Protocol):
    """Asks servers about a chain as a text has it, saved or not: no prompt is sent, and no key to another's server."""

    def examine(self, text: str, owner: str | None) -> AsyncGenerator[Fitness, None]:
        """Yield whether each route of the owner's chain in `text` can serve, in the order in which answers come.

        All servers are asked at once; closing the generator gives up what is open. Raises ConfigurationError where
        the text is wrong.
        """

    async def models(self, text: str, entry: Entry) -> Catalogue:
        """Return the models that the server of `entry` lists, as if the entry stood in `text`.

        Raises ConfigurationError where the text is wrong, RefusedError with the reason where no list can be had.
        """
