"""The list of models: what each dialect answers a free question with, and what a wrong key or path meets."""

import pytest

from hermes_tui.simulator.account import Account, Provider
from hermes_tui.simulator.action import SetMode
from hermes_tui.simulator.mode import Dialect, Mode
from hermes_tui.simulator.models import models_document
from hermes_tui.simulator.world import World
from tests.engine.theatre import scenario

MODELS = {"large": 128000, "small": 0}


@pytest.mark.parametrize("dialect", list(Dialect))
def test_every_dialect_lists_its_models_by_id(dialect: Dialect) -> None:
    document = models_document(Provider("p", dialect, models=MODELS))
    assert [entry["id"] for entry in document["data"]] == ["large", "small"]


def test_a_window_is_told_where_there_is_one() -> None:
    document = models_document(Provider("p", models=MODELS))
    assert [entry.get("context_length") for entry in document["data"]] == [128000, None]


@pytest.mark.parametrize(
    ("mode", "met"), [(Mode.USAGE_LIMIT, Mode.OK), (Mode.UNAUTHORIZED, Mode.UNAUTHORIZED), (Mode.HTML, Mode.HTML)]
)
def test_a_list_costs_nothing_and_meets_what_every_request_meets(mode: Mode, met: Mode) -> None:
    account = Account("a")
    provider = Provider("p", accounts={"a": account})
    world = World([provider], now=lambda: 0.0)
    world.apply(SetMode(provider="p", mode=mode))
    assert world.rule_list(provider, "any").behaviour.mode is met
    assert account.served == 0


def test_a_provider_lists_what_the_routes_name_unless_the_scenario_says_otherwise() -> None:
    script = scenario("backup/small", "backup/large")
    assert script.models_of("backup") == {"small": 0, "large": 0}
    tables = script.model_dump(exclude_unset=True)
    tables["simulator"]["providers"]["backup"]["models"] = MODELS
    assert type(script).model_validate(tables).models_of("backup") == MODELS
