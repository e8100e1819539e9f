"""`voice retrieve` takes any string there is: it answers, or says in one line that nothing was asked."""

import json

import pytest

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
    "an unclosed quote": '"heron',
    "operators": "NOT AND OR NEAR(a b, 2)",
    "SurrealQL": "$row } THROW 'x'; {",
    "a format": "%s {0} ${HOME} `id`",
    "markup": "[bold red]x[/] <script>alert(1)</script>",
    "emoji": "👩‍👩‍👧‍👦🏳️‍🌈",
    "combining marks": "e" + "\u0301" * 400,
    "terminal control": "\x1b[2J\x1b]0;title\x07 kiln",
    "NUL inside": "kiln\x00shed",
    "a noncharacter": "kiln\ufffe\uffff",
    "100 kB without a space": "x" * 100_000,
    "100 kB of different words": " ".join(f"word{number}" for number in range(11_000)),
    "100 kB of another script": "猫" * 33_000,
}
QUOTED = {"SurrealQL": "x", "a format": "id"}
BESIDE = {name: f"voice: no passage contains “{phrase}”\n" for name, phrase in QUOTED.items()}


@pytest.fixture
def full(voice: Voice) -> Voice:
    lines = (json.dumps({"type": "thought", "content": text}) for text in PLANTED.values())
    voice.ok("import", "-", stdin="\n".join(lines).encode())
    return voice


@pytest.mark.requirement("ruling:G.2a")
def test_every_string_is_a_query(full: Voice, is_as_documented: Documented) -> None:
    refused: dict[str, Ran] = {}
    for number, (name, text) in enumerate(HOSTILE.items()):
        provider = PROVIDERS[number % 3]
        ran = full("retrieve", text, "--provider", provider, "--json")
        if (ran.code, ran.err) == (0, BESIDE.get(name, "")):
            is_as_documented("retrieve", ran)
        else:
            refused[name] = ran
        piped = full("retrieve", "--explain", "--provider", "local-hybrid", stdin=text.encode())
        assert (name, piped.code, piped.err) == (name, 0, BESIDE.get(name, ""))
        assert {char for char in piped.out if ord(char) < 32} <= {"\n"}, name
    assert refused == {}
    assert len(HOSTILE) >= 12


@pytest.mark.requirement("ruling:G.2a")
def test_what_other_engines_choke_on_is_found_first(full: Voice) -> None:
    for provider in ("local-hybrid", "local-fts"):
        asked = ("--provider", provider, "--mix", "0", "--floor", "0", "--json")
        found = {query: full.ok("retrieve", query, *asked).json["snippets"] for query in PLANTED}
        assert {query: snippets[0]["text"] for query, snippets in found.items()} == PLANTED


def test_what_looks_like_an_option_is_a_query_after_two_dashes_alone(full: Voice) -> None:
    for text in ("--json", "-k", "--top-k=5", "---"):
        ran = full("retrieve", "--json", "--", text, stdin=b"kiln")
        assert (text, ran.code, ran.err) == (text, 0, "")
        assert isinstance(ran.json, dict)
    for text in ("--no-such", "--top-k=many", "a byte that is no text: \udcff"):
        assert full.refused("retrieve", text)


def test_what_is_empty_after_trimming_is_invalid(voice: Voice) -> None:
    for number, text in enumerate(("", "\t\n\r", "\x00", "\u200b\u200d\ufeff", "\u3000\u00a0")):
        for arguments, stdin in (((text,), b""), (("--json",), text.encode())):
            ran = voice("retrieve", "--provider", PROVIDERS[number % 3], *arguments, stdin=stdin)
            assert (text, ran.code, "invalid_params" in ran.out) == (text, 2, "--json" in arguments)
            assert "[invalid_params]" in ran.only_line
