"""Configurations as people have them, each with what is worth trying in it; keys are made up."""

from typing import Final

CONFIGURATIONS: Final = {
    "a plain one": """\
model:
  default: gpt-5.5
  provider: openai-codex
fallback_providers:
  - provider: anthropic
    model: claude-opus-4
  - provider: openrouter
    model: z-ai/glm-5
""",
    "a model as text, and nothing else": "model: openai/gpt-5\n",
    "one fallback that is no list": "model: a\nfallback_providers: {provider: Anthropic, model: Claude}\n",
    "a legacy fallback after the list, one of them twice": """\
model: {model: gpt-5.5, provider: openai-codex}
fallback_providers:
  - {provider: anthropic, model: claude-opus-4}
fallback_model:
  - {provider: ANTHROPIC, model: Claude-Opus-4}
  - {provider: deepseek, model: v4}
""",
    "a legacy fallback alone": "model: x\nfallback_model:\n  provider: nous\n  model: hermes-4\n",
    "an alias of the same provider": """\
model: x
fallback_providers:
  - {provider: opencode, model: big}
  - {provider: zen, model: big}
  - {provider: kimi, model: k3}
  - {provider: moonshot, model: k3}
""",
    "the same model at two addresses": """\
model: x
fallback_providers:
  - {provider: custom, model: m, base_url: 'http://127.0.0.1:1/v1/'}
  - {provider: custom, model: m, base_url: 'http://127.0.0.1:1/V1'}
  - {provider: custom, model: m, base_url: 'http://127.0.0.1:2/v1'}
""",
    "entries that are half": """\
model: x
fallback_providers:
  - anthropic/claude
  - {provider: anthropic}
  - {model: lonely}
  - {provider: '  ', model: m}
  - {provider: 0, model: m}
  - {provider: off, model: m}
  - {provider: on, model: 4.10}
  - {provider: nous, model: 2026-01-01}
  - {provider: nous, model: 1_000}
  - null
  - [a, b]
""",
    "a chain stored as text": """\
model: x
fallback_providers: '[{"provider": "anthropic", "model": "claude"}]'
""",
    "both forms of custom providers": """\
model: {default: m, provider: mine}
custom_providers:
  - name: My Proxy
    base_url: http://127.0.0.1:9/v1/
    api_key: sk-made-up-key-0123456789
    model: small
  - name: my proxy
    base_url: http://127.0.0.1:9/v1
    model: small
  - name: nowhere
  - base_url: http://127.0.0.1:9/v1
  - name: no scheme
    base_url: localhost
providers:
  mine:
    api: http://127.0.0.1:8/v1
    apiKeyEnv: MINE_KEY
    defaultModel: big
    request_timeout_seconds: 30
  2070:
    url: http://127.0.0.1:7/v1
  region:
    base_url: https://{region}.example.test/v1
  asleep:
    enabled: 'no'
    base_url: http://127.0.0.1:6/v1
  bedrock:
    request_timeout_seconds: 600
fallback_providers:
  - {provider: 'custom:my-proxy', model: small}
  - {provider: mine, model: big}
""",
    "variables": """\
model: {default: m, provider: custom, base_url: '${BASE}', api_key: '${KEY}'}
fallback_providers:
  - {provider: custom, model: '${MODEL}', base_url: '${BASE}', key_env: FALLBACK_KEY}
""",
    "anchors and merges": """\
shared: &shared {provider: custom, base_url: 'http://127.0.0.1:9/v1', context_length: 1000}
model: x
fallback_providers:
  - {<<: *shared, model: a}
  - {<<: *shared, model: b, context_length: 200000}
""",
    "an older layout": "model: x\nprovider: nous\nbase_url: http://127.0.0.1:9/v1\n",
    "a model within the model": "model: {default: {provider: nous, model: hermes-4}}\n",
    "a model by its third name": "model: {name: hermes-4, provider: nous, api_base: 'http://127.0.0.1:9/v1'}\n",
    "nothing": "",
    "a mark at the beginning": "\ufeffmodel: x\n",
}

BROKEN: Final = {
    "a tab": ("model: x\nagent:\n\tmax_turns: 3\n", 3, "a tab"),
    "a key that stands twice": ("model: x\nagent: {}\nmodel: y\n", 3, "stands twice"),
    "a second colon": ("model: x\nbase: http: //x\n", 2, "a colon"),
    "an alias of nothing": ("model: x\napi: *sk-made-up-key-0123456789\n", 2, "an alias"),
    "a quote that is never closed": ("model: x\napi: 'sk-made-up-key-0123456789\n", 3, "never closed"),
    "a second document": ("model: x\n---\nmodel: y\n", 2, "a second document"),
    "a tag of nobody": ("model: x\napi: !mine sk-made-up-key-0123456789\n", 2, "not valid YAML"),
    "a control code": ("model: x\napi: \x01\n", 2, "not valid YAML"),
    "a list": ("- model\n- x\n", 1, "must begin"),
    "a word": ("model\n", 1, "must begin"),
    "a date that never was": ("model: x\nsince: 2026-99-99\n", None, "says nothing"),
    "a tag that does not fit": ("model: x\nis: !!bool perhaps\n", None, "says nothing"),
}
"""What Hermes cannot read either, with the line of it, and a part of what is said."""
