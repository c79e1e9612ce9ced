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
from hermes_tui.hermes.story import NO_STORY, Story
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
    found = conversation.chosen
    if found is None or _is_entry(found, file):
        told = (one for one in (story.restored, story.began_on, stored) if one is not None)
        found = story.chosen or next((one for one in told if not _is_a_fallback(one, file)), found)
    provider, model = found or ("", "")
    if primary is not None and (not model or is_same_route(primary, provider, model)):
        return link_of(primary)
    return link_of(Entry(provider, model, "state.db"))


def _is_entry(named: Named, file: HomeConfiguration | None) -> bool:
    """Tell whether a route is one of the chain's."""
    return file is not None and any(is_same_route(one, *named) for one in file.chain)


def _is_a_fallback(named: Named, file: HomeConfiguration | None) -> bool:
    """Tell whether a route serves in place of the primary; a row's model may stand beside the primary's provider."""
    if file is None or file.primary is None or is_same_route(file.primary, *named):
        return False
    model = named[1]
    is_model_of_one = model != file.primary.model and any(one.model == model for one in file.chain)
    return not model or is_model_of_one or _is_entry(named, file)


def serving_elsewhere(conversation: Conversation, story: Story, asked: Route) -> Named | None:
    """Return provider and model of the route that serves in place of the one `asked` for, None where that does.

    The route of the last answer tells it; a switch or a restore that the logs tell of since then is newer.
    """
    last = conversation.served[0] if conversation.served else None
    seen = (last.last_seen or 0.0) if last is not None else 0.0
    home = story.home
    if home is not None and not story.on_fallback and home.time >= seen:
        named = story.chosen if home is story.switched else story.restored
        return None if named is None or is_same_route(asked, *named) else named
    if story.left is not None and story.on_fallback and story.left.time >= seen:
        return story.left.to_provider, story.left.to_model
    if last is None or not last.model or is_same_route(asked, last.provider, last.model):
        return None
    return last.provider, last.model


def instead_of(asked: Route, conversation: Conversation, reading: Reading) -> PlainText | None:
    """Return what Hermes has for the primary of a session in place of the one `asked` for, None where it is that one.

    It is what its process says; of a session that nobody has open what it is opened with, by `state.db`. Of any other
    the log tells where its last turn began on a fallback's model of a provider that has it in no chain.
    """
    file, live = reading.configuration, reading.memory.session(conversation.id)
    if live is not None:
        return None if has_primary(live, asked, file) else one_line(str(live.requested))
    if reading.is_closed(conversation):
        is_other = conversation.model and not is_stored(asked, conversation)
        return one_line(conversation.model) if is_other else None
    turn = reading.stories.get(conversation.id, NO_STORY).turn
    began = (turn.provider, turn.model) if turn is not None and turn.model else None
    if began is None or is_same_route(asked, *began) or _is_entry(began, file) or not _is_a_fallback(began, file):
        return None
    return one_line("/".join(began))


def has_primary(live: OpenSession, asked: Route, file: HomeConfiguration | None) -> bool:
    """Tell whether the process of a session has as its primary what is `asked` for, or what its user chose just now."""
    named = live.requested.provider, live.requested.model
    return is_same_route(asked, *named) or not _is_a_fallback(named, file)


def how_to_return(asked: Route, conversation: Conversation) -> PlainText:
    """Return what brings such a session back."""
    route = f"/model {asked.model} --provider {asked.provider}"
    if is_stored(asked, conversation):
        again = f"Close it there, and open it again once a login of {asked.provider} is free"
        return one_line(f"{again}; or choose its model in Hermes: {route}.")
    return one_line(f"Choose its model in Hermes: {route}.")


def is_stored(asked: Route, conversation: Conversation) -> bool:
    """Tell whether `state.db` has what is `asked` for as the model with which a session is opened."""
    return is_same_route(asked, conversation.provider, conversation.model)
