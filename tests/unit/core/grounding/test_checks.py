"""The hard checks and the kinds of sentences, one by one (DESIGN 6 stage 4)."""

import pytest

from grounding_rows import UNDATED, grounds, row
from voice.core.grounding.claims import as_claim, judge_sentence, unsupportedness
from voice.core.grounding.coverage import confidence_of
from voice.core.grounding.kinds import kind_of
from voice.core.grounding.passages import touched_passages
from voice.core.grounding.relevance import is_relevant
from voice.core.grounding.who import name_findings, proper_names
from voice.core.text.words import words


def _flags(claim: str, *texts: str, speaker: str | None = None) -> dict[str, str]:
    rows = [row(f"S{n}", text, speaker=speaker, at=UNDATED) for n, text in enumerate(texts, 1)]
    judged = judge_sentence(claim, grounds(*rows), 1.65)
    return {finding.flag: finding.effect for finding in judged.findings}


def _reasons(claim: str, text: str) -> list[str]:
    return [finding.text for finding in judge_sentence(claim, grounds(row("S1", text)), 1.65).findings]


@pytest.mark.parametrize(
    ("claim", "source", "reason"),
    [
        ("The team has 41 players.", "The team has 14 players.", "the source says 14, the answer says 41"),
        (
            "We ran 12 miles in the rain.",
            "We ran 12 km in the rain.",
            "the source says 12 km, the answer says 12 miles",
        ),
        (
            "The shop opens at 8 am on Mondays.",
            "The shop opens at 7:30 am on Mondays.",
            "the source says 7:30 am, the answer says 8 am",
        ),
        ("We ran in the rain for 3 hours.", "We ran in the rain.", "no cited sentence gives the number 3 hours"),
        (
            "We ran in the rain on 9 May 2021.",
            "We ran in the rain on 8 May 2021.",
            "the source says 8 May 2021, the answer says 9 May 2021",
        ),
        (
            "The party was in 1999 at the lake.",
            "The party was at the lake in 1998.",
            "the source says 1998, the answer says 1999",
        ),
        ("We own three boats.", "We own two boats.", "the source says two, the answer says three"),
        ("A dozen people came.", "Three dozen people came.", "the source says Three dozen, the answer says A dozen"),
        (
            "We planted a dozen roses.",
            "We planted half a dozen roses.",
            "the source says half a dozen, the answer says a dozen",
        ),
        (
            "We sold a few hundred tickets.",
            "We sold a hundred tickets.",
            "the source says a hundred, the answer says a few hundred",
        ),
        (
            "Wir haben ein Dutzend Stühle.",
            "Wir haben drei Dutzend Stühle.",
            "the source says drei Dutzend, the answer says ein Dutzend",
        ),
    ],
)
def test_a_veto_says_what_the_source_says_and_what_the_answer_says(claim: str, source: str, reason: str) -> None:
    assert reason in _reasons(claim, source)


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("We have twenty-four eggs.", "We have two dozen eggs."),
        ("We have a couple of dozen eggs.", "We have 24 eggs."),
        ("Wir haben zwölf Stühle.", "Wir haben ein Dutzend Stühle."),
        ("It opens at 17:30 every day.", "It opens at 5:30 p.m. every day."),
        ("The rent is 40 percent more.", "The rent is 40% more."),
        ("She was born in May 1990 in Oslo.", "She was born on 7 May 1990 in Oslo."),
        ("She was born on May 7 in 1990.", "In 1990, she was born on May 7."),
        ("Maria went to the lake on 7 May 2023.", "Maria went to the lake yesterday."),
        ("Maria went to the lake in May.", "Maria went to the lake yesterday."),
        ("Maria went to the lake on the 8th.", "Maria went to the lake today."),
        ("One of them, Maria, went to the lake first.", "Maria went to the lake, the first of them."),
        ("The first of two friends, Ann and Bob.", "Ann and Bob are friends."),
    ],
)
def test_the_same_figure_in_another_form_is_no_difference(claim: str, source: str) -> None:
    judged = judge_sentence(claim, grounds(row("S1", source)), 1.65)

    assert not [finding for finding in judged.findings if finding.effect != "note"]


def test_a_count_is_not_borne_out_by_a_calendar_day() -> None:
    assert "number" in _flags("We own 8 boats.", "We own boats.")
    judged = judge_sentence("We own 8 boats.", grounds(row("S1", "We own boats.")), 1.65)
    assert [finding.flag for finding in judged.findings] == ["number"]


@pytest.mark.parametrize(
    ("claim", "source", "effect"),
    [
        ("Anna does not like the cold winters.", "Anna likes the cold winters.", "contradicted"),
        ("Anna likes the cold winters.", "Anna does not like the cold winters.", "contradicted"),
        ("Anna never liked the trip to the cold north.", "Anna went to a concert in the north.", "note"),
        ("Anna likes no cold winters and rain.", "Anna likes winters and rain, and hates being cold.", "contradicted"),
    ],
)
def test_a_denial_on_one_side_only(claim: str, source: str, effect: str) -> None:
    assert _flags(claim, source).get("polarity") == effect


@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("Anna does not like the cold winters.", "Anna doesn't like the cold winters."),
        ("Anna could not sell the house.", "Anna was unable to sell the house."),
        ("There is no evidence of poison.", "They have not found any evidence of poison."),
        ("Anna did not come to the party.", "Anna refused to come to the party."),
        ("Anna is excited to see Rome.", "Anna can't wait to see Rome."),
        ("Anna likes the cold winters.", "Doesn't Anna like the cold winters?"),
        ("Anna likes tea.", "Anna likes tea, and does not like coffee."),
        ("Anna lacks time.", "Anna does not have time."),
    ],
)
def test_a_denial_on_both_sides_or_on_neither_is_no_difference(claim: str, source: str) -> None:
    assert _flags(claim, source).get("polarity") != "contradicted"


@pytest.mark.parametrize(
    ("claim", "source", "flag"),
    [
        ("The price of the flat in Oslo increased.", "The price of the flat in Oslo decreased.", "antonym"),
        ("Anna was unhappy with the flat in Oslo.", "Anna was happy with the flat in Oslo.", "antonym"),
        ("The plan for the garden was useful.", "The plan for the garden was useless.", "antonym"),
        ("The plan for the garden was useless.", "The plan for the garden was useful.", "antonym"),
        ("All neighbours in Oslo came.", "Some neighbours in Oslo came.", "quantifier"),
        ("Some neighbours in Oslo came.", "All neighbours in Oslo came.", "quantifier"),
    ],
)
def test_an_opposite_or_a_wider_word_is_seen(claim: str, source: str, flag: str) -> None:
    assert flag in _flags(claim, source)


def test_an_opposite_that_the_claim_holds_itself_is_no_sign() -> None:
    assert "antonym" not in _flags("Prices increased, then decreased in Oslo.", "Prices in Oslo decreased.")


@pytest.mark.parametrize(
    ("claim", "source", "flagged"),
    [
        ("We met Bergqvist in Oslo.", "We met a man in Oslo.", True),
        ("Daniel was in Oslo.", "A man was in Oslo.", True),
        ("We met Mel in Oslo.", "We met Melanie in Oslo.", False),
        ("We flew to the USA.", "We flew to the United States of America.", False),
        ("We met Anna's friend in Oslo.", "We met a friend of Anna in Oslo.", False),
        ("WE MET A MAN IN OSLO", "We met a man in town.", False),
    ],
)
def test_a_name_must_be_in_a_cited_row(claim: str, source: str, flagged: bool) -> None:  # noqa: FBT001
    assert (_flags(claim, source).get("name") == "unsupported") is flagged


def test_a_first_word_that_may_be_no_name_only_counts_a_little() -> None:
    assert _flags("Meadows are nice in the summer.", "The summer is nice.").get("name") == "note"
    assert _flags("Glaciers", "The summer is nice.").get("name") == "note"


def test_a_name_elsewhere_in_a_cited_row_is_held() -> None:
    one = row("S1", "Anna has a dog. The dog is called Bello and likes water.")
    cited = touched_passages(one, [(20, 50)])
    claim = "The dog of Anna is called Bello."

    assert [passage.text for passage in cited] == ["The dog is called Bello and likes water."]
    assert name_findings(claim, words(claim), cited, [one]) == []
    assert name_findings(claim, words(claim), cited, [row("S1", cited[0].text)]) != []


def test_at_most_five_sentences_are_weighed() -> None:
    parts = (
        "The choir sang.", "The baker baked.", "The painter painted.", "The sailor sailed.", "The tailor sewed.",
        "The farmer mowed.",
    )  # fmt: skip
    claim = " ".join(parts).replace(". The", ", the")

    judged = judge_sentence(claim, grounds(*(row(f"S{n}", text) for n, text in enumerate(parts, 1))), 1.65)

    assert judged.support is not None
    assert len(judged.support.used) == 5


@pytest.mark.parametrize(
    ("sentence", "kind"),
    [
        ("Would you like more details?", "question"),
        ("本当？", "question"),
        ("Anna left, right?", "claim"),
        ("Anna left, didn't she?", "claim"),
        ("Did you know that Anna was fired?", "claim"),
        ("Do you know what she said?", "question"),
        ("Isn't it a pity that Anna left?", "claim"),
        ("Sure!", "meta"),
        ("I don't know.", "meta"),
        ("No.", "claim"),
        ("...", "meta"),
        ("- Let me know if you need anything else!", "meta"),
        ("Based on your notes, here is what I found:", "meta"),
        ("I don't like Anna.", "claim"),
        ("Your notes do not mention a dog.", "claim"),
        ('"I went home."', "quotation"),
        ("> I went home", "quotation"),
        ("“Home” is where she went.", "claim"),
        ("Anna left.", "claim"),
    ],
)
def test_only_what_asserts_nothing_is_no_claim(sentence: str, kind: str) -> None:
    assert kind_of(sentence) == kind


def test_saying_that_the_memory_lacks_what_was_asked_asserts_nothing() -> None:
    assert kind_of("Your notes do not mention a dog.", frozenset({"dog"})) == "meta"
    assert kind_of("Your notes do not mention 3 dogs.", frozenset({"dog", "3"})) == "claim"


def test_a_quotation_is_a_claim_and_must_be_word_for_word() -> None:
    source = row("S1", "Anna said that she would never leave the old town.")

    assert judge_sentence('"she would never leave the old town"', grounds(source), 1.65).verdict == "supported"
    assert judge_sentence('"she would gladly leave the old town"', grounds(source), 1.65).verdict != "supported"
    titled = judge_sentence('Anna read "The Old Town And Sea" there.', grounds(source), 1.65)
    assert "quotation" not in {finding.flag for finding in titled.findings}


def test_how_unsupported_a_sentence_is_agrees_with_its_verdict() -> None:
    source = grounds(row("S1", "The team has 14 players."))
    held, broken, meta = (
        judge_sentence(t, source, 1.65) for t in ("The team has 14 players.", "The team has 41 players.", "Sure!")
    )

    assert unsupportedness(held) <= 1.65 < unsupportedness(broken)
    assert unsupportedness(meta) == 0.0


def test_a_sentence_that_is_no_question_cannot_be_judged_as_one() -> None:
    meta = judge_sentence("Sure!", grounds(row("S1", "The team has 14 players.")), 1.65)

    assert as_claim(meta, 1.65) is meta


def test_a_claim_without_any_evidence_holds_nothing() -> None:
    judged = judge_sentence("The team has 14 players.", grounds(), 1.65)

    assert judged.verdict == "unsupported"
    assert judged.support is not None
    assert judged.support.best is None


def test_a_question_of_stop_words_alone_has_no_features() -> None:
    judged = judge_sentence("And you?", grounds(), 1.65)

    assert judged.verdict == "not_a_claim"
    assert judged.support is not None
    assert judged.support.score == 0.0


def test_german_nouns_are_no_names() -> None:
    text = "Die Wohnung in der Stadt ist mir zu teuer, und der Garten ist nicht schön."

    assert proper_names(text, words(text)) == []


def test_a_near_spelling_or_a_synonym_counts_as_most_of_a_match() -> None:
    source = grounds(row("S1", "The photographer purchased an organisational calendar in the harbour."))
    exact, synonym, spelled, other = (
        judge_sentence(f"The photographer {verb} a calendar in the {place}.", source, 1.65).score or 0.0
        for verb, place in (
            ("purchased", "harbour"),
            ("bought", "harbour"),
            ("purchased", "harbours"),
            ("painted", "attic"),
        )
    )

    assert exact <= spelled <= synonym < other
    near = judge_sentence("The photographer shows the harbourside.", source, 1.65)
    assert near.support is not None
    assert [word.key for word in near.support.missing] == ["shows"]


def test_a_year_apart_from_its_date_still_bears_it_out() -> None:
    flags = _flags("The party at the lake was in 2004.", "The party at the lake cost 2004 euros in all.")

    assert "date" not in flags


def test_another_clock_time_is_a_rival_of_any_other() -> None:
    reasons = _reasons("The old shop opens at 9:15.", "The old shop opens at 8:30 and closes with 3 guards.")

    assert reasons == ["the source says 8:30, the answer says 9:15"]


def test_confidence_in_nothing_is_nothing() -> None:
    assert confidence_of(1.0, 0.0) == 0.0
    assert 0.0 < confidence_of(0.5, 8.0) < 0.5


@pytest.mark.parametrize(
    ("question", "relevance", "relevant"),
    [
        ("What about the garden?", 0.9, True),
        ("When was it?", 0.1, True),
        ("Why so glum?", 0.9, True),
        ("Why so glum?", 0.1, False),
        ("Who is Bergqvist?", 0.9, False),
        ("Which dwelling, and the rent of it?", 0.1, True),
        ("So?", 0.1, True),
    ],
)
def test_an_answer_is_off_the_point_only_when_nothing_ties_it_to_the_question(
    question: str,
    relevance: float,
    relevant: bool,  # noqa: FBT001
) -> None:
    cited = row("S1", "The garden of our house is large; the rent is low.", relevance=relevance)
    best = row("S2", "Something else.", relevance=1.0)
    passages = touched_passages(cited, [(0, 10)])

    assert is_relevant(question, "The garden is large.", passages, [cited, best]) is relevant


def test_a_year_that_only_a_count_holds_is_not_taken_for_a_wrong_date() -> None:
    source = grounds(row("S1", "The concert was on 3 June. The choir sang there in 1999 for 2004 people.", at=UNDATED))

    judged = judge_sentence("The concert was on 3 June 1999, and the choir sang there.", source, 1.65)

    assert "date" not in {finding.flag for finding in judged.findings}


def test_a_name_in_capitals_may_be_spelled_out_in_its_source() -> None:
    assert _flags("We flew to the NYC area.", "We flew to the New York City area.").get("name") is None


def test_a_stem_without_a_near_relative_is_missing() -> None:
    judged = judge_sentence(
        "The harbour master plays harbinger tunes.", grounds(row("S1", "The harbour master is old.")), 1.65
    )

    assert judged.support is not None
    assert "harbinger" in [word.key for word in judged.support.missing]
