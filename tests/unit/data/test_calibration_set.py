"""The packaged pairs that a verifier is tried on: they are whole, and only reading tells true from false."""

import json
import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from importlib.resources import files
from pathlib import Path
from typing import TypedDict, cast

import pytest

from tables import tables

TABLES = tables(__file__)

_ROOT = Path(__file__).resolve().parents[3]
_MEASURING = _ROOT.parent / "shared" / "data"

_KINDS = set(TABLES["kinds"])
_LANGUAGES = ("en", "de", "es", "fr")


class _Source(TypedDict):
    id: str
    text: str
    date: str | None
    speaker: str | None
    context: str | None


class _Line(TypedDict):
    id: str
    pair: str
    kind: str
    language: str
    question: str
    today: str
    sources: list[_Source]
    claim: str
    supported: bool
    verdict: str


def _lines() -> list[_Line]:
    text = (files("voice") / "data" / "verifier" / "calibration.jsonl").read_text("utf-8")
    return [cast("_Line", json.loads(line)) for line in text.splitlines()]


LINES = _lines()


def _pairs() -> Mapping[str, list[_Line]]:
    found: dict[str, list[_Line]] = defaultdict(list)
    for line in LINES:
        found[line["pair"]].append(line)
    return found


PAIRS = _pairs()


def _words(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())


def _shown(line: _Line) -> str:
    parts = (part for row in line["sources"] for part in (row["text"], row["speaker"], row["context"], row["date"]))
    return " ".join(part for part in parts if part)


def _new_words(line: _Line) -> float:
    """Return the share of the claim's words that no source has."""
    known = set(_words(_shown(line)))
    words = _words(line["claim"])
    return sum(word not in known for word in words) / len(words)


def _new_long_words(line: _Line) -> float:
    """Return the same share of the words that mostly carry what is said; 0 where there is none."""
    known = set(_words(_shown(line)))
    words = [word for word in _words(line["claim"]) if len(word) >= 4]
    return sum(word not in known for word in words) / max(1, len(words))


def _new_stretches(line: _Line) -> float:
    """Return the share of four-letter stretches that no source has: an ending that was changed is no new word here."""

    def stretches(text: str) -> set[str]:
        joined = " ".join(_words(text))
        return {joined[at : at + 4] for at in range(len(joined) - 3)}

    claim = stretches(line["claim"])
    return len(claim - stretches(_shown(line))) / max(1, len(claim))


def _characters(line: _Line) -> float:
    return len(line["claim"])


def _marks(line: _Line) -> float:
    return len(re.findall(r"[^\w\s]", line["claim"]))


def _denials(line: _Line) -> float:
    denying = set(TABLES["denying_words"])
    return len(denying & set(_words(line["claim"])))


def _auroc(true: Sequence[float], false: Sequence[float]) -> float:
    won = sum((one > other) + 0.5 * (one == other) for one in true for other in false)
    return won / (len(true) * len(false))


def _sides(measure: Callable[[_Line], float], lines: Iterable[_Line] = LINES) -> tuple[list[float], list[float]]:
    of = [(line["supported"], measure(line)) for line in lines]
    return [value for supported, value in of if supported], [value for supported, value in of if not supported]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


@pytest.mark.requirement("grounding:calibration-set")
def test_every_line_is_whole() -> None:
    for line in LINES:
        assert set(line) == _Line.__required_keys__, line["id"]
        assert line["kind"] in _KINDS, line["id"]
        assert line["language"] in _LANGUAGES, line["id"]
        assert line["verdict"] in (("supported",) if line["supported"] else ("contradicted", "not_stated")), line["id"]
        assert line["question"].strip() == line["question"] != "", line["id"]
        assert line["claim"].strip() == line["claim"] != "", line["id"]


def test_every_source_is_whole_and_older_than_the_question() -> None:
    for line in LINES:
        rows = line["sources"]
        assert 1 <= len(rows) <= 4, line["id"]
        assert [row["id"] for row in rows] == [f"S{number}" for number in range(1, len(rows) + 1)], line["id"]
        for row in rows:
            assert set(row) == _Source.__required_keys__, line["id"]
            assert row["text"].strip() == row["text"] != "", line["id"]
            said = row["date"]
            assert said is None or date.fromisoformat(said) <= date.fromisoformat(line["today"]), line["id"]


def test_ids_are_unique_and_say_pair_language_and_kind() -> None:
    assert len({line["id"] for line in LINES}) == len(LINES)
    for line in LINES:
        assert line["id"] == f"{line['pair']}-{'t' if line['supported'] else 'f'}"
        assert re.fullmatch(rf"{line['language']}-{line['kind'].replace('_', '-')}-[0-9]{{2}}", line["pair"]), line[
            "id"
        ]


@pytest.mark.requirement("grounding:calibration-set")
def test_a_pair_is_one_true_and_one_false_claim_over_the_same_rows() -> None:
    """So neither the rows, nor their number, nor the question can tell."""
    for pair, members in PAIRS.items():
        assert sorted(line["supported"] for line in members) == [False, True], pair
        one, other = members
        assert (one["question"], one["today"], one["sources"]) == (
            other["question"],
            other["today"],
            other["sources"],
        ), pair
        assert one["claim"] != other["claim"], pair


def test_the_members_of_a_pair_stand_half_the_file_apart() -> None:
    """One call shows some lines that follow one another; beside its opposite a claim would be easier."""
    half = len(LINES) // 2
    assert [line["pair"] for line in LINES[:half]] == [line["pair"] for line in LINES[half:]]
    assert sum(line["supported"] for line in LINES[:half]) == half // 2


def test_no_rows_serve_two_pairs() -> None:
    assert len({line["sources"][0]["text"] for line in LINES}) == len(PAIRS)


@pytest.mark.requirement("grounding:calibration-set")
def test_half_is_supported_overall_in_every_language_and_of_every_kind() -> None:
    assert len(LINES) >= 200
    counted = Counter((of, line["supported"]) for line in LINES for of in ("all", line["language"], line["kind"]))
    assert {of for of, _ in counted if counted[of, True] != counted[of, False]} == set()
    assert {line["kind"] for line in LINES} == _KINDS


def test_each_other_language_has_a_dozen_lines_and_as_many_as_the_others() -> None:
    counted = Counter(line["language"] for line in LINES)
    others = [counted[language] for language in _LANGUAGES[1:]]
    assert min(others) >= 12
    assert max(others) - min(others) <= 6


@pytest.mark.parametrize("measure", [_new_words, _new_long_words, _new_stretches])
@pytest.mark.requirement("grounding:calibration-set")
def test_words_that_no_source_has_tell_nothing(measure: Callable[[_Line], float]) -> None:
    true, false = _sides(measure)
    assert abs(_mean(true) - _mean(false)) <= 0.03
    assert 0.44 <= _auroc(true, false) <= 0.56


@pytest.mark.parametrize("measure", [_characters, _marks, _denials])
@pytest.mark.requirement("grounding:calibration-set")
def test_length_marks_and_denials_tell_nothing(measure: Callable[[_Line], float]) -> None:
    assert 0.44 <= _auroc(*_sides(measure)) <= 0.56


@pytest.mark.parametrize("language", _LANGUAGES)
def test_nor_do_they_in_any_one_language(language: str) -> None:
    """Wider bounds: there are few lines of each."""
    lines = [line for line in LINES if line["language"] == language]
    assert all(0.4 <= _auroc(*_sides(measure, lines)) <= 0.6 for measure in (_new_words, _characters))


def test_the_words_of_the_claims_alone_tell_next_to_nothing() -> None:
    """Each pair is judged by how often its words stand in true and in false claims of all the other pairs."""
    seen: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    for line in LINES:
        seen[line["supported"]].update(set(_words(line["claim"])))

    def leaning(line: _Line) -> float:
        own = {member["supported"]: set(_words(member["claim"])) for member in PAIRS[line["pair"]]}
        return sum(
            math.log((seen[True][word] - (word in own[True]) + 1) / (seen[False][word] - (word in own[False]) + 1))
            for word in set(_words(line["claim"]))
        )

    assert 0.4 <= _auroc(*_sides(leaning)) <= 0.6


def _sentences(text: str) -> set[str]:
    """Return the sentences that are long enough to be somebody's own."""
    found = (" ".join(_words(part)) for part in re.split(r"[.!?\n]+", text))
    return {sentence for sentence in found if sentence.count(" ") >= 4}


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in cast("dict[str, object]", value).values():
            yield from _strings(part)
    elif isinstance(value, list):
        for part in cast("list[object]", value):
            yield from _strings(part)


@pytest.mark.skipif(not _MEASURING.is_dir(), reason="the measuring data are not beside the checkout")
def test_nothing_was_copied_from_the_measuring_data() -> None:
    texts = [text for line in LINES for text in (line["claim"], *(row["text"] for row in line["sources"]))]
    ours = {sentence for text in texts for sentence in _sentences(text)}
    theirs = [
        text
        for path in sorted((*_MEASURING.glob("drafts/*.jsonl"), *_MEASURING.glob("grounding/*.jsonl")))
        for row in path.read_text("utf-8").splitlines()
        for text in _strings(json.loads(row))
    ]
    assert ours & {sentence for text in set(theirs) for sentence in _sentences(text)} == set()
    assert min(len(ours), len(theirs)) > 0
