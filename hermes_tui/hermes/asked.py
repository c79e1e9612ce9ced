"""What a session asks for: by what its user chose, whatever Hermes took for that since.

The model in its row of `state.db` is no proof: where a fallback answered its first turn, Hermes writes that there, and
in the messaging gateway whatever answered last. A process that opens a session goes by that row; up to 0.19 it begins
on a fallback where all logins of the primary are benched. Either way it has another primary from then on.
"""

from hermes_tui.core.route import Link, Route
from hermes_tui.core.text import PlainText, one_line
from hermes_tui.hermes.links import is_same_route, link_of
from hermes_tui.hermes.memory import OpenSession
from hermes_tui.hermes.reading import Reading
from hermes_tui.hermes.story import Story
from hermes_tui.hermes.values import Conversation, Entry, HomeConfiguration

Named = tuple[str, str]
"""Provider and model, as Hermes records them."""


def asked_for(conversation: Conversation, story: Story, file: HomeConfiguration | None) -> Link:
    """Return the primary: the file's entry where the session asks for the same.

    A fallback of the file is what the session asks for only where somebody chose it, which the log tells, or `state.db`
    where the log says nothing else.
    """
    primary = file.primary if file is not None else None
    stored = conversation.provider or (primary.provider if primary else ""), conversation.model
    told = [named for named in (conversation.chosen, story.primary, story.began_on, stored) if named is not None]
    found = next((named for named in told if named == story.primary or not _is_a_fallback(named, file)), None)
    provider, model = found or conversation.chosen or ("", "")
    if primary is not None and (not model or is_same_route(primary, provider, model)):
        return link_of(primary)
    return link_of(Entry(provider, model, "state.db"))


def _is_a_fallback(named: Named, file: HomeConfiguration | None) -> bool:
    """Tell whether a route serves in place of the primary; a row's model may stand beside the primary's provider."""
    provider, model = named
    if file is None or file.primary is None or is_same_route(file.primary, provider, model):
        return False
    other = model != file.primary.model
    return not model or any(is_same_route(one, provider, model) or (other and one.model == model) for one in file.chain)


def serving_elsewhere(conversation: Conversation, story: Story, asked: Route) -> Named | None:
    """Return provider and model of the route that serves in place of the one `asked` for, None where that does.

    The route of the last answer tells it; a switch or a restore that the logs tell of since then is newer.
    """
    last = conversation.served[0] if conversation.served else None
    seen = (last.last_seen or 0.0) if last is not None else 0.0
    home = story.home
    if home is not None and not story.on_fallback and home.time >= seen:
        return None
    if story.left is not None and story.on_fallback and story.left.time >= seen:
        return story.left.to_provider, story.left.to_model
    if last is None or not last.model or is_same_route(asked, last.provider, last.model):
        return None
    return last.provider, last.model


def instead_of(asked: Route, conversation: Conversation, reading: Reading) -> PlainText | None:
    """Return what Hermes has for the primary of a session in place of the one `asked` for, None where it is that one.

    It is what its process says; of a session that nobody has open what it is opened with, by `state.db`.
    """
    live = reading.memory.session(conversation.id)
    if live is not None:
        return None if has_primary(live, asked, reading.configuration) else one_line(str(live.requested))
    is_told = reading.is_closed(conversation) and conversation.model and not is_stored(asked, conversation)
    return one_line(conversation.model) if is_told else None


def has_primary(live: OpenSession, asked: Route, file: HomeConfiguration | None) -> bool:
    """Tell whether the process of a session has as its primary what is `asked` for, or what its user chose just now."""
    named = live.requested.provider, live.requested.model
    return is_same_route(asked, *named) or not _is_a_fallback(named, file)


def how_to_return(asked: Route, conversation: Conversation) -> PlainText:
    """Return what brings such a session back."""
    choose = f"in Hermes, choose its model: /model {asked.model} --provider {asked.provider}"
    if is_stored(asked, conversation):
        return one_line(f"Close it there, and open it again once a login of {asked.provider} is free; or {choose}.")
    return one_line(f"I{choose[1:]}.")


def is_stored(asked: Route, conversation: Conversation) -> bool:
    """Tell whether `state.db` has what is `asked` for as the model with which a session is opened."""
    return is_same_route(asked, conversation.provider, conversation.model)
