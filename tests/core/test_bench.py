"""The bench: its order is what looking at every row would give, whatever changed and however time moved (M18, M20)."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from hermes_tui.core.configuration import Member
from hermes_tui.core.credential import Credential
from hermes_tui.core.decision import Row, TokenForgotten
from hermes_tui.core.facts import Facts
from hermes_tui.core.pool import row_of
from tests.core.made import NOW, bench, benched, configuration, credential, dead, facts, member, pool

LABELS = ("one", "two", "three")
HERE = pool("openai-codex", *LABELS)
FAULTY = replace(HERE, members=(*HERE.members, member("four", fault="not set")))
SECONDS = st.sampled_from([-20.0, -10.0, 0.0, 10.0, 20.0])


def _rows(label: str) -> st.SearchStrategy[Row]:
    by_model = st.sampled_from(["gpt", "mini"])
    return st.one_of(
        st.sampled_from([credential(label=label), dead(label), TokenForgotten(credential(label=label).token)]),
        SECONDS.map(lambda seconds: benched(label, seconds)),
        st.builds(
            lambda name, left: credential(label=label, model_cooldowns=((name, bench(left)),)), by_model, SECONDS
        ),
    )


STEPS = st.lists(st.one_of(st.sampled_from(LABELS).flatmap(_rows), SECONDS), max_size=30)


def _looked_at(known: Facts, now: float) -> tuple[list[Member], Member | None]:
    """Return who is free and who returns first, by looking at every row."""
    rows: list[tuple[Member, Credential]] = [(one, row_of(known, FAULTY, one)) for one in FAULTY.members]
    alive = [(one, row.benched_for("gpt", now)) for one, row in rows if not one.fault and row.death is None]
    free = [one for one, cooldown in alive if cooldown is None]
    returning = [(cooldown.until, one) for one, cooldown in alive if cooldown is not None]
    return free, min(returning, key=lambda pair: pair[0])[1] if returning else None


@given(STEPS)
def test_m18_the_bench_says_what_looking_at_every_row_would(steps: list[Row | float]) -> None:
    known = facts(codex=FAULTY)
    for step in steps:
        if not isinstance(step, float):
            known.put(step)
            continue
        order, now = known.bench(FAULTY, "gpt"), NOW + step
        assert (order.free(now), order.first_to_return(now)) == _looked_at(known, now)


def test_a_pool_that_was_configured_anew_has_a_bench_of_its_own() -> None:
    known = facts(benched("one"), codex=HERE)
    assert [one.label for one in known.bench(HERE, "gpt").free(NOW)] == ["two", "three"]
    fewer = replace(HERE, members=HERE.members[:2])
    assert [one.label for one in known.bench(fewer, "gpt").free(NOW)] == ["two"]


def test_m21_a_lift_under_one_configuration_is_seen_under_another() -> None:
    known = facts(benched("one"), codex=HERE)
    assert known.bench(HERE, "gpt").first_to_return(NOW) == HERE.members[0]
    known.under(configuration(HERE)).put(credential(label="one"))
    assert known.bench(HERE, "gpt").free(NOW) == list(HERE.members)


def test_a_copys_bench_is_not_reached_by_later_changes() -> None:
    known = facts(codex=HERE)
    assert len(known.bench(HERE, "gpt").free(NOW)) == len(LABELS)
    copied = known.copy()
    known.put(dead("two"))
    assert copied.bench(HERE, "gpt").free(NOW) == list(HERE.members)
    assert len(known.bench(HERE, "gpt").free(NOW)) == len(LABELS) - 1
