"""What a typed prompt asks for: most are for the model, `/model provider/model` is for us (M43)."""

from collections.abc import Iterable
from typing import Final

from hermes_tui.core.acts import SendPrompt, SwitchModel
from hermes_tui.core.configuration import Configuration
from hermes_tui.core.errors import RefusedError
from hermes_tui.core.session import Message, Role, Session

SWITCH: Final = "/model"


def typed(session: str, text: str) -> SendPrompt | SwitchModel:
    """Return the command that a prompt stands for. Raises RefusedError for a /model without a route."""
    word, _, rest = text.strip().partition(" ")
    return switch_to(session, rest) if word == SWITCH else SendPrompt(session, text)


def switch_to(session: str, name: str) -> SwitchModel:
    """Return the command that gives `session` the primary `name`, written provider/model. Raises RefusedError."""
    provider, model = split_name(name)
    if not provider or not model:
        raise RefusedError(f"write {SWITCH} provider/model, as in {SWITCH} openrouter/z-ai/glm-5")
    return SwitchModel(session, provider, model)


def any_switch(session: Session, configuration: Configuration | None) -> SwitchModel:
    """Return a command that gives `session` another primary: for asking whether it can have one at all."""
    provider = session.requested.provider
    if configuration is not None and configuration.pool(provider) is None:
        provider = next((pool.name for pool in configuration.pools), provider)
    return SwitchModel(session.name, provider, "?")


def earlier(messages: Iterable[Message], sent: Iterable[str]) -> tuple[str, ...]:
    """Return what was asked in a session, each once, the newest last; `sent` is what no message holds yet."""
    asked = (*(message.text for message in messages if message.role is Role.USER), *sent)
    return tuple(reversed(dict.fromkeys(reversed(asked))))


def names(configuration: Configuration | None) -> tuple[str, ...]:
    """Return the routes that a configuration names, as provider/model, each once."""
    if configuration is None:
        return ()
    links = [configuration.primary, *configuration.chain]
    for plan in configuration.sessions:
        primary, chain = configuration.routes_of(plan)
        links += [primary, *chain]
    return tuple(dict.fromkeys(str(link.route) for link in links))


def split_name(name: str) -> tuple[str, str]:
    """Return the provider and the model of `provider/model`: a model's own name may hold slashes."""
    provider, _, model = name.strip().partition("/")
    return provider.strip(), model.strip()
