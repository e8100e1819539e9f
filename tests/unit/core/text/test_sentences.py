"""Where sentences begin and end (rulings C12, C13).

Full stops that end no sentence: German ordinals, titles of several languages (rulings C12, C13).
Cutting long text without cutting what it says (rulings C12, C13).
"""

import pytest
import regex

from tables import tables
from voice.core.text.sentences import CAP_LOWER, CAP_UPPER, best_match_span, cap_span, sentence_spans, sentences

TABLES = tables(__file__)


@pytest.mark.parametrize(("text", "expected"), TABLES["cases"])
def test_a_text_is_cut_where_a_reader_would_cut_it(text: str, expected: tuple[str, ...]) -> None:
    assert tuple(sentences(text)) == expected


def test_a_megabyte_without_a_stop_is_one_sentence() -> None:
    text = "word " * 200_000
    assert sentence_spans(text) == [(0, len(text) - 1)]


SENTENCE = "The harbour was quiet and the ferry left on time again. "


def _cap(text: str) -> str:
    start, end = cap_span(text)
    assert start == 0
    return text[start:end]


def test_a_short_text_is_shown_whole() -> None:
    text = "  Short, with its spaces.\n"
    assert cap_span(text) == (0, len(text))
    assert cap_span("") == (0, 0)
    assert cap_span("x" * CAP_UPPER) == (0, CAP_UPPER)


@pytest.mark.requirement("ruling:C12", "s0:behavior:7", "s0:cap:boundary", "s0:test:text-cap", "s0:constraint:text-cap")
def test_a_long_text_ends_at_the_last_sentence_boundary_within_the_limits() -> None:
    capped = _cap(SENTENCE * 40)
    assert capped.endswith("on time again.")
    assert len(capped) == len(SENTENCE) * (CAP_UPPER // len(SENTENCE)) - 1


@pytest.mark.requirement("ruling:C12")
def test_the_first_boundary_is_never_the_cut() -> None:
    assert len(_cap("Yes. " + SENTENCE * 40)) >= CAP_LOWER


@pytest.mark.requirement("ruling:C12")
def test_a_boundary_before_the_limits_is_not_used() -> None:
    capped = _cap("One sentence. " + "word " * 400)
    assert CAP_LOWER <= len(capped) <= CAP_UPPER
    assert capped.endswith("word")


@pytest.mark.requirement("ruling:C12")
@pytest.mark.parametrize(
    "trap", ["about 3.14 or v2.0 of it", "as Dr. Okafor said", "e.g. the ferry", "at 10 a.m. today"]
)
def test_abbreviations_and_decimals_are_no_boundary(trap: str) -> None:
    filler = "word " * 140
    text = filler + trap + " " + "tail " * 200
    assert len(_cap(text)) > len(filler) + len(trap)


@pytest.mark.requirement("ruling:C12")
def test_scripts_without_spaces_end_at_their_own_stops() -> None:
    assert _cap("今日は港が静かでした。" * 100).endswith("。")
    assert _cap("船は時間通りに出ましたか？" * 100).endswith("？")


@pytest.mark.requirement("ruling:C12")
def test_a_text_without_any_gap_is_cut_at_a_grapheme() -> None:
    family = "👨‍👩‍👧‍👦"
    capped = _cap(family * 200)
    assert CAP_UPPER - len(family) < len(capped) <= CAP_UPPER
    assert regex.fullmatch(f"(?:{family})+", capped)


def test_one_endless_grapheme_is_cut_at_the_limit() -> None:
    assert cap_span("e" + "\u0301" * 2000) == (0, CAP_UPPER)


def test_a_run_of_blanks_at_the_limits_does_not_shorten_the_text_below_the_words_before_it() -> None:
    assert _cap("word " * 100 + " " * 600 + "end " * 100).startswith("word " * 100)


@pytest.mark.requirement("ruling:G.2f")
class TestMatchSpan:
    def _window(self, text: str, *terms: str, width: int = 60) -> str:
        span = best_match_span(text, terms, width=width)
        assert span is not None
        return text[slice(*span)]

    def test_the_window_lies_around_the_match(self) -> None:
        text = "filler words " * 40 + "the authentication bug is fixed " + "more words " * 40
        window = self._window(text, "authentication")
        assert "authentication bug" in window
        assert len(window) <= 60

    def test_the_window_is_where_most_terms_are(self) -> None:
        text = "A bug here. " + "filler words " * 40 + "the authentication bug is fixed " + "more words " * 40
        assert "authentication bug" in self._window(text, "bug", "authentication")

    def test_the_window_begins_and_ends_at_words(self) -> None:
        words = " ".join(f"w{n:03}" for n in range(200)).split()
        assert set(self._window(" ".join(words), "w100").split()) <= set(words)

    def test_a_term_matches_at_the_start_of_a_word_only(self) -> None:
        assert best_match_span("debugging all day", ["bug"]) is None
        assert self._window("Bugs all day", "bug") == "Bugs all day"

    def test_a_term_in_a_script_without_words_matches_anywhere(self) -> None:
        assert "ログイン" in self._window("昨日のログイン問題を直した" * 1, "ログイン")

    def test_a_term_with_signs_is_taken_literally(self) -> None:
        assert (
            self._window("I wrote C++ and (excited)+? today", "C++", "(excited)+?")
            == "I wrote C++ and (excited)+? today"
        )

    def test_a_term_longer_than_the_window_is_cut_to_it(self) -> None:
        assert best_match_span("x " + "y" * 90, ["y" * 90], width=20) == (2, 22)

    def test_there_is_no_window_without_a_match(self) -> None:
        assert best_match_span("nothing here", ["bug", " "]) is None
        assert best_match_span("a bug here", ["bug", " "]) is not None
