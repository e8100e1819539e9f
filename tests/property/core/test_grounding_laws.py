"""Laws of quoting: a change of form is found, a change of fact never is (DESIGN 6 stage 2; rulings C13, D1)."""

import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from grounding_rows import MEMORY, draft, grounds, judged, row
from voice.core.grounding.claims import judge_sentence
from voice.core.text.comparable import comparable
from voice.core.text.normalise import norm_v1
from voice.core.text.spans import locate
from voice.core.text.words import words

SOURCES = [
    "Caroline went to the LGBTQ support group on 8 May 2023 and it was so powerful for everybody there.",
    "The rent for the flat in Södermalm is 1,400 euros a month, which is more than in Uppsala.",
    "My “best” friend Anna-Karin doesn't like the winters in Kiruna, but she loves the summers.",
    "We ran 12 km in the rain last Tuesday; Bertil was faster than Clara by forty seconds.",
    "The café opens at 7:30 a.m. and never closes before midnight, except on Sundays.",
]
SOURCE = st.sampled_from(SOURCES)
EDITS = [
    "upper",
    "lower",
    "title",
    "nfd",
    "nfkd",
    "quotes",
    "dashes",
    "spaces",
    "nbsp",
    "zero width",
    "soft hyphen",
    "ends",
    "dots",
]


def _in_form(text: str, edit: str) -> str:
    changes = {
        "upper": text.upper,
        "lower": text.lower,
        "title": text.swapcase,
        "nfd": lambda: unicodedata.normalize("NFD", text),
        "nfkd": lambda: unicodedata.normalize("NFKD", text),
        "quotes": lambda: text.translate(str.maketrans("“”'", "«»’")),
        "dashes": lambda: text.replace("-", "\u2011"),
        "spaces": lambda: text.replace(" ", "  \t"),
        "nbsp": lambda: text.replace(" ", "\u00a0"),
        "zero width": lambda: "\u200b".join(text),
        "soft hyphen": lambda: text.replace("er", "e\u00adr"),
        "ends": lambda: f"“{text.rstrip('.')}”",
        "dots": lambda: f"…{text.rstrip('.')}...",
    }
    return changes[edit]()


@given(SOURCE, st.sampled_from(EDITS), st.sampled_from(EDITS), st.integers(0, 5), st.integers(6, 40))
def test_a_change_of_form_is_found(source: str, first: str, second: str, start: int, length: int) -> None:
    pieces = source.split(" ")
    quote = " ".join(pieces[start : start + length])
    assume(len(quote) >= 8)

    found = locate(_in_form(_in_form(quote, first), second), f"Before it. {source} After it.")

    assert found.status in ("exact", "normalised"), found
    assert norm_v1(f"Before it. {source} After it."[found.start : found.end]).strip(" .“”\"'«»…") in norm_v1(source)


@given(st.text(max_size=60), st.text(max_size=60))
def test_a_found_span_is_inside_its_source(quote: str, source: str) -> None:
    found = locate(quote, source)

    assert (found.status is None) == (found.reason is not None)
    assert 0 <= found.start <= found.end <= len(source)


@given(st.text(max_size=80))
def test_a_normal_form_knows_where_each_character_came_from(text: str) -> None:
    form = comparable(text)

    assert len(form.text) == len(form.starts) == len(form.ends)
    assert all(0 <= start < end <= len(text) for start, end in zip(form.starts, form.ends, strict=True))
    assert list(form.starts) == sorted(form.starts)


@given(SOURCE, st.data())
def test_one_slip_of_the_finger_in_a_long_word_is_found(source: str, data: st.DataObject) -> None:
    long_words = [
        w for w in words(source) if len(w.key) >= 6 and w.key.isalpha() and w.text.islower() and not w.is_stop
    ]
    assume(long_words)
    word = data.draw(st.sampled_from(long_words))
    at = data.draw(st.integers(1, len(word.key) - 3))
    slip = word.text[:at] + word.text[at + 1] + word.text[at] + word.text[at + 2 :]
    assume(slip != word.text)

    found = locate(source[: word.start] + slip + source[word.end :], source)

    assert found.status == "fuzzy", (slip, found)


FACTS = {
    SOURCES[0]: (
        "8 May>9 May; 2023>2022; May>June; Caroline>Carolina; Caroline>Melanie; went>never went; was so>was "
        "not so; so powerful>less powerful; LGBTQ >; group>meeting; everybody>nobody; support>sport "
    ),
    SOURCES[1]: (
        "1,400>1,500; 1,400>14,00; 1,400>1,40; 1,400>400; euros>dollars; month>week; more>less; "
        "Södermalm>Östermalm; Uppsala>Upsala; is 1>is not 1; in U>outside U "
    ),
    SOURCES[2]: (
        "doesn't>does; doesn't like>likes; Anna>Hanna; winters>summers; Kiruna>Karuna; loves>hates; she>he; best>worst "
    ),
    SOURCES[3]: (
        "12 km>21 km; 12 km>12 miles; faster>slower; faster>fastest; Bertil>Bertel; forty>fourteen; "
        "forty>four; seconds>minutes; Tuesday>Thursday; last>next; ran>run "
    ),
    SOURCES[4]: (
        "7:30>7:20; a.m.>p.m.; never>always; never closes>closes; before>after; opens>closes; except>also; "
        "Sundays>Mondays; midnight>midday "
    ),
}
"""Of each source, what is true in it and what would be false in its place."""


def _changes() -> list[tuple[str, str, str]]:
    pairs = [(source, change.strip(" ").split(">")) for source, facts in FACTS.items() for change in facts.split(";")]
    return [(source, true, false) for source, (true, false) in pairs]


@pytest.mark.parametrize(("source", "true", "false"), _changes())
def test_a_changed_fact_is_not_found(source: str, true: str, false: str) -> None:
    changed = source.replace(true, false, 1)
    assert changed != source

    found = locate(changed, source)

    assert found.status is None, found


@given(SOURCE, st.integers(0, 9), st.data())
def test_no_changed_digit_is_found(source: str, digit: int, data: st.DataObject) -> None:
    places = [index for index, char in enumerate(source) if char.isdigit()]
    assume(places)
    at = data.draw(st.sampled_from(places))
    assume(source[at] != str(digit))

    assert locate(source[:at] + str(digit) + source[at + 1 :], source).status is None


@given(st.text(max_size=120), st.text(max_size=80), st.sampled_from(["S1", "S2", "S9", "[S3]"]))
def test_nothing_a_model_writes_breaks_the_judge_or_its_promises(answer: str, span: str, alias: str) -> None:
    response = judged(answer, (alias, span))

    assert 0.0 <= response.coverage_ratio <= 1.0
    assert 0.0 <= response.confidence <= 1.0
    texts = {one.row_id: one.text for one in MEMORY}
    assert all(s.span == texts[s.source_id][s.span_start : s.span_end] for s in response.sources)
    if response.refused:
        assert response.reason is not None
        assert response.sources == ()
    else:
        assert response.coverage_ratio >= 0.6
        assert response.source_count >= 2


@given(st.lists(SOURCE, min_size=1, max_size=4, unique=True))
def test_what_is_quoted_word_for_word_is_supported(sources: list[str]) -> None:
    rows = [row(f"S{number}", text) for number, text in enumerate(sources, 1)]

    for text in sources:
        assert judge_sentence(text, grounds(*rows), 1.65).verdict == "supported"


@given(SOURCE, SOURCE)
def test_more_evidence_never_loses_a_word_for_word_claim(source: str, other: str) -> None:
    alone = judge_sentence(source, grounds(row("S1", source)), 1.65)
    more = judge_sentence(source, grounds(row("S1", source), row("S2", other)), 1.65)

    assert alone.verdict == more.verdict == "supported"


def test_the_values_of_a_draft_are_never_changed() -> None:
    one = draft("You moved.", ("S1", "x"))

    judged(one.answer, ("S1", "x"))

    assert one == draft("You moved.", ("S1", "x"))
