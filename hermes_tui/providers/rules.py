"""What providers' refusals mean, as one ordered table: the first rule whose conditions all hold decides.

The order is the knowledge: codes that mean one thing come first, then the most specific sentences, then codes that
providers use loosely; only what none of them knows is left to the HTTP status.
"""

from typing import Final

from hermes_tui.providers.code_rules import CODES_OF_ONE_MEANING, LOOSE_CODES
from hermes_tui.providers.phrase_rules import PHRASES

RULES: Final = (*CODES_OF_ONE_MEANING, *PHRASES, *LOOSE_CODES)
