"""Known providers: the one place that states what is special about each, as data.

Everything else speaks of API modes and failure kinds; whoever adds a provider adds an entry here.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit

from hermes_tui.core.failure import FailureKind as Kind
from hermes_tui.core.failure import Meaning, Scope
from hermes_tui.core.route import ApiMode


class KeyHeader(StrEnum):
    """The header in which a provider wants the key; its value is the bare key, save for `Authorization`."""

    BEARER = "Authorization"
    API_KEY = "api-key"
    X_API_KEY = "x-api-key"

    def fields(self, token: str) -> dict[str, str]:
        """Return the header that carries `token`."""
        return {self.value: f"Bearer {token}" if self is KeyHeader.BEARER else token}


@dataclass(frozen=True, slots=True)
class KnownProvider:
    """A provider that a configuration may name without further words, and how to read what it sends.

    To reach it: `base_url` (empty where every customer has another), `api_mode`, `key_header`, `key_variables`
    (environment variables that hold its key); `needs_key` is False for local servers, which take one where it is set.
    `hosts` are the ends of host names by which it is recognised, whatever a configuration calls it. `counts_tokens`
    tells that a stream may be asked for its token counts (`stream_options`).

    To read it: `codes` are error codes that only mean something here, in lower case. `relays` tells that its errors
    may be those of an upstream, which say nothing about its own account. `empty_waits` (seconds) are waits that it
    gives when it has none to give. `reopens_early` tells that it has a usage endpoint that says whether a limit
    ended before its date.

    For people: `title`, the pages where credit and keys are managed, the command that signs in again. A first
    configuration proposes `example_model`, and `example_variable` where no environment variable is known.
    """

    name: str
    base_url: str
    example_model: str
    title: str = ""
    api_mode: ApiMode = ApiMode.CHAT_COMPLETIONS
    key_header: KeyHeader = KeyHeader.BEARER
    key_variables: tuple[str, ...] = ()
    needs_key: bool = True
    hosts: tuple[str, ...] = ()
    counts_tokens: bool = True
    codes: Mapping[str, Meaning] = field(default_factory=dict)
    relays: bool = False
    empty_waits: frozenset[float] = frozenset()
    reopens_early: bool = False
    credit_page: str | None = None
    keys_page: str | None = None
    sign_in: str | None = None
    example_variable: str | None = None

    def __str__(self) -> str:
        return self.title or self.name


_ZAI_CODES: Final = {
    "1113": Meaning(Kind.BILLING, Scope.ACCOUNT),
    "1302": Meaning(Kind.RATE_LIMIT, Scope.MODEL),
    "1303": Meaning(Kind.RATE_LIMIT, Scope.MODEL),
    "1305": Meaning(Kind.RATE_LIMIT, Scope.MODEL),
    **dict.fromkeys(
        ("1308", "1310", *map(str, range(1316, 1322))),
        Meaning(Kind.USAGE_LIMIT, Scope.ACCOUNT),
    ),
}

_MINIMAX_CODES: Final = {
    "1026": Meaning(Kind.REFUSED, Scope.REQUEST),
    "1027": Meaning(Kind.REFUSED, Scope.REQUEST),
}

KNOWN_PROVIDERS: Final = {
    provider.name: provider
    for provider in (
        KnownProvider(
            "openai",
            "https://api.openai.com/v1",
            "gpt-5.5",
            title="OpenAI",
            key_variables=("OPENAI_API_KEY",),
            credit_page="platform.openai.com/settings/organization/billing",
            keys_page="platform.openai.com/api-keys",
        ),
        KnownProvider(
            "openai-codex",
            "https://chatgpt.com/backend-api/codex",
            "gpt-5.5",
            title="Codex",
            api_mode=ApiMode.CODEX_RESPONSES,
            hosts=("chatgpt.com",),
            reopens_early=True,
            credit_page="chatgpt.com/codex/settings/usage",
            sign_in="codex login",
            example_variable="CODEX_TOKEN",
        ),
        KnownProvider(
            "anthropic",
            "https://api.anthropic.com/v1",
            "claude-sonnet-4-5",
            title="Anthropic",
            api_mode=ApiMode.ANTHROPIC_MESSAGES,
            key_header=KeyHeader.X_API_KEY,
            key_variables=("ANTHROPIC_API_KEY",),
            hosts=("api.anthropic.com",),
            credit_page="console.anthropic.com/settings/billing",
            keys_page="console.anthropic.com/settings/keys",
        ),
        KnownProvider(
            "openrouter",
            "https://openrouter.ai/api/v1",
            "z-ai/glm-5",
            title="OpenRouter",
            key_variables=("OPENROUTER_API_KEY",),
            hosts=("openrouter.ai",),
            relays=True,
            credit_page="openrouter.ai/settings/credits",
            keys_page="openrouter.ai/settings/keys",
        ),
        KnownProvider(
            "gemini",
            "https://generativelanguage.googleapis.com/v1beta/openai",
            "gemini-2.5-flash",
            title="Gemini",
            key_variables=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
            hosts=("generativelanguage.googleapis.com",),
            credit_page="console.cloud.google.com/billing",
            keys_page="aistudio.google.com/apikey",
        ),
        KnownProvider(
            "azure",
            "",
            "my-deployment",
            title="Azure OpenAI",
            key_header=KeyHeader.API_KEY,
            key_variables=("AZURE_OPENAI_API_KEY",),
            hosts=("openai.azure.com", "services.ai.azure.com", "cognitiveservices.azure.com"),
            empty_waits=frozenset([86400.0]),
            credit_page="portal.azure.com",
            keys_page="portal.azure.com",
        ),
        KnownProvider(
            "deepseek",
            "https://api.deepseek.com/v1",
            "deepseek-chat",
            title="DeepSeek",
            key_variables=("DEEPSEEK_API_KEY",),
            hosts=("api.deepseek.com",),
            credit_page="platform.deepseek.com/top_up",
            keys_page="platform.deepseek.com/api_keys",
        ),
        KnownProvider(
            "groq",
            "https://api.groq.com/openai/v1",
            "llama-3.3-70b-versatile",
            title="Groq",
            key_variables=("GROQ_API_KEY",),
            hosts=("api.groq.com",),
            credit_page="console.groq.com/settings/billing",
            keys_page="console.groq.com/keys",
        ),
        KnownProvider(
            "xai",
            "https://api.x.ai/v1",
            "grok-4",
            title="xAI",
            key_variables=("XAI_API_KEY",),
            hosts=("api.x.ai",),
            credit_page="console.x.ai",
            keys_page="console.x.ai",
        ),
        KnownProvider(
            "zai",
            "https://api.z.ai/api/paas/v4",
            "glm-5",
            title="Z.AI",
            key_variables=("ZAI_API_KEY", "GLM_API_KEY"),
            hosts=("api.z.ai", "open.bigmodel.cn"),
            codes=_ZAI_CODES,
            credit_page="z.ai/manage-apikey/billing",
            keys_page="z.ai/manage-apikey/apikey-list",
        ),
        KnownProvider(
            "mistral",
            "https://api.mistral.ai/v1",
            "mistral-large-latest",
            title="Mistral",
            key_variables=("MISTRAL_API_KEY",),
            hosts=("api.mistral.ai",),
            credit_page="admin.mistral.ai/organization/billing",
            keys_page="console.mistral.ai/api-keys",
        ),
        KnownProvider(
            "dashscope",
            "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
            "qwen-plus",
            title="DashScope",
            key_variables=("DASHSCOPE_API_KEY",),
            hosts=("dashscope-intl.aliyuncs.com", "dashscope.aliyuncs.com"),
            credit_page="modelstudio.console.alibabacloud.com",
            keys_page="modelstudio.console.alibabacloud.com",
        ),
        KnownProvider(
            "minimax",
            "https://api.minimax.io/v1",
            "MiniMax-M2",
            title="MiniMax",
            key_variables=("MINIMAX_API_KEY",),
            hosts=("api.minimax.io", "api.minimaxi.com"),
            codes=_MINIMAX_CODES,
            credit_page="platform.minimax.io",
            keys_page="platform.minimax.io",
        ),
        KnownProvider(
            "litellm",
            "http://127.0.0.1:4000/v1",
            "my-model",
            title="the LiteLLM proxy",
            key_variables=("LITELLM_API_KEY", "LITELLM_MASTER_KEY"),
            needs_key=False,
            relays=True,
        ),
        KnownProvider("ollama", "http://127.0.0.1:11434/v1", "llama3.2", title="Ollama", needs_key=False),
        KnownProvider("lmstudio", "http://127.0.0.1:1234/v1", "local-model", title="LM Studio", needs_key=False),
        KnownProvider("vllm", "http://127.0.0.1:8000/v1", "local-model", title="vLLM", needs_key=False),
        KnownProvider("llama-cpp", "http://127.0.0.1:8080/v1", "local-model", title="llama.cpp", needs_key=False),
    )
}


@lru_cache(maxsize=256)
def provider_behind(name: str, base_url: str = "") -> KnownProvider:
    """Return what is known of the provider that a route names: by its host, its name, or a known name in its name.

    A provider that nothing is known of is one with its name alone.
    """
    host = _host(base_url)
    by_host = (known for known in KNOWN_PROVIDERS.values() if any(_is_under(host, end) for end in known.hosts))
    found = next(by_host, None) or KNOWN_PROVIDERS.get(name)
    if found is None:
        words = name.lower().replace("_", "-").split("-")
        found = next((known for word in words if (known := KNOWN_PROVIDERS.get(word))), None)
    return found or KnownProvider(name, base_url, "")


def _host(base_url: str) -> str:
    try:
        return (urlsplit(base_url).hostname or "").lower()
    except ValueError:  # brackets that do not close
        return ""


def _is_under(host: str, end: str) -> bool:
    return host == end or host.endswith(f".{end}")
