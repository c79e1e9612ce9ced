"""One look at a home: what each of its files said, when, and which of them could not be read."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Final

from hermes_tui.core.text import PlainText
from hermes_tui.hermes.memory import NO_MEMORY, Memory
from hermes_tui.hermes.naming import names
from hermes_tui.hermes.refusals import with_refusals
from hermes_tui.hermes.story import Story
from hermes_tui.hermes.values import Conversation, Happening, Home, HomeConfiguration, Login, Logins, Release, Running

TERMINALS: Final = frozenset({"cli", "tui"})
"""Where a session runs that a person writes to in a terminal."""


@dataclass(frozen=True)
class Reading:
    """What is known of a home. Unchanged parts are the same objects as in the reading before.

    `at` is when it was looked at (epoch seconds). `troubles` name what could not be read now, by file, with the reason;
    what such a file said before stays. `notes` are what a person should know and what is no fault: a claim of a
    process that has ended, a file that Hermes has not made yet. `left_out` sessions are older than those read; `waits`
    tells that none could be read yet, as another process keeps them to itself. `stories` are by the id of the
    conversation. `registered` are the conversations that some process has open, None where this Hermes keeps no list of
    those. `memory` is what running processes tell, where one can be asked. `hosted` are
    the conversations that this program itself runs, with when the turn began that runs, None where none does.
    """

    home: Home
    at: float
    release: Release | None = None
    configuration: HomeConfiguration | None = None
    logins: Logins = field(default_factory=Logins)
    conversations: tuple[Conversation, ...] = ()
    running: tuple[Running, ...] = ()
    registered: frozenset[str] | None = None
    happenings: tuple[Happening, ...] = ()
    stories: Mapping[str, Story] = field(default_factory=dict)
    troubles: tuple[tuple[str, PlainText], ...] = ()
    notes: tuple[PlainText, ...] = ()
    left_out: int = 0
    waits: bool = False
    memory: Memory = NO_MEMORY
    hosted: Mapping[str, float | None] = field(default_factory=dict)

    @cached_property
    def names(self) -> Mapping[str, str]:
        """The names of the conversations, by their ids."""
        return names(self.conversations)

    @cached_property
    def pool(self) -> tuple[Login, ...]:
        """The logins of `auth.json`, with what the log alone tells of them."""
        return with_refusals(self.logins.rows, self.stories.values(), self.conversations)

    def is_closed(self, conversation: Conversation) -> bool:
        """Tell whether nobody has a session open, so that nothing of it is in any memory.

        A session of a terminal is in Hermes' list while it is open; one that another began may not be.
        """
        if conversation.id in self.hosted or self.memory.session(conversation.id) is not None:
            return False
        if conversation.ended_at is not None:
            return True
        if self.registered is None or conversation.busy_until is not None or conversation.parent is not None:
            return False
        return conversation.surface in TERMINALS and conversation.id not in self.registered
