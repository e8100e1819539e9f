"""What a source asks, supposes, reports, dreams, promises or tells as ended is not what it states (ruling D1)."""

import pytest

from grounding_rows import row
from voice.core.grounding.claims import Grounds, judge_sentence
from voice.core.grounding.passages import all_passages
from voice.core.grounding.who import people_of

FALSE = [
    ("Did Tom pay the electricity bill?", "Tom paid the electricity bill."),
    ("Hmm, should I accept the Siemens offer?", "You accepted the Siemens offer."),
    ("What if Ed is cheating on Mona?", "Ed is cheating on Mona."),
    ("Hat Jonas das Auto verkauft?", "Jonas hat das Auto verkauft."),
    ("If the biopsy is positive I need chemo.", "You need chemo."),
    ("We sell the boat if the engine fails.", "You sell the boat."),
    ("If Lena gets the Zurich job, we will move in May.", "Lena got the Zurich job and you will move in May."),
    ("Marta said Jonas cheated in the exam.", "Jonas cheated in the exam."),
    ('Anna says: "Peter stole the money."', "Peter stole the money."),
    ("Anna sagt, dass Peter das Geld gestohlen hat.", "Peter hat das Geld gestohlen."),
    ("Olga claims the fence stands on her ground.", "The fence stands on Olga's ground."),
    ("Allegedly Peter stole the money.", "Peter stole the money."),
    ("The doctor suspects Lyme disease.", "You have Lyme disease."),
    ("Last night I dreamed the house burned down.", "The house burned down."),
    ("I hope Lena gets the Zurich job.", "Lena got the Zurich job."),
    ("I promised Leo to take him to the zoo.", "You took Leo to the zoo."),
    ("Tried to quit smoking again.", "You quit smoking again."),
    ("The car needs a new clutch.", "The car got a new clutch."),
    ("The inspection is booked for Friday.", "The inspection happened on Friday."),
    ("I stopped taking ibuprofen in March.", "You take ibuprofen."),
    ("I avoid gluten.", "You eat gluten."),
    ("I sold the Volvo.", "You have a Volvo."),
    ("I cancelled my Netflix subscription.", "You have a Netflix subscription."),
    ("The concert in Graz was called off.", "You attended the concert in Graz."),
    ("I nearly missed the train.", "You missed the train."),
    ("Ich habe früher in Linz gewohnt.", "Du wohnst in Linz."),
    ("Great, the plumber repaired nothing.", "The plumber repaired the tap."),
]
TRUE = [
    ("Is Ed cheating on Mona?", "You wonder whether Ed is cheating on Mona."),
    ("Why did Tom leave Husum?", "Tom left Husum."),
    ("Isn't it great that we won the cup?", "You won the cup."),
    ("If the bank approves the loan, we buy the house.", "You will buy the house if the bank approves the loan."),
    ("If I remember correctly, Mum was born in Gdansk.", "Your mum was born in Gdansk."),
    ("Even if it rains, the party is in the garden.", "The party is in the garden."),
    ("Anna says that Peter stole the money.", "According to Anna, Peter stole the money."),
    ("Marta said she moved to Bern.", "Marta moved to Bern."),
    ("Mum said dinner is at seven.", "Dinner is at seven."),
    ("The doctor says Lena needs glasses.", "Lena needs glasses."),
    ("Olga claims the fence stands on her ground.", "Olga claims the fence is on her ground."),
    ("I dreamt that I won the lottery.", "You dreamt you won the lottery."),
    ("I promised Mum to paint the fence.", "You promised your mum that you would paint the fence."),
    ("I tried the new sushi place.", "You tried the new sushi place."),
    ("I needed a new phone and bought a Pixel.", "You bought a Pixel."),
    ("The wedding was planned for 7 June but took place on 9 June.", "The wedding took place on 9 June."),
    ("The surgery is scheduled for 9 April.", "The surgery is on 9 April."),
    ("I gave up drinking coffee.", "You no longer drink coffee."),
    ("I stopped to buy milk.", "You bought milk."),
    ("I sold the boat and have a bike now.", "You have a bike now."),
    ("I sold my bike to Karl.", "Karl has your bike."),
    ("The flight was cancelled, so I took the train to Graz.", "You took the train to Graz."),
    ("I nearly missed the train.", "You caught the train."),
    ("I almost forgot: Nina's birthday is on 3 June.", "Nina's birthday is on 3 June."),
    ("The house is almost finished.", "The house is nearly finished."),
    ("Ich bin heute früher aufgestanden.", "Du bist heute früher aufgestanden."),
]


def _judged(claim: str, *sources: str) -> tuple[str, list[str]]:
    rows = tuple(row(f"S{n}", text) for n, text in enumerate(sources, 1))
    passages = tuple(passage for one in rows for passage in all_passages(one))
    judged = judge_sentence(claim, Grounds(rows=rows, passages=passages, people=people_of(rows)), 1.65)
    return judged.verdict, [finding.flag for finding in judged.findings if finding.effect != "note"]


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(("source", "claim"), FALSE)
def test_what_stands_in_a_frame_is_not_stated(source: str, claim: str) -> None:
    assert _judged(claim, source)[0] != "supported"


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(("source", "claim"), TRUE)
def test_what_keeps_the_frame_or_stands_outside_of_it_is_supported(source: str, claim: str) -> None:
    assert _judged(claim, source)[0] == "supported"


@pytest.mark.requirement("ruling:D1")
def test_what_another_sentence_states_outside_of_a_frame_is_stated() -> None:
    asked, claim = "Did Tom pay the electricity bill?", "Tom paid the electricity bill."

    assert _judged(claim, asked) == ("unsupported", ["modality"])
    assert _judged(claim, asked, "Tom has paid the electricity bill on Monday.")[0] == "supported"


@pytest.mark.requirement("ruling:D1")
def test_a_question_that_is_answered_with_yes_is_stated() -> None:
    assert _judged("Tom paid the electricity bill.", "Did Tom pay the electricity bill?", "Yes, on Monday.")[1] == []


@pytest.mark.requirement("ruling:D1")
def test_a_claim_that_binds_both_sides_of_a_condition_keeps_it() -> None:
    source = "I get a bad rash if I happen to eat walnuts."

    assert "modality" not in _judged("Walnuts give you a rash.", source)[1]
    assert "modality" in _judged("You have a rash.", source)[1]
    assert "modality" in _judged("You have a rash and walnuts.", source)[1]
