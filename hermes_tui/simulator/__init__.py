"""A provider on loopback with scripted scenarios: the other side of `demo`, `simulate` and the tests."""

from hermes_tui.simulator.account import Account, Provider, QuotaWindow
from hermes_tui.simulator.action import Action, Reopen, SetMode, SetPace, SetShape, SetUsage, SetWindow
from hermes_tui.simulator.gallery import shapes
from hermes_tui.simulator.loading import load_scenario, scenario_names
from hermes_tui.simulator.loop import JumpingLoop, jumping, run_jumping
from hermes_tui.simulator.mode import Dialect, Mode, UsageMode
from hermes_tui.simulator.request_log import LoggedRequest
from hermes_tui.simulator.scenario import PlannedTurn, Scenario
from hermes_tui.simulator.simulator import Simulator
from hermes_tui.simulator.world import UnknownTargetError, World

__all__ = [
    "Account",
    "Action",
    "Dialect",
    "JumpingLoop",
    "LoggedRequest",
    "Mode",
    "PlannedTurn",
    "Provider",
    "QuotaWindow",
    "Reopen",
    "Scenario",
    "SetMode",
    "SetPace",
    "SetShape",
    "SetUsage",
    "SetWindow",
    "Simulator",
    "UnknownTargetError",
    "UsageMode",
    "World",
    "jumping",
    "load_scenario",
    "run_jumping",
    "scenario_names",
    "shapes",
]
