"""The names under which Hermes knows providers, as data; `tests/hermes` compares them with the real ones."""

from typing import Final

_ALIASES_OF: Final = {
    "openrouter": "openai",
    "zai": "glm z-ai z.ai zhipu",
    "xai": "x-ai x.ai grok",
    "xai-oauth": "grok-oauth x-ai-oauth xai-grok-oauth",
    "nvidia": "nim nvidia-nim build-nvidia nemotron",
    "kimi-for-coding": "kimi kimi-coding kimi-coding-cn moonshot",
    "stepfun": "step stepfun-coding-plan",
    "minimax-cn": "minimax-china minimax_cn",
    "anthropic": "claude claude-code",
    "github-copilot": "copilot github",
    "copilot-acp": "github-copilot-acp",
    "openai-codex": "chatgpt chatgpt-codex",
    "vercel": "ai-gateway aigateway vercel-ai-gateway",
    "opencode": "opencode-zen zen",
    "opencode-go": "go opencode-go-sub",
    "kilo": "kilocode kilo-code kilo-gateway",
    "deepseek": "deep-seek",
    "alibaba": "dashscope aliyun qwen alibaba-cloud",
    "alibaba-coding-plan": "alibaba_coding alibaba-coding alibaba_coding_plan",
    "huggingface": "hf hugging-face huggingface-hub",
    "novita": "novita-ai novitaai",
    "xiaomi": "mimo xiaomi-mimo",
    "tencent-tokenhub": "tencent tokenhub tencent-cloud tencentmaas",
    "tencent-tokenplan": "tokenplan tencent-lkeap",
    "bedrock": "aws aws-bedrock amazon-bedrock amazon",
    "arcee": "arcee-ai arceeai",
    "gmi": "gmi-cloud gmicloud",
    "fireworks": "fireworks-ai fw",
    "upstage": "solar",
    "actual": "actual-computer actualcomputer aci",
    "nebius-token-factory": "nebius nebius-tokenfactory nebius-tf token-factory tokenfactory",
    "lmstudio": "lm-studio lm_studio",
    "custom": "ollama local vllm llamacpp llama.cpp llama-cpp",
}
_ALIASES: Final = {alias: provider for provider, aliases in _ALIASES_OF.items() for alias in aliases.split()}

_OTHERS: Final = """
    ai_gateway alibaba-cloud-cn alibaba-cn alibaba-coding-cn alibaba-coding-plan-cn alibaba-token-plan
    alibaba-token-plan-cn auto azure azure-ai azure-ai-foundry azure-foundry claude-oauth codex commandcode
    commandcode-anthropic commandcode-chat commandcode-claude copilot-acp-agent dashscope-cn dashscope-coding
    dashscope-coding-cn dashscope-token-plan dashscope-token-plan-cn deep-infra deepinfra deepinfra-ai deepseek-chat
    gcp-vertex gemini github-model github-models google google-ai-studio google-gemini google-vertex kimi-cn main meta
    meta-ai mini-max minimax minimax-global minimax-oauth minimax-oauth-io minimax-portal minimax_oauth moa model-api
    moonshot-cn msl muse muse-spark nous nous-portal nousresearch ollama-cloud ollama_cloud openai-api openai_codex
    opencode_go opencode_zen or qwen-cli qwen-dashscope qwen-oauth qwen-portal ramp ramp-router router router.com
    solstice solstice-oauth vertex vertex-ai vertexai
    """

KNOWN: Final = frozenset(_OTHERS.split()) | _ALIASES.keys() | _ALIASES_OF.keys()
"""Every name that any inspected release takes as a provider of its own."""

API_MODES: Final = {
    "openai": "chat_completions",
    "openai_chat": "chat_completions",
    "openai-chat": "chat_completions",
    "chat-completions": "chat_completions",
    "chatcompletions": "chat_completions",
    "responses": "codex_responses",
    "openai_responses": "codex_responses",
    "openai-responses": "codex_responses",
    "anthropic": "anthropic_messages",
    "anthropic-messages": "anthropic_messages",
    "messages": "anthropic_messages",
    "bedrock": "bedrock_converse",
    "bedrock-converse": "bedrock_converse",
}
"""Other spellings of an API mode."""

STRATEGIES: Final = frozenset({"fill_first", "round_robin", "random", "least_used"})

CONTEXT_FLOOR: Final = 64_000
"""Tokens of context below which Hermes takes no route, unless `agent.minimum_tool_context_length` says otherwise."""


def canonical(provider: str) -> str:
    """Return the one name of a provider that goes by several, as Hermes 0.22 tells entries of a chain apart.

    Hermes 0.19 compares the names as they stand.
    """
    name = provider.strip().lower()
    return _ALIASES.get(name, name)
