"""The controls over HTTP: look at the world, read the request log, and act while it runs.

GET  /control/state       providers, accounts, windows and switches
GET  /control/requests    what was asked, oldest first
POST /control/actions     one action or a list: {"do": "reopen", "provider": "openai-codex"},
                          {"do": "set_shape", "provider": "groq", "shape": "groq-minute"}
"""

from collections.abc import Sequence
from dataclasses import asdict
from json import JSONDecodeError
from typing import Any

from pydantic import ValidationError
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from hermes_tui.simulator.account import Account, Provider
from hermes_tui.simulator.action import parse_actions
from hermes_tui.simulator.request_log import LoggedRequest
from hermes_tui.simulator.world import UnknownTargetError, World


def control_routes(world: World, requests: Sequence[LoggedRequest]) -> list[Route]:
    """Return the routes that show and steer `world`."""

    async def state(_: Request) -> Response:
        return JSONResponse(world_state(world))

    async def log(_: Request) -> Response:
        return JSONResponse([asdict(request) for request in requests])

    async def act(request: Request) -> Response:
        try:
            actions = parse_actions(await request.json())
            for action in actions:
                world.check(action)
        except ValidationError as error:
            faults = [{"key": ".".join(map(str, fault["loc"])), "what": fault["msg"]} for fault in error.errors()]
            return JSONResponse({"errors": faults}, status_code=422)
        except UnknownTargetError as error:
            return JSONResponse({"errors": [{"key": error.field, "what": str(error)}]}, status_code=422)
        except (JSONDecodeError, UnicodeDecodeError):
            return JSONResponse({"errors": [{"key": "", "what": "the body is not JSON"}]}, status_code=400)
        for action in actions:
            world.apply(action)
        return JSONResponse(world_state(world))

    return [
        Route("/control/state", state, methods=["GET"]),
        Route("/control/requests", log, methods=["GET"]),
        Route("/control/actions", act, methods=["POST"]),
    ]


def world_state(world: World) -> dict[str, Any]:
    """Return the world as JSON values; keys appear as their fingerprints."""
    return {
        "now": world.now(),
        "providers": {name: _provider_state(provider) for name, provider in world.providers.items()},
        "modes": [{**asdict(target), **asdict(behaviour)} for target, behaviour in world.modes.items()],
        "usage": [{**asdict(target), **asdict(behaviour)} for target, behaviour in world.usages.items()],
    }


def _provider_state(provider: Provider) -> dict[str, Any]:
    return {
        "dialect": provider.dialect,
        "latency": provider.latency,
        "tokens_per_second": provider.tokens_per_second,
        "accounts": {label: _account_state(account) for label, account in provider.accounts.items()},
    }


def _account_state(account: Account) -> dict[str, Any]:
    return {
        "key": account.key.fingerprint if account.key else None,
        "plan": account.plan,
        "served": account.served,
        "windows": [asdict(window) for window in account.windows],
    }
