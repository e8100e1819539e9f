"""What a source asks, supposes, reports, dreams, promises or tells as ended is not what it states (ruling D1)."""

import pytest

from grounding_rows import row
from voice.core.grounding.claims import Grounds, judge_sentence, unsupportedness
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
    ("I promised Noor to water the plants, the herbs and the lawn.", "You watered the herbs and the lawn."),
    ("Nearly tripped, dropped the tray and scalded the cat.", "You dropped the tray."),
    ("Anna says Peter, who lives next door, stole the ladder.", "Peter stole the ladder."),
    ("Marta said Jonas stole the bike, Karl sold it.", "Karl sold the bike."),
    ("I dreamt the dog talked, we moved to Rome.", "You moved to Rome."),
    ("The vet suspects diabetes, a tumour or worms.", "You have a tumour."),
    ("Tried to sell the tent, the painted chairs and the stove.", "You sold the painted chairs."),
    ("I sold the bike (the red one), the tent and the stove.", "You have the stove."),
    ("Früher habe ich in Linz gewohnt, in der Altstadt, mit Karl.", "Du wohnst in der Altstadt mit Karl."),
    ("The car needs a new clutch, never got one.", "The car got a new clutch."),
    ("The car needs a new clutch, brakes and a battery.", "The car got brakes and a battery."),
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
    ("Sold the kayak, now have an old canoe.", "You now have an old canoe."),
    ("Tried to reach the landlord, no luck, sent a letter on Monday.", "You sent a letter on Monday."),
    ("Nearly missed the ferry — Omar paid the taxi.", "Omar paid the taxi."),
    ("Früher war ich oft in Linz, jetzt schwimme ich meistens in Steyr.", "Du schwimmst jetzt meistens in Steyr."),
    ("Karl thinks the roof is fine, roofer comes 4 May.", "The roofer comes on 4 May."),
    ("The vet suspects worms, lab results on 7 June.", "The lab results are on 7 June."),
    ("Almost bought a Fiat, took the train pass for 49 instead.", "You took the train pass for 49."),
    ("Dreamt the house burned down, woke at 4.", "You woke at 4."),
    ("Needed new brakes for the bike, got them at Velo Huber.", "You got new brakes for the bike at Velo Huber."),
    ("I nearly finished the puzzle (12 pieces left).", "12 pieces are left."),
    ("Tue nothing, Wed choir at seven, Thu gym.", "On Wednesday you have choir at seven."),
    ("Auto verkauft, Anhänger behalten.", "Du hast den Anhänger behalten."),
]
CARRIED = [
    ("I promised Ada to mend her kite.", "What did I promise Ada?", "To mend her kite."),
    ("If the lift is broken use the door in Elm Lane.", "Which door if the lift is broken?", "The door in Elm Lane."),
    ("Omar believes the tenant lied.", "What does Omar believe?", "That the tenant lied."),
    ("Anna says Peter stole the ladder.", "What did Anna say Peter stole?", "The ladder."),
    ("Dr. Levin suspects a fracture.", "What does Dr. Levin suspect?", "A fracture."),
    ("I dreamt that Rex flew home.", "What did I dream?", "That Rex flew home."),
    ("Quit smoking on 8 March.", "When did I quit smoking?", "On 8 March."),
    ("The dog nearly ate a candle.", "What did the dog nearly eat?", "A candle."),
]
NOT_CARRIED = [
    ("I promised Ada to mend her kite.", "What did I mend?", "Her kite."),
    ("If the lift is broken use the door in Elm Lane.", "Which door do I use if it rains?", "The door in Elm Lane."),
    ("If Lena gets the Zurich job, we will move to Bern.", "When will we move to Bern?", "With the Zurich job."),
    ("Anna says Peter stole the ladder.", "What did Karl say Peter stole?", "The ladder."),
    ("Anna says Peter stole the ladder.", "Can you tell me who stole the ladder?", "Peter."),
    ("Anna says Peter stole the ladder.", "Who do you think stole the ladder?", "Peter."),
    ("Anna says Peter stole the ladder.", "What did Peter steal, do you think?", "The ladder."),
    ("Anna says Peter stole the ladder.", "What did Anna say?", "Peter stole the ladder."),
    ("Dr. Levin suspects a fracture.", "What is wrong with my wrist?", "A fracture."),
    ("I avoid gluten.", "What did I eat?", "Gluten."),
    ("Almost bought the green sofa.", "Which sofa do I still have?", "The green sofa."),
    ("Früher habe ich in Linz gewohnt.", "Wo wohne ich?", "In Linz."),
]


def _judged(claim: str, *sources: str, question: str = "") -> tuple[str, list[str]]:
    rows = tuple(row(f"S{n}", text) for n, text in enumerate(sources, 1))
    passages = tuple(passage for one in rows for passage in all_passages(one))
    grounds = Grounds(rows=rows, passages=passages, people=people_of(rows), question=question)
    judged = judge_sentence(claim, grounds, 1.65)
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
@pytest.mark.parametrize(("source", "question", "claim"), CARRIED)
def test_a_bare_answer_keeps_the_frame_that_its_question_carries(source: str, question: str, claim: str) -> None:
    assert _judged(claim, source)[1] == ["modality"]
    assert _judged(claim, source, question=question)[0] == "supported"


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(("source", "question", "claim"), NOT_CARRIED)
def test_a_question_on_what_is_framed_or_on_another_frame_keeps_nothing(source: str, question: str, claim: str) -> None:
    assert _judged(claim, source, question=question)[1] == ["modality"]


@pytest.mark.requirement("ruling:D1")
def test_what_another_sentence_states_outside_of_a_frame_is_stated() -> None:
    asked, claim = "Did Tom pay the electricity bill?", "Tom paid the electricity bill."

    assert _judged(claim, asked) == ("unsupported", ["modality"])
    assert _judged(claim, asked, "Tom has paid the electricity bill on Monday.")[0] == "supported"


@pytest.mark.requirement("ruling:D1")
def test_a_question_that_is_answered_with_yes_is_stated() -> None:
    assert _judged("Tom paid the electricity bill.", "Did Tom pay the electricity bill?", "Yes, on Monday.")[1] == []
    assert _judged("The library is open on Mondays.", "Is the library open on Mondays? → yes, until 18:00")[1] == []
    assert _judged("The library is open on Mondays.", "Is the library open on Mondays? → no")[1] != []


@pytest.mark.requirement("ruling:D1")
def test_a_claim_that_binds_both_sides_of_a_condition_keeps_it() -> None:
    source = "I get a bad rash if I happen to eat walnuts."

    assert "modality" not in _judged("Walnuts give you a rash.", source)[1]
    assert "modality" in _judged("You have a rash.", source)[1]
    assert "modality" in _judged("You have a rash and walnuts.", source)[1]


def test_what_a_source_only_frames_is_ranked_just_over_the_threshold() -> None:
    rows = (row("S1", "I dreamt that I sold the barn in Lund."),)
    passages = tuple(passage for one in rows for passage in all_passages(one))
    grounds = Grounds(rows=rows, passages=passages, people=people_of(rows))
    framed = judge_sentence("You sold the barn in Lund.", grounds, 1.65)
    assert framed.verdict == "unsupported"
    assert 1.65 < unsupportedness(framed) < 2.0
