"""The desk of a home: what it shows of `config.yaml`, what it says of it, and what it writes."""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from hermes_tui.config.secrets import Kind
from hermes_tui.core.editing import (
    AddEntry,
    Checked,
    ClearChain,
    EditEntry,
    Entry,
    MoveEntry,
    OwnChain,
    Place,
    RemoveEntry,
)
from hermes_tui.core.errors import ConfigurationError, ConflictError, UselessEntryError
from hermes_tui.core.fitness import fault
from hermes_tui.core.snapshot import Snapshot
from hermes_tui.core.taking import When
from hermes_tui.files.exchange import exchange
from hermes_tui.hermes import config_file
from hermes_tui.hermes.desk import HomeDesk
from hermes_tui.hermes.known import KNOWN
from hermes_tui.hermes.values import Home, Release
from hermes_tui.view.offering import provider_offers
from tests.hermes.made import BENCHED, DAY, FALLBACK, FIXED, LEFT, NOW, OLD, POOLLESS, conversation, reading, served

NOTHING = Snapshot(revision=0, at=NOW, source="hermes")
KEY = "kq7Zr2WmXv9TbLp4"
FILE = f"""\
# mine
model:
  default: gpt-5.5
  provider: openai-codex
fallback_providers:   # in this order
  # cheap
  - provider: custom:fb   # mine
    model: small
    api_key: ${{FB_KEY}}

  - {{provider: anthropic, model: claude}}   # dear
custom_providers:
  - name: fb
    base_url: http://127.0.0.1:9/v1
    api_key: {KEY}
agent: {{max_turns: 20}}
"""
FIRST = "  # cheap\n  - provider: custom:fb   # mine\n    model: small\n    api_key: ${FB_KEY}\n"
SECOND = "\n  - {provider: anthropic, model: claude}   # dear\n"


@pytest.fixture
def home(tmp_path: Path) -> Home:
    path = tmp_path / "home"
    path.mkdir()
    (path / "config.yaml").write_text(FILE)
    (path / "config.yaml").chmod(0o640)
    return Home(path, path)


def desk_of(home: Home, environ: Mapping[str, str] | None = None) -> HomeDesk:
    look = replace(reading(BENCHED, told=(*LEFT, POOLLESS)), home=home)
    return HomeDesk(lambda: look, lambda: NOW, environ or {})


@pytest.fixture
def desk(home: Home) -> HomeDesk:
    return desk_of(home)


def file_of(home: Home) -> Path:
    return home.path / "config.yaml"


def said(checked: Checked) -> list[tuple[int | None, bool, str]]:
    return [(finding.line, finding.grave, finding.what) for finding in checked.findings]


def test_the_text_is_shown_without_keys_and_saved_with_them(desk: HomeDesk, home: Home) -> None:
    draft = desk.read()
    assert KEY not in draft.text
    assert "<kept " in draft.text
    assert "${FB_KEY}" in draft.text
    desk.save(draft.text.replace("max_turns: 20", "max_turns: 21"), draft.digest)
    assert file_of(home).read_text() == FILE.replace("max_turns: 20", "max_turns: 21")


def test_rows_places_and_configuration_are_those_of_the_text(desk: HomeDesk) -> None:
    checked = desk.check(desk.read().text, None)
    assert [entry.provider for entry in checked.entries] == ["custom:fb", "anthropic"]
    assert checked.entries[0].api_key == "${FB_KEY}"
    assert checked.places == (Place(7, 9), Place(11, 11))
    assert checked.configuration is not None
    assert [str(link.route) for link in checked.configuration.chain] == ["custom:fb/small", "anthropic/claude"]
    assert said(checked) == [
        (13, False, "custom_providers[0]: its key stands in the file: put it into .env, and write ${NAME} here")
    ]


@pytest.mark.parametrize(
    ("old", "new", "line", "grave", "words"),
    [
        ("    model: small\n", "", 7, False, "entry 1: no model: Hermes leaves it out"),
        ("anthropic", "antropic", 11, False, 'no provider is called "antropic"; did you mean "anthropic"?'),
        ("provider: anthropic, model: claude", "provider: custom:fb, model: small", 11, False, "the same route as"),
        ("custom:fb   #", "custom:fbb   #", 7, False, 'did you mean "custom:fb"?'),
        ("${FB_KEY}", "sk-made-up-0123456789", 7, False, "entry 1: its key stands in the file"),
        ("    model: small", "\tmodel: small", 8, True, "a tab stands where YAML takes only spaces"),
        ("  default: gpt-5.5\n  provider: openai-codex", "  x: 1", 2, True, "no model is asked for"),
        ("${FB_KEY}", "<kept 1234>", 9, True, "<kept 1234> stands for no key of this file"),
        ("custom_providers:\n", "custom_providers: 3\nother:\n", 12, False, "custom_providers is not a list"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(
    desk: HomeDesk, old: str, new: str, line: int, grave: bool, words: str
) -> None:
    checked = desk.check(desk.read().text.replace(old, new), None)
    assert (line, grave) in [(at, is_grave) for at, is_grave, what in said(checked) if words in what], said(checked)
    assert (checked.configuration is None) == grave


def test_an_entry_moves_with_its_remarks_and_nothing_else_changes(desk: HomeDesk, home: Home) -> None:
    draft = desk.read()
    desk.save(desk.change(draft.text, None, MoveEntry(1, 2)), draft.digest)
    assert file_of(home).read_text() == FILE.replace(FIRST + SECOND, SECOND + FIRST)
    assert file_of(home).stat().st_mode & 0o777 == 0o640


def test_entries_are_added_edited_removed_and_cleared(desk: HomeDesk) -> None:
    text = desk.read().text
    new = '  - provider: nous\n    model: hermes-4\n    api_key: "${NOUS_KEY}"\n'
    added = desk.change(text, None, AddEntry(Entry("nous", "hermes-4", api_key="${NOUS_KEY}"), 1))
    assert added == text.replace("order\n", f"order\n{new}")
    assert desk.change(added, None, RemoveEntry(1)) == text
    (entry, _) = desk.check(text, None).entries
    edited = desk.change(text, None, EditEntry(1, replace(entry, model="large")))
    assert edited == text.replace("model: small", "model: large")
    assert desk.change(text, None, EditEntry(1, entry)) == text
    assert "fallback_providers: []  # in this order\n" in desk.change(text, None, ClearChain())


def test_a_key_in_an_entry_is_never_shown_and_stays(desk: HomeDesk, home: Home) -> None:
    file_of(home).write_text(FILE.replace("${FB_KEY}", KEY))
    draft = desk.read()
    (entry, _) = desk.check(draft.text, None).entries
    assert entry.api_key.startswith("<kept ")
    desk.save(desk.change(draft.text, None, EditEntry(1, replace(entry, model="large"))), draft.digest)
    assert file_of(home).read_text() == FILE.replace("${FB_KEY}", KEY).replace("model: small", "model: large")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (OwnChain(), "one chain: none has its own"),
        (RemoveEntry(3), "there is no place 3 in a chain of 2"),
        (MoveEntry(1, 0), "there is no place 0"),
        (AddEntry(Entry("a", "b", api_key="env:NAME")), "write ${NAME}"),
    ],
)
def test_what_cannot_be_done_is_refused(desk: HomeDesk, change: OwnChain | RemoveEntry, why: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        desk.change(desk.read().text, None, change)
    assert why in caught.value.what


def test_a_file_that_hermes_changed_meanwhile_is_not_written_over(desk: HomeDesk, home: Home) -> None:
    draft = desk.read()
    theirs = FILE + "_config_version: 50\n"
    file_of(home).write_text(theirs)
    with pytest.raises(ConflictError):
        desk.save(desk.change(draft.text, None, RemoveEntry(1)), draft.digest)
    assert file_of(home).read_text() == theirs


def test_what_is_written_in_the_last_moment_is_put_back(
    desk: HomeDesk, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    draft, theirs = desk.read(), FILE + "_config_version: 50\n"
    times = iter(range(2))

    def late(new: Path, file: Path) -> None:
        if next(times) == 0:
            other = file.with_name("other")
            other.write_text(theirs)
            other.replace(file)
        exchange(new, file)

    monkeypatch.setattr(config_file, "exchange", late)
    with pytest.raises(ConflictError):
        desk.save(desk.change(draft.text, None, RemoveEntry(1)), draft.digest)
    assert file_of(home).read_text() == theirs
    assert sorted(one.name for one in home.path.iterdir()) == ["backups", "config.yaml"]


def test_a_link_stays_one_and_a_copy_lies_where_hermes_keeps_its_own(desk: HomeDesk, home: Home) -> None:
    real = home.path.parent / "dotfiles.yaml"
    file_of(home).rename(real)
    file_of(home).symlink_to(real)
    desk.apply(lambda _: RemoveEntry(2))
    assert file_of(home).is_symlink()
    assert real.read_text() == FILE.replace(SECOND, "")
    (copy,) = (home.path / "backups" / "config").iterdir()
    assert copy.name.startswith("config.yaml.hermes-tui.")
    assert (copy.read_text(), copy.stat().st_mode & 0o777) == (FILE, 0o600)


def test_only_so_many_copies_stay(desk: HomeDesk, home: Home) -> None:
    folder = home.path / "backups" / "config"
    folder.mkdir(parents=True)
    for number in range(7):
        (folder / f"config.yaml.hermes-tui.20200101-00000{number}").touch()
    (folder / "config.yaml.good.20200101-000000").touch()
    desk.apply(lambda _: RemoveEntry(2))
    kept = sorted(one.name for one in folder.iterdir())
    assert kept[0] == "config.yaml.good.20200101-000000"
    assert len(kept) == 1 + config_file.COPIES


@pytest.mark.parametrize(
    ("spoil", "why"),
    [
        (lambda file: file.chmod(0o440), "protected against writing"),
        (lambda file: os.link(file, file.with_name("second")), "second name"),
        (lambda file: (file.parent / ".managed").touch(), "a package manager decides about this home"),
        (lambda file: file.write_bytes(b"model: \xff\n"), "not UTF-8"),
        (lambda file: file.unlink(), "it is not there"),
        (lambda file: (file.parent / "backups").touch(), "cannot be saved"),
    ],
)
def test_what_is_not_ours_to_write_is_left_and_said(
    desk: HomeDesk, home: Home, spoil: Callable[[Path], object], why: str
) -> None:
    spoil(file_of(home))
    before = file_of(home).read_bytes() if file_of(home).exists() else None
    with pytest.raises(ConfigurationError) as caught:
        desk.apply(lambda _: RemoveEntry(2))
    assert why in str(caught.value)
    assert (file_of(home).read_bytes() if file_of(home).exists() else None) == before


def test_an_entry_that_hermes_would_skip_is_written_only_on_purpose(desk: HomeDesk, home: Home) -> None:
    useless = AddEntry(Entry("custom:fb", "small"))
    with pytest.raises(UselessEntryError, match="the same route"):
        desk.apply(lambda _: useless)
    assert file_of(home).read_text() == FILE
    assert len(desk.apply(lambda _: useless, anyway=True).configuration.chain) == 3


@pytest.mark.parametrize("kind", [kind for kind in Kind if kind is not Kind.LITERAL])
def test_no_reference_of_this_programs_own_file_becomes_a_key_of_hermes(desk: HomeDesk, home: Home, kind: Kind) -> None:
    prefix = "env" if kind is Kind.VARIABLE else kind.value
    entry = Entry("openrouter", "z-ai/glm-5", api_key=f"{prefix}:WORK")
    with pytest.raises(ConfigurationError, match=f"would take {prefix}:… for the key itself"):
        desk.apply(lambda _: AddEntry(entry), anyway=True)
    assert file_of(home).read_text() == FILE


def test_a_profile_writes_its_own_file_and_never_the_roots(tmp_path: Path) -> None:
    root, own = tmp_path / "root", tmp_path / "root" / "profiles" / "work"
    own.mkdir(parents=True)
    (root / "config.yaml").write_text(FILE)
    desk = desk_of(Home(own, root, "work"))
    with pytest.raises(ConfigurationError, match=r"work.config\.yaml: it is not there"):
        desk.read()
    (own / "config.yaml").write_text(FILE)
    desk.apply(lambda _: ClearChain())
    assert (root / "config.yaml").read_text() == FILE
    assert "fallback_providers: []" in (own / "config.yaml").read_text()


def test_a_session_on_its_fallback_keeps_its_chain_and_is_not_brought_home(home: Home) -> None:
    look = replace(reading(BENCHED, told=(*LEFT, POOLLESS), chain=(FALLBACK,)), home=home)
    desk = HomeDesk(lambda: look, lambda: NOW, {})
    text = desk.read().text
    changed = desk.change(text, None, ClearChain())
    checked = desk.check(changed, None)
    assert checked.configuration is not None
    (taking,) = desk.takings(changed, checked.configuration, NOTHING)
    assert (taking.session, taking.when, taking.loses) == ("weekly", When.COOLED_DOWN, True)
    assert "no chain brings it home" in taking.what
    later = HomeDesk(lambda: look, lambda: NOW + 3 * DAY, {})
    later.read()
    assert [one.when for one in later.takings(changed, checked.configuration, NOTHING)] == [When.NEXT_RUN]


@pytest.mark.parametrize(
    ("surface", "release", "when"),
    [
        ("tui", FIXED, When.NEXT_RUN),
        ("acp", FIXED, When.NEVER),
        ("cli", OLD, When.STARTED_AGAIN),
        ("telegram", OLD, When.NEXT_RUN),
    ],
)
def test_each_kind_of_session_takes_it_when_its_release_does(
    home: Home, surface: str, release: Release, when: When
) -> None:
    spoken = replace(
        conversation(served(replace(FALLBACK, provider="openai-codex", model="gpt-5.5"), 10)), surface=surface
    )
    look = replace(reading(spoken=spoken, release=release), home=home)
    desk = HomeDesk(lambda: look, lambda: NOW, {})
    text = desk.read().text
    checked = desk.check(text, None)
    assert checked.configuration is not None
    assert [one.when for one in desk.takings(text, checked.configuration, NOTHING)] == [when]


def test_other_settings_are_said_to_change_too(desk: HomeDesk) -> None:
    text = desk.read().text.replace("max_turns: 20", "max_turns: 3")
    checked = desk.check(text, None)
    assert checked.configuration is not None
    assert "other settings change" in desk.takings(text, checked.configuration, NOTHING)[0].what


def test_a_key_of_the_file_is_explained_as_hermes_takes_it(desk: HomeDesk) -> None:
    text = desk.read().text
    explained = [desk.explain(text, 9, 0), desk.explain(text, 11, 30), desk.explain(text, 16, 0)]
    assert [one.key if one else None for one in explained] == [
        "fallback_providers.api_key",
        "fallback_providers.model",
        None,
    ]


def test_providers_whose_key_is_in_env_are_known_by_the_variables_name(home: Home) -> None:
    (home.path / ".env").write_text("export OPENROUTER_API_KEY=sk-made-up\nGROQ_API_KEY=\n# XAI_API_KEY=x\n")
    variables = desk_of(home, {"ANTHROPIC_API_KEY": "x"}).variables()
    assert variables["openrouter"] == "OPENROUTER_API_KEY"
    assert "anthropic" in variables
    assert not {"groq", "xai"} & variables.keys()


def test_a_server_of_ones_own_without_a_key_is_offered_and_can_serve(home: Home) -> None:
    file_of(home).write_text(FILE.replace(f"    api_key: {KEY}\n", "").replace("    api_key: ${FB_KEY}\n", ""))
    configuration = desk_of(home).configuration()
    links = (configuration.primary, *configuration.chain)
    assert fault(links, 1, configuration) is None
    offers = {offer.value: offer.note for offer in provider_offers(configuration, {}, KNOWN)}
    assert offers["custom:fb"] == "in the file, needs no key"
    assert not offers.keys() - KNOWN - {"custom:fb"}


def test_what_an_administrator_pins_is_said(home: Home, tmp_path: Path) -> None:
    managed = tmp_path / "managed"
    managed.mkdir()
    (managed / "config.yaml").write_text("fallback_providers: []\n")
    desk = desk_of(home, {"HERMES_MANAGED_DIR": str(managed)})
    assert "sets fallback_providers for everybody" in desk.check(desk.read().text, None).findings[0].what
