"""Known providers: the one place that states what is special about each, as data, and how a route's is found.

Everything else speaks of API modes and failure kinds; whoever adds a provider adds an entry here.
"""

import re
from functools import lru_cache
from typing import Final
from urllib.parse import urlsplit

from hermes_tui.core.known_provider import KeyHeader, KnownProvider, Subscription
from hermes_tui.core.provider_codes import DASHSCOPE_CODES, MINIMAX_CODES, ZAI_CODES
from hermes_tui.core.route import ApiMode

KNOWN_PROVIDERS: Final = {
    provider.name: provider
    for provider in (
        KnownProvider(
            "openai",
            "https://api.openai.com/v1",
            "gpt-5.5",
            title="OpenAI",
            key_variables=("OPENAI_API_KEY",),
            hosts=("api.openai.com",),
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
            subscription=Subscription("sk-ant-oat", {"anthropic-beta": "oauth-2025-04-20"}),
            key_variables=("ANTHROPIC_API_KEY",),
            key_prefix="sk-ant-",
            hosts=("api.anthropic.com",),
            credit_page="console.anthropic.com/settings/billing",
            keys_page="console.anthropic.com/settings/keys",
        ),
        KnownProvider(
            "openrouter",
            "https://openrouter.ai/api/v1",
            "z-ai/glm-5",
            title="OpenRouter",
            key_header=KeyHeader.BEARER,
            key_variables=("OPENROUTER_API_KEY",),
            key_prefix="sk-or-",
            hosts=("openrouter.ai",),
            relays=True,
            own_account=("openrouter.ai/", "insufficient credits", "key limit exceeded", "in flight budget"),
            key_path="/key",
            credit_page="openrouter.ai/settings/credits",
            keys_page="openrouter.ai/settings/keys",
        ),
        KnownProvider(
            "gemini",
            "https://generativelanguage.googleapis.com/v1beta/openai",
            "gemini-2.5-flash",
            title="Gemini",
            key_variables=("GEMINI_API_KEY", "GOOGLE_API_KEY"),
            key_prefix="AIza",
            hosts=("generativelanguage.googleapis.com",),
            day_ends="at midnight Pacific",
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
            lists_models=False,
            empty_waits=frozenset([86400.0]),
            credit_page="portal.azure.com",
            keys_page="portal.azure.com",
            example_url="https://my-resource.openai.azure.com/openai/v1",
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
            key_prefix="gsk_",
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
            key_prefix="xai-",
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
            codes=ZAI_CODES,
            credit_page="z.ai/manage-apikey/billing",
            keys_page="z.ai/manage-apikey/apikey-list",
        ),
        KnownProvider(
            "mistral",
            "https://api.mistral.ai/v1",
            "mistral-large-latest",
            title="Mistral",
            key_variables=("MISTRAL_API_KEY",),
            hosts=("api.mistral.ai", "codestral.mistral.ai"),
            counts_tokens=False,
            credit_page="admin.mistral.ai/organization/billing",
            keys_page="console.mistral.ai/api-keys",
        ),
        KnownProvider(
            "dashscope",
            "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
            "qwen-plus",
            title="DashScope",
            key_variables=("DASHSCOPE_API_KEY",),
            hosts=("dashscope-intl.aliyuncs.com", "dashscope-us.aliyuncs.com", "dashscope.aliyuncs.com"),
            codes=DASHSCOPE_CODES,
            credit_page="modelstudio.console.alibabacloud.com",
            keys_page="modelstudio.console.alibabacloud.com",
        ),
        KnownProvider(
            "minimax",
            "https://api.minimax.io/v1",
            "MiniMax-M2",
            title="MiniMax",
            key_variables=("MINIMAX_API_KEY",),
            hosts=("api.minimax.io", "api.minimaxi.com", "api.minimax.chat"),
            codes=MINIMAX_CODES,
            credit_page="platform.minimax.io",
            keys_page="platform.minimax.io",
        ),
        KnownProvider(
            "nous",
            "https://inference-api.nousresearch.com/v1",
            "Hermes-4-405B",
            title="Nous Portal",
            key_variables=("NOUS_API_KEY",),
            hosts=("inference-api.nousresearch.com",),
            credit_page="portal.nousresearch.com",
            keys_page="portal.nousresearch.com",
        ),
        KnownProvider(
            "litellm",
            "http://127.0.0.1:4000/v1",
            "my-model",
            title="the LiteLLM proxy",
            key_variables=("LITELLM_API_KEY", "LITELLM_MASTER_KEY"),
            needs_key=False,
            relays=True,
            own_account=("budget",),
        ),
        KnownProvider("ollama", "http://127.0.0.1:11434/v1", "llama3.2", title="Ollama", needs_key=False),
        KnownProvider("lmstudio", "http://127.0.0.1:1234/v1", "local-model", title="LM Studio", needs_key=False),
        KnownProvider("vllm", "http://127.0.0.1:8000/v1", "local-model", title="vLLM", needs_key=False),
        KnownProvider("llama-cpp", "http://127.0.0.1:8080/v1", "local-model", title="llama.cpp", needs_key=False),
    )
}

_NO_WORD: Final = re.compile(r"[^a-z0-9]+")


@lru_cache(maxsize=256)
def provider_behind(name: str, base_url: str = "") -> KnownProvider:
    """Return what is known of the provider that a route names: by its host, its name, or a known name in its name.

    A provider that nothing is known of is one with its name alone.
    """
    host = _host(base_url)
    by_host = (known for known in KNOWN_PROVIDERS.values() if any(_is_under(host, end) for end in known.hosts))
    return next(by_host, None) or _named_in(name) or KnownProvider(name, base_url, "")


def known_server(url: str) -> KnownProvider | None:
    """Return the known provider whose server `url` is on, whatever a configuration calls it; None for nobody's."""
    behind = provider_behind("", url)
    return behind if behind.name else None


def issuer_of(key: str) -> KnownProvider | None:
    """Return the known provider whose keys begin like `key`, None where that tells nothing."""
    issuers = (known for known in KNOWN_PROVIDERS.values() if known.key_prefix and key.startswith(known.key_prefix))
    return next(issuers, None)


def _named_in(name: str) -> KnownProvider | None:
    """Return the known provider whose name stands first in `name` as words; of two that do, that of the longer."""
    words = f"-{_NO_WORD.sub('-', name.lower())}-"
    named = [known for known in KNOWN_PROVIDERS.values() if f"-{known.name}-" in words]
    return min(named, key=lambda known: (words.index(f"-{known.name}-"), -len(known.name)), default=None)


def _host(base_url: str) -> str:
    try:
        return (urlsplit(base_url).hostname or "").lower().rstrip(".")
    except ValueError:  # brackets that do not close
        return ""


def _is_under(host: str, end: str) -> bool:
    return host == end or host.endswith(f".{end}")
