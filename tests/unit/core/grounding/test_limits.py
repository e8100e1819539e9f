"""What a source hedges, leaves open, corrects or excepts limits what may be told from it (ruling D1)."""

import pytest

from grounding_rows import row
from voice.core.grounding.claims import Grounds, judge_sentence
from voice.core.grounding.passages import all_passages
from voice.core.grounding.who import people_of

OPEN_OR_CORRECTED = [
    ("Either Lars or Hedda drives the van. Update: it's Hedda.", "Lars drives the van."),
    ("Either Lars or Hedda drives the van. Update: it's Runa.", "Hedda drives the van."),
    ("Either the heater or the fridge trips the fuse.", "The heater trips the fuse."),
    ("Entweder Ole oder Mats hat die Vase zerbrochen.", "Ole hat die Vase zerbrochen."),
    ("Ole or Mats left the gate open.", "Mats left the gate open."),
    ("Pia was born in 1988, no wait, 1989.", "Pia was born in 1988."),
    ("The key is with Ben, I mean Jonas.", "The key is with Ben."),
    ("The rehearsal is at 18:30. Make that 19:00.", "The rehearsal is at 18:30."),
    ("The pin is 5512, the old pin was 7781.", "The pin is 7781."),
    ("Everyone in the family except Jonas speaks Danish.", "Everyone in the family speaks Danish."),
    ("Nobody in the choir but Lotte can read music.", "Nobody in the choir can read music."),
    ("Nobody answered the letter but Olga.", "Nobody answered the letter."),
    ("None of the neighbours except Olga complained.", "Olga did not complain."),
    ("I am against the new road.", "You are for the new road."),
    ("The shop is open on Sunday unless it snows.", "The shop is open on Sunday if it snows."),
    ("The recital is on 4 June.", "The recital was postponed to 4 June."),
    ("Dinner with Pia at Tre Fontane. Karl was sick and stayed home.", "You had dinner with Pia and Karl."),
    ("The biopsy came back benign.", "The biopsy came back malignant."),
]
HEDGED = [
    ("At least 12 people fell ill after the dinner.", "12 people fell ill after the dinner."),
    ("The repair costs up to 900 euros.", "The repair costs at least 900 euros."),
    ("More than 40 letters arrived.", "Exactly 40 letters arrived."),
    ("I paid about 60 euros for the jacket.", "You paid exactly 60 euros for the jacket."),
    ("Only two of the eight tests passed.", "Eight tests passed."),
    ("3 of 10 bulbs are broken.", "10 bulbs are broken."),
    ("Half of the harvest was lost.", "The harvest was lost."),
    ("Almost all of my books got wet.", "All of your books got wet."),
    ("A third of the garden belongs to Ida.", "The garden belongs to Ida."),
    ("Jonas arrives tomorrow with the kids.", "Jonas arrives today with the kids."),
    ("I met Olga last week at the market.", "You met Olga yesterday at the market."),
    ("Nächste Woche kommt der neue Herd.", "Diese Woche kommt der neue Herd."),
    ("The fee rises by 12 euros.", "The fee rises to 12 euros."),
    ("My weight dropped to 78 kilos.", "Your weight dropped by 78 kilos."),
]
TRUE = [
    ("Either Lars or Hedda drives the van. Update: it's Hedda.", "Hedda drives the van."),
    ("Entweder Ole oder Mats bringt den Grill mit. Nachtrag: Es wird Ole.", "Ole bringt den Grill mit."),
    ("We meet either on Monday or on Tuesday.", "You meet on Monday or Tuesday."),
    ("Ole or Mats can drive me to the airport.", "Ole can drive you to the airport."),
    ("Either Ole or Mats left the gate open.", "Ole and Mats left the gate open."),
    ("Pia was born in 1988, no wait, 1989.", "Pia was born in 1989."),
    ("The key is with Ben, I mean Jonas.", "The key is with Jonas, not with Ben."),
    ("The rehearsal is at 18:30. Make that 19:00.", "The rehearsal is at 19:00."),
    ("I was sorry to miss the party on Friday.", "You were sorry to miss the party on Friday."),
    ("The bus leaves at 9, sorry, it is late.", "The bus leaves at 9."),
    ("The pin is 5512, the old pin was 7781.", "The pin is 5512."),
    ("The pin is 5512, the old pin was 7781.", "The old pin was 7781."),
    ("Everyone in the family except Jonas speaks Danish.", "Everyone in the family speaks Danish except Jonas."),
    ("Everyone in the family except Jonas speaks Danish.", "Jonas does not speak Danish."),
    ("Nobody from the office except Ravi came to the funeral.", "Ravi came to the funeral."),
    ("Nobody from the office except Ravi came to the funeral.", "Only Ravi came to the funeral from the office."),
    ("The shop is open on Sunday unless it snows.", "If it snows, the shop is not open on Sunday."),
    ("The gift is for Ole.", "The gift is for Ole."),
    ("I sold the Volvo.", "You no longer have the Volvo."),
    ("I gave up drinking coffee.", "You used to drink coffee."),
    ("Dinner with Pia at Tre Fontane. Karl was sick.", "You had dinner with Pia at Tre Fontane."),
    ("Dinner with Pia at Tre Fontane. Karl was sick.", "You had dinner with Pia, and Karl was sick."),
    ("At least 12 people fell ill after the dinner.", "At least 12 people fell ill after the dinner."),
    ("The repair costs up to 900 euros.", "The repair costs at most 900 euros."),
    ("I paid about 60 euros for the jacket.", "You paid around 60 euros for the jacket."),
    ("More than 40 letters arrived.", "Over 40 letters arrived."),
    ("Two of the five kittens survived.", "Two kittens survived."),
    ("Half of the harvest was lost.", "You lost half the harvest."),
    ("Most of the debt is paid.", "The debt is mostly paid."),
    ("Jonas arrives tomorrow with the kids.", "Jonas arrives with the kids tomorrow."),
    ("I met Olga last night at the market.", "You met Olga yesterday at the market."),
    ("The coming week is busy for Olga.", "Olga is busy in the coming week."),
    ("My weight dropped from 82 to 78 kilos.", "Your weight dropped to 78 kilos."),
    ("More than 40 letters arrived.", "40 letters arrived."),
    ("The choir meets at noon, sorry, Ben is late again.", "Ben is late again."),
    ("The bus leaves at 9, sorry, Ben is late.", "The bus leaves at 9."),
    ("The bus leaves at 9, sorry, Ben.", "The bus leaves at 9."),
    ("Everybody liked the cake but Ole hated it.", "Everybody liked the cake."),
    ("In 1781 he built a Planetarium or Orrery in Franeker.", "He built a Planetarium in Franeker in 1781."),
    ("Page 7 was torn by 9 children.", "Page 7 was torn by 9 children."),
]


def _verdict(claim: str, *sources: str) -> str:
    rows = tuple(row(f"S{n}", text) for n, text in enumerate(sources, 1))
    passages = tuple(passage for one in rows for passage in all_passages(one))
    return judge_sentence(claim, Grounds(rows=rows, passages=passages, people=people_of(rows)), 1.65).verdict


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(("source", "claim"), [*OPEN_OR_CORRECTED, *HEDGED])
def test_a_claim_that_leaves_the_limit_of_its_source_is_not_supported(source: str, claim: str) -> None:
    assert _verdict(claim, source) != "supported"


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(("source", "claim"), TRUE)
def test_a_claim_within_the_limit_of_its_source_is_supported(source: str, claim: str) -> None:
    assert _verdict(claim, source) == "supported"


@pytest.mark.requirement("ruling:D1")
def test_what_another_sentence_holds_without_the_limit_is_held() -> None:
    claim, hedged = "40 letters arrived on Monday.", "At least 40 letters arrived on Monday."

    assert _verdict(claim, hedged) == "unsupported"
    assert _verdict(claim, hedged, "On Monday 40 letters arrived.") == "supported"


@pytest.mark.requirement("ruling:D1")
def test_a_sentence_that_holds_little_of_a_claim_limits_nothing() -> None:
    assert _verdict("Karl raises llamas in Peru with Ole.", "Either Ole or Mats rang.") == "unsupported"
