"""Quoted phrases filter, and nothing else of a question does.

The very words: which texts hold them, where they stand, and what lies under a path.
"""

import unicodedata
from dataclasses import replace

import pytest

from retrieval_rows import candidate, observation, thought, thoughts
from voice.core.errors import InvalidParams
from voice.core.retrieval.evidence import PHRASE_CANDIDATES, EvidenceRequest
from voice.core.retrieval.phrases import holding, is_under, parse_literal, unheld
from voice.core.retrieval.selection import SearchFacts, select, select_evidence
from voice.core.retrieval.values import RetrieveParams
from voice.core.text.normalise import norm_v1

FACTS = SearchFacts(provider="local", model="tiny", dim=8)
BUG = "Fixed the Auth  Bug in the login form."


def holds(text: str, *phrases: str, speaker: str | None = None) -> bool:
    row = replace(observation("1", text), speaker=speaker)
    kept, left = holding([candidate(row)], phrases)
    assert len(kept) + len(left) == 1
    return bool(kept)


@pytest.mark.requirement("ruling:E.8")
@pytest.mark.parametrize(
    ("text", "phrase", "is_held"),
    [
        (BUG, "auth bug", True),
        (BUG, "AUTH\n bug", True),
        (BUG, "bug auth", False),
        (BUG, "auth bu", False),
        (BUG, "uth bug", False),
        ("Rewrote it in C++.", "C++", True),
        ("Rewrote it in C++.", "C", True),
        ("We met at the café.", "cafe\u0301", True),
        ("港でログインの問題を直した。", "ログイン", True),
        ("The party was long.", "art", False),
        ("A (excited)+? day.", "(excited)+?", True),
        ("a.b", "a?b", False),
        (BUG, "auth bug,", True),
        (BUG, "the login form.", True),
    ],
)
def test_a_phrase_is_held_whole_in_any_case_and_spacing(text: str, phrase: str, is_held: bool) -> None:  # noqa: FBT001
    assert holds(text, phrase) is is_held


@pytest.mark.requirement("ruling:E.8")
def test_one_of_several_phrases_is_enough_and_none_lets_all_pass() -> None:
    assert holds(BUG, "flaky test", "auth bug")
    assert not holds(BUG, "flaky test", "broken test")
    assert holds(BUG)
    assert holds(BUG, " \u200b ", "...")


@pytest.mark.requirement("ruling:E.8")
def test_a_phrase_that_no_row_holds_is_named() -> None:
    rows = [candidate(observation("1", BUG)), candidate(observation("2", "A flaky test."))]
    assert unheld(rows, ("auth bug", "broken test", "flaky")) == ("broken test",)
    assert unheld(rows, ("...",)) == unheld(rows, ()) == ()
    assert unheld([], ("auth bug",)) == ("auth bug",)


def test_whose_row_it_is_counts_as_its_text() -> None:
    assert holds("It rained.", "Ada", speaker="Ada")
    assert not holds("It rained.", "Ada", speaker="Bo")
    assert not holds("It rained.", "Ada")


@pytest.mark.requirement("ruling:E.8", "promise:9")
def test_what_a_phrase_leaves_out_is_named() -> None:
    found = (candidate(observation("bug", BUG), 0.3), candidate(observation("other", "The login form is new."), 0.9))
    params = RetrieveParams(query='the "auth bug"', phrases=("auth bug",), mix=1.0, provider="local-hybrid")
    selection = select_evidence(params, found, FACTS)
    assert [one.row.id for one in selection.chosen] == ["o:bug"]
    assert [(one.id, one.reason) for one in selection.dropped] == [("o:other", "no_phrase")]
    nothing = select_evidence(replace(params, phrases=("zeppelin",)), found, FACTS)
    assert (nothing.chosen, nothing.diagnostics.reason) == ((), "no_candidates")


@pytest.mark.requirement("ruling:E.8", "ruling:E.7")
def test_words_that_are_not_quoted_leave_nothing_out() -> None:
    some = [*thoughts(3), candidate(thought("bug", BUG), 0.5)]
    assert len(select(RetrieveParams(query="the auth bug of frustrated zeppelins"), some, FACTS).snippets) == 4


def test_more_rows_are_looked_at_where_a_phrase_leaves_most_of_them_out() -> None:
    request = EvidenceRequest(query="q")
    assert request.params().max_candidates_per_source < PHRASE_CANDIDATES
    assert replace(request, phrases=("x",)).params().max_candidates_per_source == PHRASE_CANDIDATES
    assert replace(request, phrases=("x",)).params().phrases == ("x",)


def _holds(words: str, text: str) -> bool:
    return parse_literal(words).holds(norm_v1(text))


@pytest.mark.requirement("web:sources:literal")
@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("kiln", "The Kiln is hot."),
        ("kiln shed", "In the shed stands a kiln."),
        ('"the old kiln"', "We sold the  old\nkiln."),
        ("“the old kiln”", "We sold THE OLD KILN."),
        ("the", "the"),
        ("Straße", "in der STRASSE"),
        ("café", unicodedata.normalize("NFD", "the café")),
        ("窯", "古い窯です"),
        ('"an open quotation', "an open quotation is one"),
        ("don't", "I don't."),
    ],
)
def test_a_text_that_has_the_words_holds_them_and_says_where(words: str, text: str) -> None:
    assert _holds(words, text)
    spans = parse_literal(words).spans(text)
    assert spans
    assert all(0 <= start < end <= len(text) for start, end in spans)


@pytest.mark.requirement("web:sources:literal")
@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("kiln", "Two kilns."),
        ("kiln shed", "The kiln."),
        ('"old kiln"', "The old, cold kiln."),
        ("fire", "I fired it."),
    ],
)
def test_a_text_that_has_other_words_does_not(words: str, text: str) -> None:
    assert _holds(words, words)
    assert not _holds(words, text)


@pytest.mark.requirement("web:sources:literal")
def test_places_are_those_of_the_text_as_it_is_stored() -> None:
    text = unicodedata.normalize("NFD", "Café  noir, café noir; CAFÉ.")
    found = [text[start:end] for start, end in parse_literal('"café noir"').spans(text)]
    assert [unicodedata.normalize("NFC", each) for each in found] == ["Café  noir", "café noir"]
    other = "b  a x a"
    assert [other[start:end] for start, end in parse_literal("a b").spans(other)] == ["b", "a", "a"]


@pytest.mark.requirement("web:sources:literal")
def test_places_that_overlap_are_one() -> None:
    assert parse_literal('"the old" "old kiln"').spans("the old kiln") == ((0, 12),)


@pytest.mark.requirement("web:sources:literal")
@pytest.mark.parametrize("words", ["", "  ", '""', "…"[:0], '" . "'])
def test_nothing_to_look_for_is_refused(words: str) -> None:
    with pytest.raises(InvalidParams, match="no word"):
        parse_literal(words)


@pytest.mark.requirement("web:sources:literal")
def test_too_many_words_are_refused_and_as_many_in_a_phrase_are_not() -> None:
    many = " ".join(f"w{number}" for number in range(21))
    with pytest.raises(InvalidParams, match="at most 20 words"):
        parse_literal(many)
    assert _holds(f'"{many}"', many)


@pytest.mark.requirement("web:sources:literal")
@pytest.mark.parametrize(
    ("place", "path", "is_there"),
    [
        ("Garden/Gate.md#2", "Garden", True),
        ("Garden/Gate.md#2", "garden/gate.md", True),
        ("Notes/Garden/Gate.md", "Garden/", True),
        ("Notes/Garden/Gate.md", "./Gate.md", True),
        ("Garden/Gate.md", "Gard", False),
        ("Garden/Gate.md", "Gate.md/Garden", False),
        (None, "Garden", False),
        (None, " ", True),
        ("Garden/Gate.md", "", True),
    ],
)
def test_a_note_lies_under_the_steps_of_its_place(place: str | None, path: str, is_there: bool) -> None:  # noqa: FBT001
    assert is_under(place, path) is is_there
