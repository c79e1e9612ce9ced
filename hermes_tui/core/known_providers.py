"""Known providers: the one place that states what is special about each, as data."""

from dataclasses import dataclass
from typing import Final

from hermes_tui.core.route import ApiMode


@dataclass(frozen=True, slots=True)
class KnownProvider:
    """A provider that a configuration may name without further words.

    `key_variables` are environment variables that hold its key; `needs_key` is False for local servers;
    `reopens_early` tells that it has a usage endpoint that says whether a limit ended before its date. A first
    configuration proposes `example_model`, and `example_variable` where no environment variable is known.
    """

    name: str
    base_url: str
    example_model: str
    api_mode: ApiMode = ApiMode.CHAT_COMPLETIONS
    key_variables: tuple[str, ...] = ()
    needs_key: bool = True
    reopens_early: bool = False
    sign_in: str | None = None
    example_variable: str | None = None


KNOWN_PROVIDERS: Final = {
    provider.name: provider
    for provider in (
        KnownProvider("openai", "https://api.openai.com/v1", "gpt-5.5", key_variables=("OPENAI_API_KEY",)),
        KnownProvider(
            "openai-codex",
            "https://chatgpt.com/backend-api/codex",
            "gpt-5.5",
            ApiMode.CODEX_RESPONSES,
            reopens_early=True,
            sign_in="codex login",
            example_variable="CODEX_TOKEN",
        ),
        KnownProvider(
            "openrouter", "https://openrouter.ai/api/v1", "z-ai/glm-5", key_variables=("OPENROUTER_API_KEY",)
        ),
        KnownProvider("deepseek", "https://api.deepseek.com/v1", "deepseek-chat", key_variables=("DEEPSEEK_API_KEY",)),
        KnownProvider(
            "groq", "https://api.groq.com/openai/v1", "llama-3.3-70b-versatile", key_variables=("GROQ_API_KEY",)
        ),
        KnownProvider("xai", "https://api.x.ai/v1", "grok-4", key_variables=("XAI_API_KEY",)),
        KnownProvider("zai", "https://api.z.ai/api/paas/v4", "glm-5", key_variables=("ZAI_API_KEY", "GLM_API_KEY")),
        KnownProvider(
            "mistral", "https://api.mistral.ai/v1", "mistral-large-latest", key_variables=("MISTRAL_API_KEY",)
        ),
        KnownProvider("ollama", "http://127.0.0.1:11434/v1", "llama3.2", needs_key=False),
        KnownProvider("lmstudio", "http://127.0.0.1:1234/v1", "local-model", needs_key=False),
        KnownProvider("vllm", "http://127.0.0.1:8000/v1", "local-model", needs_key=False),
        KnownProvider("llama-cpp", "http://127.0.0.1:8080/v1", "local-model", needs_key=False),
    )
}
