"""A change of form is found where it stands; a change of fact is not found at all (DESIGN 6 stage 2; rulings C13, D1).

The sentences are generated in English, German, Greek and Chinese with every fact marked (`bench.sentences`).
"""

import random

import pytest
from bench.forms import FORMS, SLIPS, with_slip
from bench.sentences import KINDS, TONGUES, Kind, Sentence, Tongue, altered, sentence
from hypothesis import assume, given
from hypothesis import strategies as st

from tables import tables
from voice.core.text.normalise import comparable_text
from voice.core.text.spans import LocatedSpan, locate, splits_word, trim_quote

TABLES = tables(__file__)

SEED = st.integers(0, 2**32)
TONGUE = st.sampled_from(TONGUES)
ENDS = ".。"


def _between_others(chance: random.Random, tongue: Tongue) -> tuple[Sentence, str, int]:
    """Return a sentence, a row in which it stands between two others, and where."""
    one, before, after = (sentence(chance, tongue) for _ in range(3))
    assume(one.text not in before.text)
    return one, f"{before.text} {one.text} {after.text}", len(before.text) + 1


def _stands(found: LocatedSpan, row: str, one: Sentence, at: int) -> bool:
    is_inside = at <= found.start < found.end <= at + len(one.text)
    return found.status is not None and is_inside and row[found.start : found.end].strip(ENDS) == one.text.strip(ENDS)


@pytest.mark.requirement("ruling:C13")
@given(SEED, TONGUE, st.sampled_from(sorted(FORMS)), st.sampled_from(sorted(FORMS)))
def test_two_changes_of_form_are_found_with_exact_offsets(seed: int, tongue: Tongue, first: str, second: str) -> None:
    one, row, at = _between_others(random.Random(seed), tongue)

    found = locate(FORMS[second](FORMS[first](one.text)), row)

    assert _stands(found, row, one, at), found


@pytest.mark.requirement("ruling:C13")
@given(SEED, TONGUE, st.sampled_from(sorted(SLIPS)))
def test_one_slip_of_the_finger_is_found_with_exact_offsets(seed: int, tongue: Tongue, kind: str) -> None:
    chance = random.Random(seed)
    one, row, at = _between_others(chance, tongue)
    slipped = with_slip(one.text, chance, kind)
    assume(slipped is not None)

    found = locate(slipped or "", row)

    assert _stands(found, row, one, at), (slipped, found)


@pytest.mark.requirement("promise:1")
@given(SEED, TONGUE, st.sampled_from(KINDS), st.sampled_from([*sorted(FORMS), None]))
def test_one_changed_fact_is_not_found_in_whatever_form(
    seed: int, tongue: Tongue, kind: Kind, form: str | None
) -> None:
    chance = random.Random(seed)
    one, row, _ = _between_others(chance, tongue)
    facts = one.of_kind(kind)
    assume(facts)
    changed = altered(one, chance.choice(facts), chance)
    assume(changed not in row)

    found = locate(FORMS[form](changed) if form else changed, row)

    assert found.status is None, (changed, row[found.start : found.end])
    assert locate(row, row).status == "exact"


@pytest.mark.parametrize(("source", "quote"), TABLES["a_near_alteration_is_not_found"])
def test_a_near_alteration_is_not_found(source: str, quote: str) -> None:
    found = locate(quote, source)

    assert found.status is None, source[found.start : found.end]
    assert locate(source, source).status == "exact"


@pytest.mark.parametrize(
    ("source", "quote", "left_out"),
    TABLES["an_ellipsis_hides_nothing_that_turns_the_rest_around"],
)  # fmt: skip
def test_an_ellipsis_hides_nothing_that_turns_the_rest_around(source: str, quote: str, left_out: str) -> None:
    assert locate(quote, source).status is None, left_out
    assert locate(source, source).status == "exact"


def test_an_ellipsis_may_leave_out_what_changes_nothing() -> None:
    source = "Anna hat das Haus am Rand der Stadt an Ben verkauft."

    assert locate("Anna hat das Haus … an Ben verkauft.", source).status == "elided"


def test_an_ellipsis_of_the_source_does_not_hide_a_typo() -> None:
    source = "We drove for hours... and the mountains were beautiful."

    assert locate("We drove for hours... and the mountians were beautiful.", source).status == "fuzzy"


@pytest.mark.parametrize(("source", "quote", "found"), TABLES["an_honest_quotation_is_found"])
def test_an_honest_quotation_is_found(source: str, quote: str, found: str) -> None:
    located = locate(quote, source)

    assert source[located.start : located.end] == found


@pytest.mark.requirement("ruling:C13", "ruling:D1")
@pytest.mark.parametrize(("quote", "source"), TABLES["no_edge_of_a_quotation_cuts_off_what_changes_it"])
def test_no_edge_of_a_quotation_cuts_off_what_changes_it(quote: str, source: str) -> None:
    assert locate(quote, source).status is None
    assert locate(source, f"{source}.").status is not None


@pytest.mark.requirement("ruling:C13", "ruling:D1")
@pytest.mark.parametrize(("quote", "source"), TABLES["a_sign_that_was_exchanged_is_a_changed_fact"])
def test_a_sign_that_was_exchanged_is_a_changed_fact(quote: str, source: str) -> None:
    assert locate(quote, source).status is None
    assert locate(source, source).status == "exact"


@pytest.mark.parametrize(("quote", "source"), TABLES["what_is_the_same_to_a_reader_is_found"])
def test_what_is_the_same_to_a_reader_is_found(quote: str, source: str) -> None:
    assert locate(quote, source).status is not None


@pytest.mark.parametrize("text", ["\u200bkiln", "kiln\u200b"])
def test_beside_what_cannot_be_seen_alone_nothing_is_cut(text: str) -> None:
    assert not splits_word(text, 1 if text.startswith("\u200b") else 4)
    assert splits_word(text, 3)


MIXED = (
    "Der Straßenbahnfahrer aß am 3.–5. Mai 1½ Brötchen für 4,50 € und sagte: „Nicht schlecht!“",
    "İstanbul'da ışık çok güzeldi, I·i ı İ. Ağustos'ta 35°C idi.",
    "أنا أُحِبُّ القهوة في الصباح، ٣٥ درهماً لكل كيلو.",
    "שָׁלוֹם! קניתי 3 ספרים ב-120 ₪ ביום ג׳.",
    "ผมชอบกาแฟมาก ๆ และซื้อ ๓๕ แก้ว ไม่ใช่ชา",
    "मुझे कॉफी पसंद नहीं है, ₹१५० की थी। चाय अच्छी है।",
    "ﬁnally the ofﬁce ﬂoor № Ⅳ has x² + 10⁶ ＝ ｆｕｌｌ ｗｉｄｔｈ １２３",
    "👩\u200d🚀👨\u200d👩\u200d👧 flew ✈️ with 🇩🇪 flag e\u0301 o\u0308\u0304 end",
    "我不喜欢咖啡，但是二十五个人喝了3.5升。コーヒーは好きではありません。",
    f"{'a' * 5_000} kiln {'b' * 5_000}",
    "5",
)


@pytest.mark.requirement("ruling:C13")
@given(st.sampled_from(MIXED), st.integers(0, 2**16), st.integers(1, 60), st.sampled_from(sorted(FORMS)))
def test_in_every_script_what_is_found_is_the_stretch_that_was_quoted(
    source: str, start: int, length: int, form: str
) -> None:
    start %= len(source)
    quote = FORMS[form](source[start : start + length])

    found = locate(quote, source)

    assume(found.status in ("exact", "normalised"))
    assert 0 <= found.start < found.end <= len(source)
    assert trim_quote(comparable_text(quote).text) in comparable_text(source[found.start : found.end]).text
