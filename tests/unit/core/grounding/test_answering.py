"""What is true to its source is no answer by that alone: it says something new, of what was asked, of its kind."""

from datetime import timedelta

import pytest

from grounding_rows import SAID_ON, draft, row
from voice.core.grounding.answerability import can_be_grounded
from voice.core.grounding.answering import OF_ANOTHER
from voice.core.grounding.judge import judge
from voice.core.grounding.values import Evidence, GroundedResponse, GroundingPolicy, RefusalReason, Stance

ONE_DOES = GroundingPolicy(single_source="green")
NOT = "the answer does not answer the question: "


def answered(
    question: str, answer: str, *texts: str | Evidence, stance: Stance = Stance.SYNTHESIZE
) -> GroundedResponse:
    """Judge `answer`, which cites every row whole."""
    rows = [text if isinstance(text, Evidence) else row(f"S{n}", text) for n, text in enumerate(texts, start=1)]
    cited = [(one.alias, one.text) for one in rows]
    return judge(draft(answer, *cited), rows, ONE_DOES, question=question, stance=stance)


def why(response: GroundedResponse) -> str:
    """Return what decided, without the advice behind it; nothing for an answer."""
    return (response.notes or "").split("; ")[0] if response.refused else ""


FERRY = "The ferry to Texel leaves at nine from Den Helder."
LAMP = "I pay Ruben 15 euros for the lamp."
NINA = "Nina called. She needs a cellist for the wedding and wants no organ."


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("question", "answer", "text", "lack"),
    [
        # the question said back
        (
            "What did I write about the orchard?",
            "I wrote about the orchard.",
            "I wrote much about the orchard.",
            "it only says it back",
        ),
        (
            "What did Nina tell me about the wedding?",
            "Nina told of the wedding yesterday.",
            NINA,
            "it only says it back",
        ),
        ("Why did the ferry leave Den Helder?", "The ferry leaves from Den Helder.", FERRY, "it only says it back"),
        (
            "Was habe ich über den Garten notiert?",
            "Ich habe über den Garten notiert.",
            "Der Garten ist voller Birnen.",
            "it only says it back",
        ),
        # of something else
        ("What does the gallery pay me?", "I pay Ruben 15 euros.", LAMP, "nothing that it cites is about gallery"),
        (
            "What did I note about the orchard?",
            "The ferry leaves at nine.",
            FERRY,
            "nothing that it cites is about orchard",
        ),
        (
            "What does Ruben pay me?",
            "I pay Ruben 15 euros for the lamp.",
            LAMP,
            "the source has the two people the other way round",
        ),
        # of another kind
        (
            "When does the ferry leave?",
            "The ferry leaves from Den Helder.",
            "The ferry leaves from Den Helder.",
            "it does not say when",
        ),
        (
            "How many islands has the ferry?",
            "The ferry has islands named Texel.",
            "The ferry has islands named Texel.",
            "it gives no number",
        ),
        ("How much did the lamp cost?", "The lamp cost too dearly.", "The lamp cost too dearly.", "it gives no sum"),
        (
            "Who repaired the lamp?",
            "The lamp is repaired and hangs low.",
            "The lamp is repaired and hangs low.",
            "it does not say who",
        ),
        (
            "Where is the ferry repaired?",
            "The ferry was repaired at noon on Mondays.",
            "The ferry was repaired at noon on Mondays.",
            "it does not say where",
        ),
        ("How heavy is the lamp?", "The lamp has 4 bulbs.", "The lamp has 4 bulbs.", "it does not say how heavy"),
        (
            "Wie tief ist der Brunnen?",
            "Der Brunnen hat 3 Ringe.",
            "Der Brunnen hat 3 Ringe.",
            "it does not say how tief",
        ),
        # a deed instead of a wish
        ("What did Nina want?", "Nina called.", NINA, "it does not say what was wanted"),
        ("What did Nina need?", "She called.", "She called. Nina needs a cellist.", "it does not say what was wanted"),
    ],
)
def test_what_is_held_by_its_source_and_answers_nothing_is_refused(
    question: str, answer: str, text: str, lack: str
) -> None:
    response = answered(question, answer, text)
    assert why(response) == NOT + lack
    assert response.reason is RefusalReason.UNSUPPORTED_CLAIM
    assert response.sources == ()


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("question", "answer", "text"),
    [
        ("Did the ferry leave Den Helder?", "The ferry leaves Den Helder.", FERRY),
        ("Does the ferry leave from Den Helder or from Texel?", "The ferry leaves from Den Helder.", FERRY),
        ("What did I write about the orchard?", "Nothing about the orchard.", "Nothing about the orchard."),
        ("Who repaired the lamp?", "I repaired the lamp.", "I repaired the lamp."),
        ("Who repaired the lamp?", "My sister.", "My sister repaired the lamp."),
        ("Who repaired the lamp?", "The lamp was repaired by my sister.", "The lamp was repaired by my sister."),
        ("Who repaired the lamp?", "Nobody repaired the lamp.", "Nobody repaired the lamp."),
        ("When does the ferry leave?", "The ferry leaves at nine.", FERRY),
        ("When does the ferry leave?", "The ferry leaves before dawn.", "The ferry leaves before dawn."),
        ("When did the ferry leave?", "The ferry left today.", "The ferry left today."),
        ("How much did the lamp cost?", "15 euros", LAMP),
        ("How heavy is the lamp?", "The lamp weighs four kilos.", "The lamp weighs four kilos."),
        ("How heavy is the lamp?", "The lamp is 4 kg.", "The lamp is 4 kg."),
        (
            "Where does the ferry leave?",
            "The ferry leaves in front of the harbour.",
            "The ferry leaves in front of the harbour.",
        ),
        ("Where does the ferry leave?", "From Den Helder.", FERRY),
        ("Where is the lamp?", "The lamp hangs over the table.", "The lamp hangs over the table."),
        ("What did Nina want?", "Nina needs a cellist for the wedding.", NINA),
        ("What did Nina want?", "A cellist for the wedding.", NINA),
        ("What does Nina want?", "Nina waits for rain.", "Nina waits for rain and would like wind."),
        ("Where does the ferry leave and what does it cost?", "The ferry leaves from Den Helder.", FERRY),
        ("Where do I live?", "You moved to Texel in May.", "I moved to Texel in May."),
        ("What does the lamp from Ruben cost me?", "You pay Ruben 15 euros for the lamp.", LAMP),
        ("What happened?", "The ferry leaves at nine.", FERRY),
    ],
)
def test_what_answers_in_any_way_is_left_alone(question: str, answer: str, text: str) -> None:
    assert why(answered(question, answer, text)) == ""


@pytest.mark.requirement("ruling:D5")
def test_words_said_around_what_is_cited_count_and_words_elsewhere_do_not() -> None:
    asked = row("S1", "How is the orchard doing?", speaker="Nina")
    soon = row("S2", "The pears are ripe and sweet.", speaker="Ada", at=SAID_ON + timedelta(seconds=40))
    later = row("S3", "The pears are ripe and sweet.", speaker="Ada", at=SAID_ON + timedelta(days=3))

    def of(cited: Evidence) -> GroundedResponse:
        said = draft("The pears are ripe and sweet.", (cited.alias, cited.text))
        return judge(said, [asked, cited], ONE_DOES, question="What is in the orchard?")

    assert not of(soon).refused
    assert why(of(later)) == f"{NOT}nothing that it cites is about orchard"


@pytest.mark.requirement("ruling:D5")
def test_repeating_the_question_beside_news_from_elsewhere_is_no_answer() -> None:
    question = "What happy news did Nina tell the childhood friends about the harbour festival of Texel?"
    answer = "The happy news that Nina told was the exhausting regatta."
    told = "I planned the summer trip with Nina."
    response = answered(question, answer, told, "The regatta was exhausting.")
    assert response.refused


@pytest.mark.requirement("ruling:D5")
def test_who_challenges_or_asks_owes_no_answer_but_keeps_to_the_subject() -> None:
    assert not answered(
        "How heavy is the lamp?", "The lamp has 4 bulbs.", "The lamp has 4 bulbs.", stance=Stance.QUESTION
    ).refused
    apart = row("S1", FERRY, relevance=0.0)
    best = row("S2", "The lamp hangs low.", relevance=1.0)
    said = draft(FERRY, ("S1", FERRY))
    for stance in Stance:
        response = judge(said, [apart, best], ONE_DOES, question="Lamps hang high.", stance=stance)
        assert why(response) == OF_ANOTHER


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("question", "text", "missing"),
    [
        ("How heavy is the kayak?", "The kayak has 4 hatches.", "no source on this says how heavy"),
        ("How heavy is the kayak?", "The kayak weighs as much as I do.", None),
        ("How deep is the well?", "The well is 9 m to the water.", None),
    ],
)
def test_a_measure_that_no_row_tells_is_refused_before_anything_is_asked(
    question: str, text: str, missing: str | None
) -> None:
    assert can_be_grounded(question, [row("S1", text)], ONE_DOES).missing == missing


def test_two_rare_words_of_a_long_story_are_enough_and_one_is_not() -> None:
    asked = (
        "When the harpsichord tuner from the conservatory came over in that dreadful snowstorm, what did he charge for "
        "the pedals, the jacks, the plectra and the soundboard varnish?"
    )

    assert why(answered(asked, "He took 80 euros.", "The harpsichord tuner took 80 euros.")) == ""
    assert "nothing that it cites is about" in why(answered(asked, "He took 80 euros.", "The tuner took 80 euros."))


@pytest.mark.requirement("ruling:D5")
def test_a_greek_my_that_is_answered_by_your_is_not_looked_for() -> None:
    question, note = "Πώς λέγεται ο σκύλος μου;", "Ο σκύλος μου λέγεται Φοίβος."

    assert not answered(question, "Ο σκύλος σου λέγεται Φοίβος.", note).refused
    assert why(answered(question, "Η γάτα σου λέγεται Λίζα.", note, "Η γάτα μου λέγεται Λίζα."))
    assert "says it back" in why(answered(question, "Ο σκύλος σου λέγεται.", note))
