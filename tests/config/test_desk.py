"""The desk over a real file: read with its keys hidden, checked line by line, changed and saved in place."""

import stat
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest

from hermes_tui.config.desk import FileDesk
from hermes_tui.config.problems import InvalidFileError, MissingFileError
from hermes_tui.core.editing import AddEntry, EditEntry, Entry, Finding, MoveEntry, OwnChain, Place, RemoveEntry
from hermes_tui.core.errors import ConfigurationError, ConflictError, UselessEntryError

from .conftest import NOW

KEY = "kq7Zr2WmXv9TbLp4"
TEXT = f"""\
# who answers
[primary]
provider = "groq"
model = "m"

[[fallback_providers]]
provider = "lan"
model = "small"
base_url = "http://127.0.0.1:9/v1"
api_key = "{KEY}"   # to be moved

[[sessions]]
name = "nightly"
[[sessions.fallback_providers]]
provider = "zai"
model = "glm"
context_length = 8000
"""

MakeDesk = Callable[..., FileDesk]


@pytest.fixture
def desk(path: Path) -> MakeDesk:
    def make(text: str = TEXT, **environ: str) -> FileDesk:
        path.write_bytes(text.encode())
        path.chmod(0o640)
        return FileDesk(path, environ={"GROQ_API_KEY": "groq-key", "ZAI_API_KEY": "zai-key"} | environ, now=lambda: NOW)

    return make


def shows(text: str) -> bool:
    """Tell whether any piece of six characters of the key stands in `text`."""
    return any(KEY[at : at + 6] in text for at in range(len(KEY) - 5))


def said(findings: tuple[Finding, ...]) -> list[tuple[int | None, bool, str]]:
    return [(finding.line, finding.grave, finding.what) for finding in findings]


# Keys


def test_a_key_of_the_file_never_leaves_the_desk_and_stays_in_the_file(desk: MakeDesk, path: Path) -> None:
    on = desk()
    draft = on.read()
    checked = on.check(draft.text, None)
    text = on.change(draft.text, None, EditEntry(1, checked.entries[0]))
    assert text == draft.text
    text = on.change(text, None, AddEntry(Entry("lan", "large", base_url="http://127.0.0.1:9/v1"), 1))
    assert not any(shows(each) for each in (draft.text, text, repr(draft), repr(checked), repr(on.check(text, None))))
    on.save(text, draft.digest)
    assert path.read_text().count(KEY) == 1
    assert not shows(on.read().text)


def test_a_placeholder_that_is_copied_to_another_entry_means_the_same_key(desk: MakeDesk, path: Path) -> None:
    on = desk()
    draft = on.read()
    (first,) = on.check(draft.text, None).entries
    twin = Entry("lan", "large", base_url=first.base_url, api_key=first.api_key)
    on.save(on.change(draft.text, None, AddEntry(twin)), draft.digest)
    first_link, second_link = on.load().configuration.chain
    assert first_link.route.pool == second_link.route.pool
    assert path.read_text().count(KEY) == 2


def test_a_placeholder_that_is_deleted_is_gone(desk: MakeDesk, path: Path) -> None:
    on = desk()
    draft = on.read()
    line = next(line for line in draft.text.splitlines(keepends=True) if "<kept" in line)
    on.save(draft.text.replace(line, ""), draft.digest)
    assert KEY not in path.read_text()


def test_a_placeholder_of_nothing_cannot_be_saved(desk: MakeDesk, path: Path) -> None:
    on = desk()
    draft = on.read()
    text = draft.text.replace('"groq"\n', '"groq"\napi_key = "<kept beef>"\n')
    finding = (4, True, '<kept beef> stands for no key of this file: write "${NAME}" instead')
    assert said(on.check(text, None).findings) == [finding]
    assert on.check(text, None).configuration is None
    for refused in (
        lambda: on.save(text, draft.digest),
        lambda: on.change(text, None, MoveEntry(1, 1)),
        lambda: on.change(draft.text, None, EditEntry(1, Entry("a", "b", api_key="<kept beef>"))),
    ):
        with pytest.raises(InvalidFileError, match="stands for no key of this file"):
            refused()
    assert path.read_text() == TEXT


def test_a_key_that_is_typed_is_warned_about_and_hidden_from_then_on(desk: MakeDesk) -> None:
    on = desk(TEXT.replace(KEY, "${LAN}"), LAN="lan-key")
    text = on.read().text.replace("${LAN}", KEY)
    (warning,) = on.check(text, None).findings
    assert (warning.line, warning.grave) == (10, False)
    assert "holds the key itself" in warning.what
    assert not shows(repr(on.check(text, None)))
    assert not shows(on.change(text, None, MoveEntry(1, 1)))


def test_c121_no_error_of_the_desk_shows_a_key(desk: MakeDesk) -> None:
    on = desk()
    draft = on.read()
    broken = f'{draft.text}\napi_key = "{KEY}'
    with pytest.raises(ConfigurationError) as changing:
        on.change(broken, None, RemoveEntry(1))
    with pytest.raises(ConfigurationError) as saving:
        on.save(draft.text.replace("[primary]", f"[{KEY}]"), draft.digest)
    for caught in (changing, saving):
        assert not shows("".join(traceback.format_exception(caught.value, chain=True)))
    assert not shows(repr(on.check(broken, None)))


# Checking


def test_m44_everything_that_is_wrong_is_a_grave_finding_on_its_line(desk: MakeDesk) -> None:
    checked = desk().check(TEXT.replace('"m"', "1").replace("8000", "0"), "nightly")
    assert checked.configuration is None
    assert said(checked.findings) == [
        (4, True, '"primary.model" must be text in quotes'),
        (17, True, '"sessions[1].fallback_providers[1].context_length" must be greater than 0'),
    ]
    assert checked.entries == (Entry("zai", "glm", context_length=0),)


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("", None, "the file is empty"),
        ("[primary]\nprovider = \n", 2, "this is not TOML"),
        ("# \udcff\n", 1, "this is not UTF-8 text"),
        ("#" * 1_048_577, None, "larger than 1 MiB"),
    ],
)
def test_a_text_that_is_no_configuration_is_a_finding(desk: MakeDesk, text: str, line: int | None, words: str) -> None:
    (finding,) = desk().check(text, None).findings
    assert (finding.line, finding.grave) == (line, True)
    assert words in finding.what


def test_what_cannot_work_is_said_without_keeping_it_from_being_saved(desk: MakeDesk) -> None:
    text = TEXT.replace('"m"\n', '"m"\nmodle = "n"\n').replace(f'api_key = "{KEY}"', 'api_key = "${NOPE}"')
    text += "".join(f'\n[[fallback_providers]]\nprovider = "{name}"\nmodel = "m"' for name in ("gorq", "groq"))
    checked = desk(ZAI_API_KEY="").check(text, None)
    assert checked.configuration is not None
    told = said(checked.findings)
    assert [line for line, _, _ in told] == [5, 7, 15, 20, 23]
    assert not any(grave for _, grave, _ in told)
    words = (
        'did you mean "model"?',
        "own: NOPE is not set",
        "ZAI_API_KEY or GLM_API_KEY is not set",
        'provider "gorq" is not configured; did you mean "groq"?',
        "entry 3: groq/m is the same backend as one",
    )
    assert all(word in what for word, (_, _, what) in zip(words, told, strict=True))


def test_the_fault_of_a_credential_stands_on_its_own_line(desk: MakeDesk) -> None:
    credentials = "[[providers.groq.credentials]]\nlabel = 'a'\napi_key = 'env:GROQ_API_KEY'\n"
    credentials += "[[providers.groq.credentials]]\nlabel = 'b'\napi_key = 'env:NOPE'\n"
    (_, finding) = desk().check(TEXT + credentials, None).findings
    assert said((finding,)) == [(21, False, "groq/b: NOPE is not set")]


def test_the_entries_are_those_of_the_owner_beside_the_links_that_they_became(desk: MakeDesk) -> None:
    on = desk()
    text = on.read().text
    checked = on.check(text, None)
    assert [entry.provider for entry in checked.entries] == ["lan"]
    assert checked.configuration is not None
    assert len(checked.configuration.chain) == 1
    assert on.check(text, "nightly").entries == (Entry("zai", "glm", context_length=8000),)
    assert on.check(text, "nobody").entries == ()
    assert on.check("[[fallback_providers]]\nprovider = 1\nmodel = 'm'\ncontext_length = true\n", None).entries == (
        Entry(model="m"),
    )


# Saving


def test_m44_a_save_changes_the_chain_and_nothing_else(desk: MakeDesk, path: Path) -> None:
    on = desk()
    draft = on.read()
    on.save(on.change(draft.text, "nightly", EditEntry(1, Entry("zai", "glm-5"))), draft.digest)
    assert path.read_text() == TEXT.replace('"glm"\ncontext_length = 8000', '"glm-5"')
    assert path.with_name("hermes-tui.toml.bak").read_text() == TEXT
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_m44_a_change_made_elsewhere_meanwhile_is_a_conflict(desk: MakeDesk, path: Path) -> None:
    on = desk()
    draft = on.read()
    path.write_text(TEXT + "# theirs\n")
    with pytest.raises(ConflictError):
        on.save(on.change(draft.text, None, RemoveEntry(1)), draft.digest)
    theirs = on.read()
    on.save(on.change(theirs.text, None, RemoveEntry(1)), theirs.digest)
    assert path.read_text().endswith("# theirs\n")
    assert "lan" not in path.read_text()


def test_c111_a_text_that_is_wrong_is_never_saved(desk: MakeDesk, path: Path) -> None:
    on = desk()
    draft = on.read()
    with pytest.raises(InvalidFileError, match=r"line 4: .*must be text in quotes"):
        on.save(draft.text.replace('"m"', "1"), draft.digest)
    assert path.read_text() == TEXT
    assert list(path.parent.iterdir()) == [path]


def test_c111_a_broken_file_can_be_read_and_mended(desk: MakeDesk, path: Path) -> None:
    on = desk(TEXT.replace('"m"', '"m'))
    draft = on.read()
    assert not shows(draft.text)
    on.save(draft.text.replace('"m\n', '"m"\n'), draft.digest)
    assert path.read_text() == TEXT


def test_a_byte_order_mark_and_windows_line_ends_stay(desk: MakeDesk, path: Path) -> None:
    text = "\ufeff" + TEXT.replace("\n", "\r\n")
    on = desk(text)
    draft = on.read()
    assert draft.text[0] == "#"
    on.save(on.change(draft.text, "nightly", EditEntry(1, Entry("zai", "glm-5", context_length=8000))), draft.digest)
    assert path.read_bytes().decode() == text.replace('"glm"', '"glm-5"')


def test_a_text_that_is_the_files_already_is_not_written_again(desk: MakeDesk, path: Path) -> None:
    on = desk()
    draft = on.read()
    before = path.stat().st_ctime_ns
    on.save(draft.text, draft.digest)
    assert path.stat().st_ctime_ns == before
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(("content", "error"), [(None, MissingFileError), (b"\xff", InvalidFileError)])
def test_a_file_that_cannot_be_read_says_so(
    desk: MakeDesk, path: Path, content: bytes | None, error: type[ConfigurationError]
) -> None:
    on = desk()
    path.unlink() if content is None else path.write_bytes(content)
    with pytest.raises(error):
        on.read()


# In one go


def test_a_change_in_the_file_itself_is_made_to_the_chain_as_it_is_then(desk: MakeDesk, path: Path) -> None:
    on = desk()
    seen: list[str] = []

    def make(entries: tuple[Entry, ...]) -> RemoveEntry:
        seen.extend(f"{entry.provider}/{entry.model} {entry.api_key[:5]}" for entry in entries)
        return RemoveEntry(1)

    applied = on.apply(None, make)
    assert seen == ["lan/small <kept"]
    assert (applied.change, applied.configuration.chain) == (RemoveEntry(1), ())
    assert KEY not in path.read_text()


@pytest.mark.parametrize(
    ("entry", "position", "why"),
    [
        (Entry("gorq", "m"), None, 'provider "gorq" is not configured; did you mean "groq"?'),
        (Entry("groq", ""), None, "no model"),
        (Entry("groq", "m"), 1, "it is the same backend as the primary"),
        (Entry("lan", "small", base_url="http://127.0.0.1:9/v1", api_key=KEY), 1, "the same backend as entry 2"),
    ],
)
def test_an_entry_that_would_be_skipped_is_written_only_on_demand(
    desk: MakeDesk, path: Path, entry: Entry, position: int | None, why: str
) -> None:
    on = desk()
    with pytest.raises(UselessEntryError) as caught:
        on.apply(None, lambda _: AddEntry(entry, position))
    assert why in caught.value.what
    assert path.read_text() == TEXT
    on.apply(None, lambda _: AddEntry(entry, position), anyway=True)
    assert len(on.load().configuration.chain) == 2


def test_an_entry_of_a_session_is_compared_with_what_that_session_takes(desk: MakeDesk) -> None:
    on = desk()
    lan = Entry("lan", "small", base_url="http://127.0.0.1:9/v1", api_key=KEY)
    on.apply("nightly", lambda _: AddEntry(lan))
    with pytest.raises(UselessEntryError, match="same backend as entry 2"):
        on.apply("nightly", lambda _: AddEntry(lan))


def test_c111_a_broken_file_is_not_changed(desk: MakeDesk, path: Path) -> None:
    text = TEXT.replace("8000", "0")
    on = desk(text)
    with pytest.raises(InvalidFileError, match=r"line 17: "):
        on.apply(None, lambda _: RemoveEntry(1))
    assert path.read_text() == text
    on.apply("nightly", lambda _: RemoveEntry(1))
    assert on.load().configuration.sessions[0].chain == ()


def test_c116_an_address_that_cannot_be_meant_so_is_a_finding_once_for_each_place(desk: MakeDesk) -> None:
    text = """\
[primary]
provider = "ollama"
model = "m"

[[fallback_providers]]
provider = "vllm"
model = "m"
base_url = "http://127.0.0.1:9/v1/responses"

[[sessions]]
name = "a"

[[sessions]]
name = "b"
fallback_providers = []
"""
    what = "vllm/m: base_url ends in /responses, which every request adds: leave it out"
    mode = ', and write api_mode = "codex_responses"'
    assert said(desk().check(text, None).findings) == [(5, False, what + mode)]


# Where entries stand, and whose they are


def test_the_lines_of_every_entry_are_told_whatever_form_it_is_written_in(desk: MakeDesk) -> None:
    on = desk()
    assert on.check(TEXT, None).places == (Place(6, 10),)
    assert on.check(TEXT, "nightly").places == (Place(14, 17),)
    inline = 'fallback_providers = [\n  { provider = "zai", model = "a" },\n\n  { provider = "zai", model = "b" },\n]\n'
    legacy = '[fallback_model]\nprovider = "zai"\nmodel = "c"\n'
    checked = on.check(f'{inline}[primary]\nprovider = "groq"\nmodel = "m"\n{legacy}', None)
    assert checked.places == (Place(2, 2), Place(4, 4), Place(9, 11))
    assert [checked.entry_at(line) for line in (1, 2, 3, 4, 9, 11, 12)] == [None, 1, None, 2, 3, 3, None]
    assert on.check("fallback_providers = 7\n", None).places == ()


def test_a_session_gets_the_files_chain_as_its_own_with_keys_that_are_no_field(desk: MakeDesk) -> None:
    on = desk()
    text = on.read().text.replace(
        "[[sessions]]", '[[sessions]]\nname = "docs"  # mine\nprompt = "Go."\n\n[[sessions]]', 1
    )
    text = text.replace("context_length = 8000", "").replace("# to be moved", "# to be moved\nown = { deep = [1, 2] }")
    after = on.change(text, "docs", OwnChain())
    assert after.startswith(text[: text.index('\n[[sessions]]\nname = "nightly"')])
    before, own = on.understand(text).configuration, on.understand(after).configuration
    plan = own.plan("docs")
    assert plan is not None
    assert plan.chain == own.chain == before.chain
    assert "own = {deep = [1, 2]}" in after
    with pytest.raises(ConfigurationError, match='session "docs" has a chain of its own already'):
        on.change(after, "docs", OwnChain())
    with pytest.raises(ConfigurationError, match="is empty"):
        on.change(on.change(after, "docs", RemoveEntry(1)), "docs", RemoveEntry(1))


def test_a_session_gets_an_empty_chain_of_its_own_where_the_file_has_none(desk: MakeDesk) -> None:
    text = '[primary]\nprovider = "groq"\nmodel = "m"\n[[sessions]]\nname = "docs"\n'
    assert desk().change(text, "docs", OwnChain()) == f"{text}fallback_providers = []\n"


def test_what_a_text_would_put_in_force_has_its_keys_and_shows_none(desk: MakeDesk) -> None:
    on = desk()
    understood = on.understand(on.read().text)
    (link,) = understood.configuration.chain
    pool = understood.configuration.pool(link.route.pool)
    assert pool is not None
    (key,) = pool.keys()
    secret = understood.keyring.secret(key)
    assert secret is not None
    assert secret.reveal() == KEY
    assert not shows(repr(understood))


def test_variables_are_told_by_their_names_alone(desk: MakeDesk) -> None:
    assert desk().variables() == {"groq": "GROQ_API_KEY", "zai": "ZAI_API_KEY"}
