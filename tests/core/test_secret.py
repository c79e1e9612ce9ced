"""Secrets: they do not print themselves, and foreign text loses them."""

import copy
import pickle
import time

import pytest

from hermes_tui.core.secret import SHORTEST, Redactor, Secret, fingerprint, shown, tells_any, without_half, without_keys

VALUE = "correct-horse-battery"


@pytest.mark.parametrize(
    "printed", [repr(Secret(VALUE)), str(Secret(VALUE)), f"{Secret(VALUE)}", f"{Secret(VALUE):>40}"]
)
def test_every_printed_form_is_a_fingerprint(printed: str) -> None:
    assert VALUE not in printed
    assert shown(fingerprint(VALUE)) in printed


def test_a_fingerprint_tells_secrets_apart_and_four_digits_of_it_are_shown() -> None:
    assert len(fingerprint(VALUE)) == 12
    assert shown(fingerprint(VALUE)) == fingerprint(VALUE)[:4]
    assert fingerprint(VALUE) != fingerprint(VALUE + "!")


def test_text_that_tells_a_secret_is_told_from_text_that_does_not() -> None:
    secret = Secret(VALUE)
    assert tells_any(f'[{{"thinking": "it is {secret.reveal()}"}}]')
    assert not tells_any(f"it is {VALUE[:-1]}")


def test_a_secret_gives_its_value_only_when_asked() -> None:
    assert Secret(VALUE).reveal() == VALUE
    assert not hasattr(Secret(VALUE), "__dict__")


@pytest.mark.parametrize("leak", [pickle.dumps, copy.deepcopy, copy.copy])
def test_a_secret_is_never_pickled_or_copied(leak: "object") -> None:
    assert callable(leak)
    with pytest.raises(TypeError, match="never pickled"):
        leak(Secret(VALUE))


def test_secrets_are_equal_by_value() -> None:
    assert Secret(VALUE) == Secret(VALUE)
    assert Secret(VALUE) != Secret("another-one")
    assert Secret(VALUE) != VALUE
    assert len({Secret(VALUE), Secret(VALUE)}) == 1


def test_known_secrets_go_by_exact_match_the_longest_first() -> None:
    longer = f"{VALUE}-staple"
    cleaned = Redactor([Secret(VALUE), Secret(longer)]).clean(f"key {longer} and {VALUE}.")
    assert cleaned == f"key <secret {shown(fingerprint(longer))}> and <secret {shown(fingerprint(VALUE))}>."


def test_a_secret_with_signs_of_its_own_is_no_pattern() -> None:
    odd = "a.*b(c)[d]+"
    assert Redactor([Secret(odd)]).clean(f"<{odd}> axxb") == f"<<secret {shown(fingerprint(odd))}>> axxb"


def test_a_value_too_short_to_be_told_from_words_is_not_searched() -> None:
    assert Redactor([Secret("limit")]).clean("usage limit") == "usage limit"


@pytest.mark.parametrize(
    ("foreign", "cleaned"),
    [
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcDEF123", "<redacted>"),
        ("sk-proj-0123456789abcdef", "<redacted>"),
        ("Bearer abcdef0123456789", "Bearer <redacted>"),
        ("someone@example.com", "<redacted>"),
        ("org-Ab12Cd34Ef56", "<redacted>"),
        ("user_aBcDeFgHiJkL", "<redacted>"),
        ("sk-proj-aBcDeFgHiJkL", "<redacted>"),
        ("Bearer abc/defgh.9z", "Bearer <redacted>"),
        ("123e4567-e89b-12d3-a456-426614174000", "<redacted>"),
        ("https://x.test/?api_key=hunter2&page=1", "https://x.test/?<redacted>&page=1"),
        ("https://me:hunter2@127.0.0.1/v1", "https://<redacted>@127.0.0.1/v1"),
    ],
)
def test_the_usual_shapes_of_keys_and_ids_go_too(foreign: str, cleaned: str) -> None:
    assert Redactor().clean(f"it said: {foreign} now") == f"it said: {cleaned} now"


@pytest.mark.parametrize("joined", ["key-", "a-b-", "."])
def test_a_token_goes_whatever_it_is_joined_to(joined: str) -> None:
    token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcDEF123"
    assert "eyJ" not in Redactor().clean(f"it said: {joined}{token}")


@pytest.mark.parametrize(
    ("cut", "cleaned"),
    [
        (f"key {VALUE[:-1]}", f"key <secret {shown(fingerprint(VALUE))}>"),
        (f"key {VALUE[:SHORTEST]}", f"key <secret {shown(fingerprint(VALUE))}>"),
        (f"key {VALUE[: SHORTEST - 1]}", f"key {VALUE[: SHORTEST - 1]}"),
        (f"{VALUE[:-1]} and more", f"{VALUE[:-1]} and more"),
        ("", ""),
    ],
)
def test_a_text_that_was_cut_inside_a_secret_loses_the_half(cut: str, cleaned: str) -> None:
    assert without_half(cut, Secret(VALUE)) == cleaned


def test_a_key_goes_behind_the_colour_that_it_is_printed_in() -> None:
    printed = "KeyError: \x1b[31msk-made-up-0123456789\x1b[0m."
    assert Redactor().clean(printed) == "KeyError: \x1b[31m<redacted>\x1b[0m."


@pytest.mark.parametrize(
    "words",
    [
        "rename user_settings to user_preferences",
        "the team_dashboard and proj-overview of user-interface",
        "the index pk_user_settings_id, hf_transformers_cache",
        "send a bearer authentication header",
        "a-eye-tracking.component",
    ],
)
def test_names_that_begin_as_keys_and_ids_do_stay(words: str) -> None:
    assert Redactor().clean(words) == words
    assert without_keys(words) == words


def test_a_users_own_words_lose_keys_alone() -> None:
    own = "Mail ada@example.com about 123e4567-e89b-12d3-a456-426614174000, " + "ab" * 32 + " and org-Ab12Cd34Ef56."
    secret = Secret(VALUE)
    said = f"{own} {secret.reveal()} sk-proj-0123456789abcdef Bearer abcdef0123456789"
    assert without_keys(said) == f"{own} {secret} <redacted> Bearer <redacted>"


def test_a_text_that_begins_like_a_key_over_and_over_takes_no_time() -> None:
    began = time.process_time()
    for begin in ("sk-", "sk-a", "bearer a-", "user_", "bearer AAAA", "ey"):
        Redactor().clean(begin * 20_000)
    assert time.process_time() - began < 5


def test_ordinary_words_stay() -> None:
    words = "You've hit your usage limit. Try again at 14:05 on Monday (model gpt-5.5)."
    assert Redactor([Secret(VALUE)]).clean(words) == words
