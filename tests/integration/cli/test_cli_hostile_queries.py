"""`voice retrieve` takes any string there is: it answers, or says in one line that nothing was asked."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cli_runner import Documented, Ran, Voice

PROVIDERS = ("local-vector", "local-hybrid", "local-fts")
PLANTED = {
    "auth-bug": "The auth-bug came back after the deploy.",
    "C++": "Rewrote the parser in C++ over the weekend.",
    "login.py": "The timeout is set in login.py, near the end.",
    'the "blue heron" sign': 'The boat has a "blue heron" sign on its bow.',
    "the café's name?": "The café's name is Luna, by the bridge.",
    "title: draft*": "The title of the draft is still open.",
}
HOSTILE = {
    "one CJK character": "猫",
    "an unclosed quote": '"heron',
    "operators": "NOT AND OR NEAR(a b, 2)",
    "a column": "text: secret",
    "SQL": "'); DROP TABLE memory; --",
    "SurrealQL": "$row } THROW 'x'; {",
    "a regular expression": "(?i)(a+)+$ [^",
    "a format": "%s {0} ${HOME} `id`",
    "markup": "[bold red]x[/] <script>alert(1)</script>",
    "right to left": "\u202eabc שלום\u202c",
    "Arabic": "انتقل الفرن",
    "emoji": "👩‍👩‍👧‍👦🏳️‍🌈",
    "combining marks": "e" + "\u0301" * 400,
    "terminal control": "\x1b[2J\x1b]0;title\x07 kiln",
    "NUL inside": "kiln\x00shed",
    "a noncharacter": "kiln\ufffe\uffff",
    "a private character": "\ue000\U000f0000",
    "many lines": "kiln\n" * 500,
    "100 kB of one word": "lighthouse " * 9_100,
    "100 kB without a space": "x" * 100_000,
    "100 kB of different words": " ".join(f"word{number}" for number in range(11_000)),
    "100 kB of another script": "猫" * 33_000,
    "punctuation": "?!…—()[]{}<>|\\/@#^&*~",
    "a number": "0x1F600 1e309 -0 ٣٤",
}
QUOTED = {"SurrealQL": "x", "a format": "id"}
BESIDE = {name: f"voice: no passage contains “{phrase}”\n" for name, phrase in QUOTED.items()}


@pytest.fixture
def full(voice: Voice) -> Voice:
    lines = (json.dumps({"type": "thought", "content": text}) for text in PLANTED.values())
    voice.ok("import", "-", stdin="\n".join(lines).encode())
    return voice


@pytest.mark.requirement("ruling:G.2a")
@pytest.mark.parametrize("provider", PROVIDERS)
def test_every_string_is_a_query(full: Voice, provider: str, is_as_documented: Documented) -> None:
    refused: dict[str, Ran] = {}
    for name, text in HOSTILE.items():
        ran = full("retrieve", text, "--provider", provider, "--json")
        if (ran.code, ran.err) == (0, BESIDE.get(name, "")):
            is_as_documented("retrieve", ran)
        else:
            refused[name] = ran
    assert refused == {}
    assert len(HOSTILE) > 20


@pytest.mark.requirement("ruling:G.2a")
def test_every_string_is_a_query_through_a_pipe_and_the_page_for_people_shows_no_control_characters(
    full: Voice,
) -> None:
    for name, text in HOSTILE.items():
        ran = full("retrieve", "--explain", "--provider", "local-hybrid", stdin=text.encode())
        assert (name, ran.code, ran.err) == (name, 0, BESIDE.get(name, ""))
        assert {char for char in ran.out if ord(char) < 32} <= {"\n"}, name


@pytest.mark.parametrize("provider", ["local-hybrid", "local-fts"])
def test_what_other_engines_choke_on_is_found_first(full: Voice, provider: str) -> None:
    asked = ("--provider", provider, "--mix", "0", "--floor", "0", "--json")
    found = {query: full.ok("retrieve", query, *asked).json["snippets"] for query in PLANTED}
    assert {query: snippets[0]["text"] for query, snippets in found.items()} == PLANTED


def test_what_looks_like_an_option_is_a_query_after_two_dashes(full: Voice) -> None:
    for text in ("--json", "-k", "--help", "--top-k=5", "--provider=local-fts", "---"):
        ran = full("retrieve", "--json", "--", text, stdin=b"kiln")
        assert (text, ran.code, ran.err) == (text, 0, "")
        assert isinstance(ran.json, dict)


@pytest.mark.parametrize("text", ["--no-such", "-z", "--top-k=many", "a byte that is no text: \udcff"])
def test_what_is_no_option_and_no_text_is_refused_in_one_line(voice: Voice, text: str) -> None:
    ran = voice("retrieve", text)
    assert (ran.code, ran.out) == (2, "")
    assert ran.only_line.startswith("voice: ")


@pytest.mark.parametrize("provider", PROVIDERS)
def test_what_is_empty_after_trimming_is_invalid(voice: Voice, provider: str) -> None:
    for text in ("", " ", "\t\n\r", "\x00", "\u200b\u200d\ufeff", "\u3000\u00a0"):
        for arguments, stdin in (((text,), b""), (("--json",), text.encode())):
            ran = voice("retrieve", "--provider", provider, *arguments, stdin=stdin)
            assert (text, ran.code, "invalid_params" in ran.out) == (text, 2, "--json" in arguments)
            assert "[invalid_params]" in ran.only_line


@pytest.mark.requirement("ruling:G.2a")
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.text(st.characters(), min_size=1, max_size=200), provider=st.sampled_from(PROVIDERS))
def test_a_string_of_any_characters_is_answered_or_is_empty(voice: Voice, query: str, provider: str) -> None:
    ran = voice("retrieve", "--provider", provider, "--json", "--", query)
    assert ran.code in (0, 2), ran
    assert "Traceback" not in ran.err
    if ran.code == 2:
        assert ran.only_line.endswith(("[invalid_params]", "[usage]"))
    else:
        # Chance writes words that name a time, too ("AYER"); what was looked at is said then.
        assert all(line.endswith("were searched") for line in ran.err.splitlines()), ran.err
        assert isinstance(json.loads(ran.out), dict)
