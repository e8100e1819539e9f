"""Which messages of a session come in, and as what.

What looks like a credential, and what does not.
What the person's ignore rules keep out.
"""

from dataclasses import replace
from fnmatch import fnmatchcase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from retrieval_rows import thought
from voice.core.capture.message_filter import (
    CREDENTIALS,
    IGNORED,
    IgnoreRules,
    claims_of,
    filter_messages,
    looks_like_secret,
    with_unfound,
)
from voice.core.capture.values import CaptureOutcome, CaptureTotals, Host
from voice.core.context.prompt_safety import speaks_to_the_model
from voice.core.interchange.memory_lines import BadLine, Omission, ParsedLine, ThoughtLine
from voice.core.records import Origin
from voice.core.vouch import Vouch


def line(text: str) -> ParsedLine:
    return ParsedLine(where="entry 1", record=ThoughtLine(content=text, source_ref="s"))


@pytest.mark.requirement("capture:waits")
def test_what_comes_in_waits_for_its_owner_and_says_who_handed_it_over() -> None:
    (kept,) = filter_messages([line("The kiln is hot.")], Host.CODEX, IgnoreRules())
    assert isinstance(kept, ParsedLine)
    assert isinstance(kept.record, ThoughtLine)
    assert kept.record == ThoughtLine(
        content="The kiln is hot.", source_ref="s", vouched=Vouch.WAITING, noted_by="codex"
    )


@pytest.mark.requirement("capture:waits")
@pytest.mark.parametrize("host", list(Host))
def test_what_a_model_said_is_told_by_its_host_and_a_persons_words_have_no_name(host: Host) -> None:
    said = ThoughtLine(content="Hot.", source_ref="s", speaker="assistant", claimed_origin=Origin.MODEL)
    (kept,) = filter_messages([ParsedLine(where="entry 1", record=said)], host, IgnoreRules())
    assert isinstance(kept, ParsedLine)
    assert isinstance(kept.record, ThoughtLine)
    assert kept.record.speaker == host.called
    assert not speaks_to_the_model("Hot.", kept.record.speaker)


@pytest.mark.requirement("capture:secrets", "capture:ignored")
def test_a_secret_and_what_is_ignored_stay_out_whole_and_are_counted() -> None:
    lines = [line("password = hunter2hunter2"), line("See keys/a.pem."), BadLine(where="x", reason="y")]
    assert list(filter_messages(lines, Host.CODEX, IgnoreRules(globs=("*.pem",)))) == [
        Omission(where="entry 1", reason=CREDENTIALS),
        Omission(where="entry 1", reason=IGNORED),
        lines[2],
    ]


@pytest.mark.requirement("capture:checked")
def test_what_a_model_names_is_looked_for_and_what_a_person_names_is_not() -> None:
    said = thought("1", "I wrote src/a.py in 1a2b3c4, and src/a.py again.", origin=Origin.MODEL)
    typed = replace(said, id="t:2", origin=Origin.TOOL)
    assert claims_of((said, typed)) == ("src/a.py", "1a2b3c4")
    assert claims_of((typed,)) == ()
    assert with_unfound(said, {"src/a.py"}).unfound == ("1a2b3c4",)
    assert with_unfound(typed, set()).unfound == ()


@pytest.mark.requirement("capture:status")
def test_a_session_that_grew_adds_its_messages_and_tells_what_was_left_out_once() -> None:
    once = CaptureTotals().with_session("s", CaptureOutcome(messages=2, left_out={"x": 1}, unfound=1)).with_ignored()
    grown = once.with_session("s", CaptureOutcome(messages=1, left_out={"x": 3})).with_session(
        "z", CaptureOutcome(left_out={"x": 1})
    )
    assert (grown.messages, grown.left_out, grown.unfound, grown.ignored) == (3, {"x": 4}, 0, 1)


DRAWN = "Kq7" + "Zt2Lm9Xw4Rb8Vn3Yc6Hd1Pj5"


@pytest.mark.requirement("capture:secrets")
@pytest.mark.parametrize(
    "text",
    [
        "use " + "ghp_" + "a" * 36,
        "sk-" + "ant-api03-" + "abcd" * 8,
        "the id is " + "AKIA" + "Q3EXAMPLEKEY7777",
        "-----BEGIN " + "OPENSSH PRIVATE KEY-----",
        "postgres://irma:" + "geheim7@db.example.org/x",
        "Authorization: Bearer " + "abcdef0123456789abcdef",
        "ey" + "JhbGciOiJIUzI1.eyJzdWIiOiIxMjM0.SflKxwRJSMeKKF2QT4",
        "DB_PASSWORD=" + "hunter2hunter",
        '"client_secret": "' + "abc123def456" + '"',
        "api-key := " + "a1b2c3d4e5f6",
        f"It is {DRAWN}.",
        f"export X='{DRAWN}'",
    ],
)
def test_a_secret_is_seen(text: str) -> None:
    assert looks_like_secret(text)


@pytest.mark.requirement("capture:secrets")
@pytest.mark.parametrize(
    "text",
    [
        "The kiln is in the shed.",
        "Committed 0123456789abcdef0123456789abcdef01234567.",
        "See src/voice/core/interchange/foreign/coding_agents.py and tests/unit/test_a1_B2.py.",
        "password: required; token = get_token(); max_tokens = 40960000",
        "Set API_KEY=$API_KEY or api_key = <your key>, token: {token}",
        "The docs are at https://example.org:8080/a/b?c=d and git@example.org:a/b.git",
        "AbstractSingletonProxyFactoryBean2 and Ed25519VerificationKey2020AndJsonWebSignature",
        "id 123e4567-e89b-12d3-a456-426614174000",
        "secret_url = https://example.org/9",
        "AAAAAAAAAAAAAAAAAAAAaaaaaaaaaaaaaaaa000000000000000",
    ],
)
def test_ordinary_talk_of_code_is_not_taken_for_one(text: str) -> None:
    assert not looks_like_secret(text)
    assert looks_like_secret(f"{text} {DRAWN}")


@pytest.mark.requirement("capture:ignored")
@pytest.mark.parametrize(
    ("glob", "path", "is_held"),
    [
        ("/srv/secret", "/srv/secret", True),
        ("/srv/secret", "/srv/secret/deep/a.py", True),
        ("/srv/secret/", "/srv/secret/a.py", True),
        ("/srv/secret", "/srv/secrets", False),
        ("/srv/*/client", "/srv/2026/client/x", True),
        ("/srv/c?ient", "/srv/client", True),
        ("/srv/c?ient", "/srv/clients", False),
        ("client", "/srv/client/x", True),
        ("client", "/srv/clients/x", False),
        ("*.pem", "deploy/keys/a.pem", True),
        ("./deploy/*", "deploy/a.py", True),
        ("deploy/*", "./deploy/a.py", True),
        ("a**b", "acb", True),
        ("*a*b", "xaxc", False),
    ],
)
def test_a_rule_holds_what_it_names_and_all_below_it(glob: str, path: str, *, is_held: bool) -> None:
    assert IgnoreRules(globs=(glob,)).holds(path) is is_held


@pytest.mark.requirement("capture:ignored")
def test_an_empty_file_means_all_and_a_missing_one_nothing() -> None:
    assert IgnoreRules.of_file(None) == IgnoreRules()
    assert IgnoreRules.of_file("").is_all
    assert IgnoreRules.of_file("# nothing from here\n\n").is_all
    assert IgnoreRules.of_file("# keys\n *.pem \nsecret/\n") == IgnoreRules(globs=("*.pem", "secret/"))


@pytest.mark.requirement("capture:ignored")
def test_a_message_is_kept_out_for_a_file_it_names_and_never_for_a_commit() -> None:
    rules = IgnoreRules(globs=("*.pem", "1a2b3c4"))
    assert rules.keeps_out("I moved keys/a.pem away.")
    assert not rules.keeps_out("I moved keys/a.py in 1a2b3c4.")
    assert not IgnoreRules().keeps_out("keys/a.pem")


@pytest.mark.requirement("capture:ignored")
@given(st.text("ab?*", max_size=8), st.text("abc", min_size=1, max_size=8))
def test_a_glob_describes_a_name_as_shells_say(glob: str, name: str) -> None:
    assert IgnoreRules(globs=(glob,)).holds(name) is fnmatchcase(name, glob)
