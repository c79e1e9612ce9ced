"""Where Hermes sends what it asks of its own providers, as data; `tests/hermes` compares it with the real one.

Those whose API depends on the model, or needs a program or a sign-in that only Hermes has, are not here.
"""

from typing import Final, NamedTuple

from hermes_tui.core.route import ApiMode
from hermes_tui.hermes.known import canonical

CHAT: Final = ApiMode.CHAT_COMPLETIONS
RESPONSES: Final = ApiMode.CODEX_RESPONSES
MESSAGES: Final = ApiMode.ANTHROPIC_MESSAGES


class Server(NamedTuple):
    """A provider's address, the API that it speaks, the variables that may hold its key, and the one that moves it."""

    names: str
    base_url: str
    api_mode: ApiMode
    key_variables: str = ""
    url_variable: str = ""


CODEX: Final = Server("openai-codex", "https://chatgpt.com/backend-api/codex", RESPONSES, "", "HERMES_CODEX_BASE_URL")
OPENAI: Final = Server("openai", "https://api.openai.com/v1", RESPONSES, "OPENAI_API_KEY")

SERVERS: Final = (
    CODEX,
    Server("openrouter", "https://openrouter.ai/api/v1", CHAT, "OPENROUTER_API_KEY OPENAI_API_KEY"),
    Server(
        "gemini",
        "https://generativelanguage.googleapis.com/v1beta",
        CHAT,
        "GOOGLE_API_KEY GEMINI_API_KEY",
        "GEMINI_BASE_URL",
    ),
    Server("openai-api", "https://api.openai.com/v1", RESPONSES, "OPENAI_API_KEY", "OPENAI_BASE_URL"),
    Server("lmstudio", "http://127.0.0.1:1234/v1", CHAT, "LM_API_KEY", "LM_BASE_URL"),
    Server("zai", "https://api.z.ai/api/paas/v4", CHAT, "GLM_API_KEY ZAI_API_KEY Z_AI_API_KEY", "GLM_BASE_URL"),
    Server("kimi-coding", "https://api.moonshot.ai/v1", CHAT, "KIMI_API_KEY KIMI_CODING_API_KEY", "KIMI_BASE_URL"),
    Server("kimi-coding-cn", "https://api.moonshot.cn/v1", CHAT, "KIMI_CN_API_KEY", ""),
    Server("stepfun", "https://api.stepfun.ai/step_plan/v1", CHAT, "STEPFUN_API_KEY", "STEPFUN_BASE_URL"),
    Server("arcee", "https://api.arcee.ai/api/v1", CHAT, "ARCEEAI_API_KEY", "ARCEE_BASE_URL"),
    Server("gmi", "https://api.gmi-serving.com/v1", CHAT, "GMI_API_KEY", "GMI_BASE_URL"),
    Server("minimax", "https://api.minimax.io/anthropic", MESSAGES, "MINIMAX_API_KEY", "MINIMAX_BASE_URL"),
    Server(
        "anthropic",
        "https://api.anthropic.com",
        MESSAGES,
        "ANTHROPIC_API_KEY ANTHROPIC_TOKEN CLAUDE_CODE_OAUTH_TOKEN",
        "ANTHROPIC_BASE_URL",
    ),
    Server(
        "alibaba",
        "https://dashscope-intl.aliyuncs.com/compatible-mode/v1",
        CHAT,
        "DASHSCOPE_API_KEY",
        "DASHSCOPE_BASE_URL",
    ),
    Server(
        "alibaba-coding-plan",
        "https://coding-intl.dashscope.aliyuncs.com/v1",
        CHAT,
        "ALIBABA_CODING_PLAN_API_KEY DASHSCOPE_API_KEY",
        "ALIBABA_CODING_PLAN_BASE_URL",
    ),
    Server("minimax-cn", "https://api.minimaxi.com/anthropic", MESSAGES, "MINIMAX_CN_API_KEY", "MINIMAX_CN_BASE_URL"),
    Server("deepseek", "https://api.deepseek.com/v1", CHAT, "DEEPSEEK_API_KEY", "DEEPSEEK_BASE_URL"),
    Server("xai", "https://api.x.ai/v1", RESPONSES, "XAI_API_KEY", "XAI_BASE_URL"),
    Server("nvidia", "https://integrate.api.nvidia.com/v1", CHAT, "NVIDIA_API_KEY", "NVIDIA_BASE_URL"),
    Server("ai-gateway", "https://ai-gateway.vercel.sh/v1", CHAT, "AI_GATEWAY_API_KEY", "AI_GATEWAY_BASE_URL"),
    Server("kilocode", "https://api.kilo.ai/api/gateway", CHAT, "KILOCODE_API_KEY", "KILOCODE_BASE_URL"),
    Server("huggingface", "https://router.huggingface.co/v1", CHAT, "HF_TOKEN", "HF_BASE_URL"),
    Server("xiaomi", "https://api.xiaomimimo.com/v1", CHAT, "XIAOMI_API_KEY", "XIAOMI_BASE_URL"),
    Server("tencent-tokenhub", "https://tokenhub.tencentmaas.com/v1", CHAT, "TOKENHUB_API_KEY", "TOKENHUB_BASE_URL"),
    Server(
        "tencent-tokenplan",
        "https://api.lkeap.cloud.tencent.com/plan/anthropic",
        MESSAGES,
        "TOKENPLAN_API_KEY",
        "TOKENPLAN_BASE_URL",
    ),
    Server("ollama-cloud", "https://ollama.com/v1", CHAT, "OLLAMA_API_KEY", "OLLAMA_BASE_URL"),
    Server(
        "alibaba-cn dashscope-cn alibaba-cloud-cn",
        "https://dashscope.aliyuncs.com/compatible-mode/v1",
        CHAT,
        "DASHSCOPE_API_KEY",
        "DASHSCOPE_CN_BASE_URL",
    ),
    Server(
        "alibaba-token-plan dashscope-token-plan",
        "https://token-plan.ap-southeast-1.maas.aliyuncs.com/compatible-mode/v1",
        CHAT,
        "ALIBABA_TOKEN_PLAN_API_KEY",
        "ALIBABA_TOKEN_PLAN_BASE_URL",
    ),
    Server(
        "alibaba-token-plan-cn dashscope-token-plan-cn",
        "https://token-plan.cn-beijing.maas.aliyuncs.com/compatible-mode/v1",
        CHAT,
        "ALIBABA_TOKEN_PLAN_CN_API_KEY ALIBABA_TOKEN_PLAN_API_KEY",
        "ALIBABA_TOKEN_PLAN_CN_BASE_URL",
    ),
    Server(
        "alibaba-coding-plan-cn alibaba-coding-cn dashscope-coding-cn",
        "https://coding.dashscope.aliyuncs.com/v1",
        CHAT,
        "ALIBABA_CODING_PLAN_CN_API_KEY ALIBABA_CODING_PLAN_API_KEY DASHSCOPE_API_KEY",
        "ALIBABA_CODING_PLAN_CN_BASE_URL",
    ),
    Server(
        "commandcode commandcode-chat",
        "https://api.commandcode.ai/provider/v1",
        CHAT,
        "COMMANDCODE_API_KEY",
        "COMMANDCODE_BASE_URL",
    ),
    Server(
        "commandcode-anthropic commandcode-claude",
        "https://api.commandcode.ai/provider/v1",
        MESSAGES,
        "COMMANDCODE_API_KEY",
        "COMMANDCODE_ANTHROPIC_BASE_URL",
    ),
    Server(
        "deepinfra deep-infra deepinfra-ai",
        "https://api.deepinfra.com/v1/openai",
        CHAT,
        "DEEPINFRA_API_KEY",
        "DEEPINFRA_BASE_URL",
    ),
    Server("fireworks fireworks-ai fw", "https://api.fireworks.ai/inference/v1", CHAT, "FIREWORKS_API_KEY", ""),
    Server(
        "meta-ai meta muse muse-spark model-api msl",
        "https://api.meta.ai/v1",
        RESPONSES,
        "MODEL_API_KEY META_API_KEY META_MODEL_API_KEY",
        "META_BASE_URL",
    ),
    Server(
        "nebius-token-factory nebius nebius-tokenfactory nebius-tf token-factory tokenfactory",
        "https://api.tokenfactory.nebius.com/v1",
        CHAT,
        "NEBIUS_API_KEY NEBIUS_TOKEN_FACTORY_API_KEY",
        "NEBIUS_BASE_URL",
    ),
    Server("novita novita-ai novitaai", "https://api.novita.ai/openai/v1", CHAT, "NOVITA_API_KEY", "NOVITA_BASE_URL"),
    Server(
        "router ramp-router ramp router.com",
        "https://api.router.com/v1",
        RESPONSES,
        "RAMP_ROUTER_API_KEY ROUTER_API_KEY",
        "RAMP_ROUTER_BASE_URL",
    ),
    Server("upstage solar", "https://api.upstage.ai/v1", CHAT, "UPSTAGE_API_KEY", "UPSTAGE_BASE_URL"),
)

_BY_NAME: Final = {name: server for server in SERVERS for name in server.names.split()}
_BY_ALIAS: Final = {canonical(name): server for name, server in reversed(_BY_NAME.items())}
"""By the one name of each; where two share it, the first is meant."""


def server_of(provider: str) -> Server | None:
    """Return where Hermes asks a provider of its own, by any of its names; None for others."""
    name = provider.strip().lower()
    return OPENAI if name == "openai" else _BY_NAME.get(name) or _BY_ALIAS.get(canonical(name))


def identity(provider: str) -> object:
    """Return what is the same for all names of one provider: its server, where it has one here."""
    return server_of(provider) or canonical(provider)


def mode_at(base_url: str) -> ApiMode:
    """Return the API that Hermes speaks at an address where nothing else says so."""
    address = base_url.lower().rstrip("/")
    host = address.partition("://")[2].partition("/")[0].partition(":")[0]
    if host == "api.anthropic.com" or address.endswith(("/anthropic", "/anthropic/v1")):
        return MESSAGES
    if host in ("api.x.ai", "api.meta.ai") or host == "api.openai.com" or host.endswith(".api.openai.com"):
        return RESPONSES
    return CHAT
