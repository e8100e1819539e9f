"""What would ride along with a true answer for free: denials, small words, questions, doubts made facts, reasons."""

import pytest

from grounding_rows import CITED, GOOD, UNDATED, grounds, judged, row
from voice.core.grounding.claims import Judged, judge_sentence
from voice.core.grounding.kinds import kind_of
from voice.core.grounding.neighbours import judge_sentences
from voice.core.grounding.values import Evidence, GroundingPolicy, RefusalReason, Stance
from voice.core.text.words import content_words

LINE = 1.65
ONE = GroundingPolicy(min_sources=1)
KILN = row("S1", "Ada moved the kiln to the shed in the garden.", at=UNDATED)
LOAN = row("S1", "Tom borrowed money from Ada in May.", at=UNDATED)


def _rows(*texts: str) -> tuple[Evidence, ...]:
    return tuple(row(f"S{number}", text, at=UNDATED) for number, text in enumerate(texts, 1))


def _one(claim: str, *texts: str, asked: str = "") -> Judged:
    stems = frozenset(word.stem for word in content_words(asked))
    return judge_sentence(claim, grounds(*_rows(*texts), asked=stems), LINE)


def _flags(judged: Judged) -> set[str]:
    return {finding.flag for finding in judged.findings}


# Denials that look like an abstention.


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("answer", "source"),
    [
        ("I have no peanut allergy.", "The doctor says I have a peanut allergy."),
        ("There is no gas leak alarm in the shed.", "There is a gas leak alarm in the shed."),
        ("I do not want to take the job in Porto.", "I want to take the job in Porto."),
        ("I cannot eat peanut butter.", "I can eat peanut butter."),
        ("There is nothing wrong with the gas in the shed.", "The gas in the shed is wrong and smells."),
        ("I don't know Tom from the choir.", "I know Tom from the choir."),
        ("I found no evidence of mice in the attic.", "I found evidence of mice in the attic."),
        ("I have no memory of the accident in Porto.", "I have a memory of the accident in Porto."),
        ("Unfortunately, there is no lease for the flat.", "There is a lease for the flat."),
    ],
)
def test_a_denial_of_what_was_asked_is_a_claim_and_contradicts(answer: str, source: str) -> None:
    question = f"Is it so that {answer}"
    asked = frozenset(word.stem for word in content_words(question))

    assert kind_of(answer, asked) == "claim"
    assert _one(answer, source, asked=question).verdict == "contradicted"
    response = judged(answer, ("S1", source), memory=_rows(source), policy=ONE, question=question)
    assert response.reason is RefusalReason.CONTRADICTION


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    "answer",
    [
        "The sources do not say where Tom lives.",
        "Your notes do not mention Tom.",
        "Unfortunately, your memory holds nothing about Tom.",
        "I found nothing about Tom.",
        "I don't know where Tom lives.",
        "I do not know.",
        "I cannot say whether Tom lives in Porto.",
        "I can't answer that question.",
        "There is nothing about Tom in your notes.",
        "There is no mention of Tom in the memory.",
        "Nothing in the memory says where Tom lives.",
        "I have no information about Tom.",
        "I do not have any information.",
        "I'm sorry, I don't know.",
        "Based on your notes, I cannot tell where Tom lives.",
        "I could not help with that.",
    ],
)
def test_what_speaks_of_the_memory_abstains(answer: str) -> None:
    assert kind_of(answer, frozenset(word.stem for word in content_words("Where does Tom live, in Porto?"))) == "meta"


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    "answer",
    [
        "The sources do not say, but Tom stole the money.",
        "I don't know why; Tom stole the money.",
        "I don't know how to steal money.",
        "I do not want more help.",
        "I need help.",
        "There is no more support.",
        "Sorry, I don't want help.",
        "I could not find it.",
        "The sources do not mention 3 thefts.",
        "Based on your notes, Tom stole the money.",
        "In memory of Tom.",
    ],
)
def test_an_abstention_carries_nothing_along(answer: str) -> None:
    assert kind_of(answer, frozenset(word.stem for word in content_words("Did Tom steal the money?"))) == "claim"


# Sentences of small words alone.


@pytest.mark.parametrize("said", ["It is great.", "I am happy.", "The hotel is nice.", "That is a great hotel."])
def test_praise_of_what_was_asked_is_a_claim(said: str) -> None:
    assert kind_of(said) == "claim"


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    "extra",
    [
        "No, she did not.",
        "No.",
        "Nein.",
        "Yes.",
        "She is not well.",
        "It was me.",
        "He did it.",
        "They'll see.",
        "Never.",
        "“No.”",
    ],
)
def test_small_words_that_state_something_are_a_claim_of_their_own(extra: str) -> None:
    response = judged(f"{extra} {GOOD}", *CITED)

    assert not response.refused
    assert response.sentences[0].verdict == "unsupported"
    assert response.sentences[0].weight >= 1
    assert response.coverage_ratio < 1.0
    strict = judged(f"{extra} {GOOD}", *CITED, policy=GroundingPolicy(on_unsupported="refuse"))
    assert strict.reason is RefusalReason.UNSUPPORTED_CLAIM


@pytest.mark.parametrize(
    "extra",
    ["...", "And you", "So then:", "Thank you!", "Here it is:", "🎉", "That's great!", "I'm so sorry to hear that."],
)
def test_small_words_that_state_nothing_cost_nothing(extra: str) -> None:
    assert kind_of(extra) == "meta"


def _bare(answer: tuple[str, ...], source: str, question: str) -> list[str]:
    asked = frozenset(word.stem for word in content_words(question))
    return [
        one.verdict for one in judge_sentences(answer, grounds(*_rows(source), asked=asked, question=question), LINE)
    ]


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("answer", "source", "question", "expected"),
    [
        (("Yes.", "Ada moved the kiln."), KILN.text, "Did Ada move the kiln?", "not_a_claim"),
        (("Ada moved the kiln.", "Yes, she did."), KILN.text, "Did Ada move the kiln?", "not_a_claim"),
        (("No, she did not.", "Ada moved the kiln."), KILN.text, "Did Ada move the kiln?", "unsupported"),
        (("No.", "Ada moved the kiln."), KILN.text, "Did Ada move the kiln?", "unsupported"),
        (("Yes, she did not.", "Ada moved the kiln."), KILN.text, "Did Ada move the kiln?", "unsupported"),
        (("Yes, she would.", "Ada moved the kiln."), KILN.text, "Did Ada move the kiln?", "unsupported"),
        (("Yes, I did.", "Ada moved the kiln."), KILN.text, "Did Ada move the kiln?", "unsupported"),
        (("Yes, you did.", "Ada moved the kiln."), KILN.text, "Did Ada move the kiln?", "unsupported"),
        (("Yes, for me.", "Ada moved the kiln."), KILN.text, "Did Ada move the kiln?", "unsupported"),
        (("Yes.", "Tom borrowed money from Ada."), LOAN.text, "Did Tom steal money from Ada?", "unsupported"),
        (("Yes.", "Tom sold the kiln in Oslo."), KILN.text, "Did Ada move the kiln?", "unsupported"),
        (("Yes.",), KILN.text, "Did Ada move the kiln?", "unsupported"),
        (("That's right.", "Ada moved the kiln."), KILN.text, "Did Ada move the kiln?", "not_a_claim"),
        (("Absolutely!", "Ada moved the kiln."), KILN.text, "Did Ada move the kiln?", "not_a_claim"),
        (("She really did.", "Ada moved the kiln."), KILN.text, "Did Ada move the kiln?", "not_a_claim"),
        (("I agree with you.", "Ada moved the kiln."), KILN.text, "Ada moved the kiln.", "not_a_claim"),
        (("That's right.", "Ada moved the kiln."), KILN.text, "Did Ada sell the kiln?", "unsupported"),
        (("I agree.", "Ada moved the kiln."), KILN.text, "Ada sold the kiln.", "unsupported"),
        (("That is true.",), KILN.text, "Did Ada move the kiln?", "unsupported"),
        (("You did.", "Ada moved the kiln."), KILN.text, "Did Ada move the kiln?", "unsupported"),
        (("She would.", "Ada moved the kiln."), KILN.text, "Would Ada move the kiln?", "unsupported"),
        (("That is not true.", "Ada moved the kiln."), KILN.text, "Did Ada move the kiln?", "unsupported"),
        (
            ("That's not true.", "Ada did not move the kiln."),
            "Ada did not move the kiln.",
            "Did Ada move the kiln?",
            "not_a_claim",
        ),
        (("Yes.", "No."), KILN.text, "Did Ada move the kiln?", "unsupported"),
        (("It was me.", "Ada moved the kiln."), KILN.text, "Did Ada move the kiln?", "unsupported"),
        (
            ("No, she did not.", "Ada did not move the kiln."),
            "Ada did not move the kiln.",
            "Did Ada move the kiln?",
            "not_a_claim",
        ),
        (("Yes, you did.", "You sold the kiln."), "I sold the kiln.", "Did I sell the kiln?", "not_a_claim"),
        (("Yes.", "Ada bought the kiln."), "Ada bought the kiln.", "Did Ada purchase the kiln?", "not_a_claim"),
    ],
)
def test_a_yes_or_no_stands_only_beside_a_claim_that_says_the_same(
    answer: tuple[str, ...], source: str, question: str, expected: str
) -> None:
    assert expected in _bare(answer, source, question)
    place = 1 if answer[-1].startswith("Yes,") else 0
    assert _bare(answer, source, question)[place] == expected


@pytest.mark.requirement("ruling:C13")
def test_small_words_that_are_a_whole_cited_sentence_are_held_by_it() -> None:
    memory = _rows("I saw Ada. She is not well.", "Ada was in bed when I saw her.")
    cited = (("S1", memory[0].text), ("S2", memory[1].text))

    response = judged("You saw Ada. She is not well.", *cited, memory=memory, question="How is Ada?", policy=ONE)

    assert [sentence.verdict for sentence in response.sentences] == ["supported", "supported"]
    assert [receipt.row_id for receipt in response.sentences[1].receipts] == ["o:s1"]


# Questions.


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize("stance", list(Stance))
def test_an_answer_of_accusing_questions_is_no_answer(stance: Stance) -> None:
    response = judged(
        "Did Tom steal the money from Ada and lie about it?",
        ("S1", LOAN.text),
        memory=(LOAN,),
        policy=ONE,
        question="What happened between Tom and Ada?",
        stance=stance,
    )

    assert response.refused


@pytest.mark.requirement("ruling:D1")
def test_questions_alone_are_an_answer_only_where_the_voice_was_to_ask() -> None:
    answer = "Why did Tom borrow money from Ada in May?"
    verdicts = {
        stance: judged(
            answer, ("S1", LOAN.text), memory=(LOAN,), policy=ONE, question="What about Tom and Ada?", stance=stance
        ).refused
        for stance in Stance
    }

    assert verdicts == {Stance.SYNTHESIZE: True, Stance.CHALLENGE: True, Stance.QUESTION: False}


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("question", "source"),
    [
        ("Why does Tom beat Ada when drunk?", "Tom and Ada were at the lake, and Tom swam."),
        ("Did Tom steal the money?", LOAN.text),
        ("Why did Tom not borrow money from Ada?", LOAN.text),
        ("Why did Ada borrow money from Tom?", "Ada lent money. Tom borrowed money."),
        ("Why does Anna like the winters in Kiruna?", "Anna does not like the winters in Kiruna."),
        ("When did Tom hire Ada as a gardener?", "Ada hired Tom as a gardener."),
    ],
)
def test_a_question_may_not_take_for_granted_what_nobody_said(question: str, source: str) -> None:
    verdict = _one(question, source, asked="What about Tom and Ada?").verdict

    assert verdict == ("not_a_claim" if question.startswith("Why did Ada borrow") else "unsupported")


@pytest.mark.parametrize(
    "question",
    [
        "Why did Tom borrow money from Ada?",
        "What does that mean for what you are asking?",
        "How do these fit together, and which of them weighs more for you now?",
        "Was bedeutet das für deine Frage?",
        "¿Cómo encaja esto, y qué pesa más para ti ahora?",
        "Would you like to know more about the money?",
        "Do you still owe Tom a favour?",
        "Why don't you tell me more about the money?",
    ],
)
def test_a_question_of_the_sources_words_the_persons_or_open_ones_costs_nothing(question: str) -> None:
    assert _one(question, LOAN.text, asked="Do I owe Tom a favour?").verdict == "not_a_claim"


# Who did what to whom.


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("claim", "source", "verdict"),
    [
        ("Tom lent Ada the money.", "Ada lent Tom the money.", "contradicted"),
        ("Tom lent Ada the money in Porto.", "Ada lent Tom the money in Porto.", "contradicted"),
        ("Mark lent the money to Grace.", "Grace lent Mark the money.", "contradicted"),
        ("You asked if you lent Tom the money.", "I lent Tom the money.", "supported"),
        ("Tom gave Ada the ring.", "Ada gave Tom the ring.", "contradicted"),
        ("You lent Tom the money.", "Tom lent me the money.", "contradicted"),
        ("Tom lent you the money.", "I lent Tom the money.", "contradicted"),
        ("Tom hit Ada at the fair.", "Ada hit Tom at the fair.", "contradicted"),
        ("Ada lent Tom the money.", "Ada lent Tom the money.", "supported"),
        ("Tom was lent the money by Ada.", "Ada lent Tom the money.", "supported"),
        ("Tom met Ada at the fair.", "Ada met Tom at the fair.", "supported"),
        ("You lent Tom the money.", "I lent Tom the money.", "supported"),
        ("Tom's neighbour Ada is old.", "Ada's neighbour Tom is old.", "supported"),
        ("In Porto, Ada met friends.", "Ada met friends in Porto.", "supported"),
    ],
)
def test_two_people_cannot_change_places_around_a_verb(claim: str, source: str, verdict: str) -> None:
    assert _one(claim, source).verdict == verdict


def test_where_both_directions_are_told_neither_is_wrong() -> None:
    assert _one("Tom lent Ada the money.", "Ada lent Tom the money.", "Tom lent Ada the money.").verdict == "supported"


def test_the_i_of_another_speaker_is_not_the_person_who_asks() -> None:
    said = row("S1", "Tom lent me the money.", speaker="Clara", at=UNDATED)

    assert "person" not in _flags(judge_sentence("You lent Tom the money.", grounds(said), LINE))


# What is meant and what is so.


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("claim", "source"),
    [
        ("You quit the job at the bank.", "I plan to quit the job at the bank."),
        ("You are quitting the job at the bank.", "I want to quit the job at the bank."),
        ("You quit the job at the bank.", "I might quit the job at the bank."),
        ("You quit the job at the bank.", "I would quit the job at the bank."),
        ("You quit the job at the bank.", "If I quit the job at the bank, we have to move."),
        ("You quit the job at the bank.", "I quit the job at the bank if they move it."),
        ("You sold the house in Porto.", "If the bank says no, I sell the house in Porto."),
        ("You sold the house in Porto.", "I will sell the house in Porto."),
        ("You sold the house in Porto.", "I am thinking about selling the house in Porto."),
        ("Ada sold the house in Porto.", "Maybe Ada sold the house in Porto."),
        ("You visited the house in Porto.", "I'd love to visit the house in Porto."),
        ("Tom sold the house in Porto.", "Should Tom sell the house in Porto?"),
        ("You accepted the job in Porto.", "I will accept the job in Porto."),
    ],
)
def test_what_is_only_meant_is_not_stated_as_a_fact(claim: str, source: str) -> None:
    judged = _one(claim, source)

    assert judged.verdict == "unsupported"
    assert "modality" in _flags(judged)


@pytest.mark.parametrize(
    ("claim", "sources"),
    [
        ("You plan to quit the job at the bank.", ("I plan to quit the job at the bank.",)),
        ("You might quit the job at the bank.", ("I quit the job at the bank.",)),
        ("You want to sell the house in Porto.", ("I will sell the house in Porto.",)),
        ("Ada visits the house in Porto in May.", ("Ada will visit the house in Porto in May.",)),
        ("You sold the house in Porto.", ("I will sell the house in Porto.", "I sold the house in Porto.")),
        ("Ada sold the house in Porto in May.", ("In May Ada sold the house in Porto.",)),
        ("Ada sold the house in Porto.", ("Ada sold the house in Porto as if it were nothing.",)),
        ("Ada planted roses in the garden.", ("Ada planted roses in the garden and might, they say, go.",)),
        ("Ada sold the house in Porto.", ("If you listen now Ada sold the house in Porto.",)),
        ("Your acceptance of the job in Porto is known.", ("I should accept the job in Porto.",)),
        ("Ada sold the house in Porto.", ("If only! Ada sold the house in Porto.",)),
    ],
)
def test_a_plan_told_as_a_plan_and_a_fact_told_with_doubt_are_fine(claim: str, sources: tuple[str, ...]) -> None:
    assert "modality" not in _flags(_one(claim, *sources))


# Reasons.


@pytest.mark.requirement("ruling:D1")
def test_two_true_rows_do_not_make_one_the_reason_of_the_other() -> None:
    sources = ("Ada left the choir in spring.", "Tom bought a red motorbike.")
    invented = _one("Ada left the choir because Tom bought a red motorbike.", *sources)
    fronted = _one("Because Tom bought a red motorbike, Ada left the choir.", *sources)
    told = _one(
        "Ada left the choir because Tom bought a red motorbike.",
        "Ada left the choir because Tom bought a red motorbike.",
        sources[1],
    )

    assert (invented.verdict, _flags(invented)) == ("unsupported", {"cause"})
    assert "cause" in _flags(fronted)
    assert told.verdict == "supported"
    assert "cause" not in _flags(_one("Because of that, Ada left the choir.", *sources))


def test_a_question_about_the_same_bears_out_no_deed_that_is_only_planned() -> None:
    asked = _one("You sold the barn in Lund.", "I plan to sell the barn in Lund.", "Did I sell the barn in Lund?")
    assert "modality" in _flags(asked)
