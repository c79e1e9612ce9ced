"""Every conversation has a name of its own."""

from hermes_tui.core.text import PlainText
from hermes_tui.hermes.naming import names
from hermes_tui.hermes.values import Conversation


def named(*titles: tuple[str, str]) -> dict[str, str]:
    return names(Conversation(id_, PlainText(title), "cli") for id_, title in titles)


def test_a_title_that_no_other_has_is_the_name_else_the_end_of_the_id_tells_them_apart() -> None:
    assert named(("20260528_120000_ab12cd", "weekly"), ("b", "")) == {"20260528_120000_ab12cd": "weekly", "b": "b"}
    assert named(("1_ab12cd", "weekly"), ("2_ff00ff", "weekly")) == {
        "1_ab12cd": "weekly ab12cd",
        "2_ff00ff": "weekly ff00ff",
    }


def test_titles_and_ids_that_end_alike_have_names_of_their_own_too() -> None:
    told = named(("1_ab12cd", "weekly"), ("2_ab12cd", "weekly"), ("3", "weekly ab12cd"))
    assert len(set(told.values())) == 3
    assert all(name.startswith("weekly") for name in told.values())
