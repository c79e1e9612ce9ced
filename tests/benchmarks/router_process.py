"""The process of LiteLLM's Router: a line `[WHAT, *ABOUT]` asks a function below, a line of JSON answers.

The first line tells how many bytes the import left resident. Nothing of this project is imported, so that an
interpreter runs it that has LiteLLM and nothing else.
"""

import asyncio
import functools
import json
import os
import resource
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import litellm  # type: ignore[import-not-found,unused-ignore]
from litellm.types.router import AllowedFailsPolicy  # type: ignore[import-not-found,unused-ignore]

litellm.suppress_debug_info = True
litellm.telemetry = False

LARGE, SMALL = "gpt-4o", "gpt-4o-mini"
"""Models that it knows, because it takes longer over one that it doesn't know."""

Answer = dict[str, Any]
Messages = list[dict[str, str]]


def _deployment(group: str, model: str, base_url: str) -> dict[str, object]:
    parameters = {"model": f"openai/{model}", "api_base": base_url, "api_key": "benchmark-key"}
    return {"model_name": group, "litellm_params": parameters}


@functools.cache
def _router(primary: str, fallback: str) -> Any:
    deployments = [_deployment("primary", LARGE, primary), _deployment("fallback", SMALL, fallback)]
    return litellm.Router(deployments, fallbacks=[{"primary": ["fallback"]}], num_retries=0, disable_cooldowns=True)


async def _said(router: Any, messages: Messages) -> str:
    """Send one request and return the streamed reply."""
    stream = await router.acompletion(model="primary", messages=messages, stream=True)
    return "".join([chunk.choices[0].delta.content or "" async for chunk in stream])


def _spent(began: tuple[float, float]) -> dict[str, float]:
    wall, cpu = _now()
    return {"wall": wall - began[0], "cpu": cpu - began[1]}


def _now() -> tuple[float, float]:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return time.perf_counter(), used.ru_utime + used.ru_stime


async def turn(primary: str, fallback: str, messages: Messages) -> Answer:
    """Measure one call of a router with a primary and a fallback."""
    router = _router(primary, fallback)
    began = _now()
    reply = await _said(router, messages)
    return {**_spent(began), "reply": reply}


async def choice(count: int, calls: int) -> Answer:
    """Measure the choice among `count` deployments of which all but one cool down."""
    router = _many(count)
    began = _now()
    for _ in range(calls):
        await router.select("many", request_kwargs={})
    return {name: value / calls for name, value in _spent(began).items()}


@functools.cache
def _many(count: int) -> Any:
    deployments = [_deployment("many", LARGE, f"http://127.0.0.1/{number}") for number in range(count)]
    router = litellm.Router(deployments, num_retries=0)
    for name in router.registry().names("many", kind="ids")[1:]:
        router.health().cooldowns.add_deployment_to_cooldown(
            model_id=name, original_exception=RuntimeError("limit"), exception_status=429, cooldown_time=86400.0
        )
    return router


async def herd(primary: str, fallback: str, calls: int, cooldown: float) -> Answer:
    """Let a primary that refuses cool down for `cooldown` seconds, then send so many calls at once."""
    router = litellm.Router(
        [_deployment("primary", LARGE, primary), _deployment("fallback", SMALL, fallback)],
        fallbacks=[{"primary": ["fallback"]}],
        num_retries=0,
        cooldown_time=cooldown,
        allowed_fails_policy=AllowedFailsPolicy(RateLimitErrorAllowedFails=0),
    )
    messages = [{"role": "user", "content": "Go on."}]
    await _said(router, messages)
    await asyncio.sleep(cooldown * 1.5)
    await asyncio.gather(*(_said(router, messages) for _ in range(calls)))
    return {}


async def streams(base_url: str, count: int) -> Answer:
    """Read `count` streams at once; measure the tokens that came in all."""
    router = _router(base_url, base_url)
    messages = [{"role": "user", "content": "Go on."}]
    began = _now()
    replies = await asyncio.gather(*(_said(router, messages) for _ in range(count)))
    return {**_spent(began), "tokens": sum(reply.count("token") for reply in replies)}


QUESTIONS: dict[str, Callable[..., Awaitable[Answer]]] = {
    asked.__name__: asked for asked in (turn, choice, herd, streams)
}


async def _serve() -> None:
    resident = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    _say({"bytes": resident * os.sysconf("SC_PAGE_SIZE")})
    while line := await asyncio.to_thread(sys.stdin.readline):
        what, *about = json.loads(line)
        try:
            answer = await QUESTIONS[what](*about)
        except Exception as error:  # noqa: BLE001 - the edge: whoever asked raises it
            answer = {"error": f"{type(error).__name__}: {error}"}
        _say(answer)


def _say(answer: Answer) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(_serve())
