"""What of a home has no counterpart among this program's own sessions, and why."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from hermes_tui.core.text import PlainText, one_line
from hermes_tui.hermes.entries import shown

_TAKEN: Final = (
    "model provider base_url api_base context_length fallback_providers fallback_model fallback custom_providers "
    "providers credential_pool_strategies _config_version onboarding"
)
_OTHERS: Final = "settings of Hermes itself"
_WHY: Final = {
    "sessions here talk to a model and run no tools": (
        "agent toolsets tools mcp_servers terminal browser web skills code_execution delegation checkpoints approvals "
        "command_allowlist plugins hooks memory security sandbox file_read_max_chars kanban moa lsp curator"
    ),
    "a conversation is compacted here without a model": "compression context prompt_caching",
    "messengers, voices and jobs stay with Hermes": (
        "gateway platforms telegram discord slack whatsapp signal matrix email cron voice tts stt webhook api_server"
    ),
    "a session here asks no second model": "auxiliary title_generation smart_model_routing",
}
_FILES: Final = {
    "SOUL.md": "system_prompt under [[sessions]] says here what a model is told",
    "skills": "sessions here have no skills",
    "cron": "`every` under [[sessions]] lets one run by itself",
}


def settings_left_out(document: Mapping[Any, Any]) -> Iterator[PlainText]:
    """Yield the settings of a `config.yaml` that are not taken over, by the reason why."""
    taken, reasons = _TAKEN.split(), {name: why for why, names in _WHY.items() for name in names.split()}
    left = [name for name, value in document.items() if str(name) not in taken and value not in (None, {}, [])]
    for why in (*_WHY, _OTHERS):
        names = [shown(str(name)) for name in left if reasons.get(str(name), _OTHERS) == why]
        if names:
            yield one_line(f"{', '.join(names)}: {why}")


def files_left_out(names: set[str]) -> Iterator[PlainText]:
    """Yield what is to say of the files of a home, by their names."""
    yield from (one_line(f"{name}: {why}") for name, why in _FILES.items() if name in names)
