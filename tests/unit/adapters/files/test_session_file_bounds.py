"""A file whose chain a forger made anew is still held against what a turn can be, and told by its place."""

import json
from collections.abc import Callable
from typing import cast

import pytest

from store_values import full_exchange, session
from voice.adapters.files.session_file import parse_session
from voice.core.errors import DataFileError
from voice.core.session.document import build_document, digest_of
from voice.core.session.hash_chain import commitment, next_link
from voice.core.session.values import SESSION_SCHEMA_VERSION

pytestmark = pytest.mark.requirement("sessions:portable")
Json = dict[str, object]
TEXT = json.dumps(build_document(session(), [full_exchange()], key=b"k" * 32, include_private=True).members())


def forged(change: Callable[[Json, Json], object]) -> bytes:
    """Return the file after a change to its session and its turn, with its chain made anew."""
    document = cast("Json", json.loads(TEXT))
    turn = cast("list[dict[str, Json]]", document["exchanges"])[0]
    header = cast("Json", document["session"])
    change(header, turn["values"])
    for name, value in turn["values"].items():
        nonce = str(turn["nonces"].setdefault(name, "1" * 64))
        turn["commitments"][name] = commitment(bytes.fromhex(nonce), value)
    link = next_link("", cast("dict[str, str]", turn["commitments"]))
    cast("Json", turn)["link"] = link
    document["digest"] = digest_of(header, link)
    return json.dumps(document).encode()


def refusal(data: bytes) -> str:
    with pytest.raises(DataFileError) as caught:
        parse_session(data, "a.json")
    return caught.value.message


SMALL, LARGE = "the number is too small", "the number is too large"
WRITTEN = "it is not written as it must be"


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("prompt_tokens", -5, SMALL),
        ("prompt_tokens", 2**62, LARGE),
        ("latency_ms", 10**18, LARGE),
        ("coverage_ratio", 7, LARGE),
        ("coverage_ratio", -7.5, SMALL),
        ("coverage_ratio", 1e300, LARGE),
        ("confidence", 1.01, LARGE),
        ("cost_estimate", "-5", WRITTEN),
        ("cost_estimate", "NaN", WRITTEN),
        ("cost_estimate", "1E+999999", WRITTEN),
        ("cost_estimate", "\N{ARABIC-INDIC DIGIT ONE}", WRITTEN),
        ("cost_estimate", "1E+98", "no turn has it so"),
        ("status", "answered", "no turn has it so"),
        ("sources", [{**json.loads(TEXT)["exchanges"][0]["values"]["sources"][0], "span_start": 50}], "no turn has it"),
    ],
)
def test_a_figure_that_no_turn_can_have_is_refused(name: str, value: object, why: str) -> None:
    said = refusal(forged(lambda _, values: values.__setitem__(name, value)))
    assert said.startswith("a.json cannot be imported: exchanges[0].values")
    assert why in said


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("version", SESSION_SCHEMA_VERSION + 1, LARGE),
        ("version", 0, SMALL),
        ("max_prompt_tokens", -1, SMALL),
        ("id", f"s:{'a' * 200}", "it is longer than it can be"),
        ("status", "expired", "it is none of the words that can stand here"),
        ("thread_topic", "", "a topic needs a few words"),
        ("thread_topic", " \n\x00 ", "a topic needs a few words"),
    ],
)
def test_a_session_that_cannot_be_is_refused(name: str, value: object, why: str) -> None:
    said = refusal(forged(lambda header, _: header.__setitem__(name, value)))
    assert said.startswith(f"a.json cannot be imported: session.{name}: ")
    assert why in said


@pytest.mark.parametrize("amount", ["0", "0.000123", "12", "0E-9", "1.25E-7", "1E+3"])
def test_money_is_read_as_decimals_are_written(amount: str) -> None:
    arrived = parse_session(forged(lambda _, values: values.__setitem__("cost_estimate", amount)), "a.json")
    assert str(arrived.exchanges[0].cost_estimate) == amount


def test_a_topic_comes_in_as_one_that_is_given_here() -> None:
    arrived = parse_session(forged(lambda header, _: header.__setitem__("thread_topic", " the\n kiln\x00 ")), "a.json")
    assert arrived.session.thread_topic == "the kiln"
    long = parse_session(forged(lambda header, _: header.__setitem__("thread_topic", "x" * 100_000)), "a.json")
    assert long.session.thread_topic == "x" * 199 + "…"


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b'{"a": 1, "a": 2}', "an object has the same name twice"),
        (b'{"a": 1e999}', "a number is too large"),
        (b'{"a": NaN}', "NaN is no number"),
        (b'{"a": -Infinity}', "-Infinity is no number"),
        (b'{"a": ' + b"9" * 5000 + b"}", "a number has more than 1000 digits"),
        (b"[" * 100_000, "it is nested too deeply"),
    ],
)
def test_what_is_wrong_with_the_json_is_said(data: bytes, why: str) -> None:
    assert refusal(data) == f"a.json cannot be read as JSON: {why}"
