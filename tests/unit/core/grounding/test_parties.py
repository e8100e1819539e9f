"""Who did it and to whom: a passive, "from" and "to", "than", a move, German; both ways round (ruling D1)."""

import pytest

from grounding_rows import UNDATED, grounds, row
from voice.core.grounding.claims import judge_sentence
from voice.core.grounding.parties import party_findings
from voice.core.grounding.passages import all_passages
from voice.core.text.words import words


def _verdict(claim: str, source: str) -> str:
    return judge_sentence(claim, grounds(row("S1", source, at=UNDATED)), 1.65).verdict


def _effects(claim: str, *sources: str, speaker: str | None = None) -> list[str]:
    rows = [row(f"S{n}", source, at=UNDATED, speaker=speaker) for n, source in enumerate(sources, 1)]
    passages = [passage for one in rows for passage in all_passages(one)]
    return [one.effect for one in party_findings(claim, words(claim), passages)]


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("source", "true", "false"),
    [
        ("Birk was hired by Solveig.", "Solveig hired Birk.", "Birk hired Solveig."),
        ("Birk was hired by Solveig.", "Birk was hired by Solveig.", "Solveig was hired by Birk."),
        ("I was cheated by Lothar.", "Lothar cheated you.", "You cheated Lothar."),
        ("Clara was bitten by Otto's dog.", "Otto's dog bit Clara.", "Clara bit Otto's dog."),
        ("My aunt was rescued by Ines in 2018.", "Ines rescued your aunt in 2018.", "Your aunt rescued Ines in 2018."),
        ("Got promoted by Selma in May.", "Selma promoted you in May.", "You promoted Selma in May."),
        ("Ben was bitten by a dog.", "A dog bit Ben.", "Ben bit a dog."),
        ("I rented the boat from Yusuf.", "You rented the boat from Yusuf.", "Yusuf rented the boat from you."),
        ("Bought the piano from Grete.", "You bought the piano from Grete.", "Grete bought the piano from you."),
        ("I sent the keys to Marta.", "You sent Marta the keys.", "Marta sent you the keys."),
        ("Petra earns more than I do.", "Petra earns more than you.", "You earn more than Petra."),
        (
            "My neighbour is taller than I am.",
            "Your neighbour is taller than you.",
            "You are taller than your neighbour.",
        ),
        ("Moved from Lyon to Ghent.", "You moved to Ghent from Lyon.", "You moved from Ghent to Lyon."),
        (
            "Switched from Vodafone to Orange.",
            "You switched from Vodafone to Orange.",
            "You switched to Vodafone from Orange.",
        ),
        (
            "Ich habe meiner Tante 50 Euro geliehen.",
            "Du hast deiner Tante 50 Euro geliehen.",
            "Deine Tante hat dir 50 Euro geliehen.",
        ),
        (
            "Mein Bruder wurde von Silke entlassen.",
            "Silke hat deinen Bruder entlassen.",
            "Dein Bruder hat Silke entlassen.",
        ),
    ],
)
def test_a_deed_is_told_from_either_side_and_never_the_other_way_round(source: str, true: str, false: str) -> None:
    assert _verdict(true, source) == "supported"
    assert _effects(true, source) == []
    assert _effects(false, source) == ["contradicted"]
    assert _verdict(false, source) == "contradicted"


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("claim", "sources"),
    [
        ("Jonas hit you.", ("I hit Jonas by accident.", "Jonas hit me, too.")),
        ("Mia talked to Leo.", ("Leo talked to Mia.",)),
        ("Tom hired Tom.", ("Tom was hired by Tom.",)),
        ("Birk hired Solveig.", ("Was Birk hired by Solveig?",)),
        ("Birk hired Solveig.", ("Birk was not hired by Solveig.",)),
        ("Could fire Birk soon.", ("Birk fires Solveig.",)),
        ("You are taller than you.", ("I am taller than me.",)),
        ("It went from bad to bad.", ("It went from bad to bad.",)),
        ("It rained.", ()),
        ("", ("Birk was hired by Solveig.",)),
    ],
)
def test_what_is_told_both_ways_done_together_or_not_told_is_left_alone(claim: str, sources: tuple[str, ...]) -> None:
    assert _effects(claim, *sources) == []


def test_the_i_of_another_speaker_is_not_who_asks() -> None:
    assert _effects("You hired Birk.", "I was hired by Birk.", speaker="Solveig") == []
    assert _effects("Lothar hired Birk.", "Lothar was hired by Birk.", speaker="Solveig") == ["contradicted"]


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("Showed Ingrid my loom; she showed me her kiln.", "Ingrid showed you her kiln."),
        ("Ingrid showed me her kiln; I showed her my loom.", "You showed Ingrid your loom."),
        ("I called Robert on Monday, and he called me on Friday.", "Robert called you on Friday."),
    ],
)
def test_a_pronoun_tells_a_deed_of_the_one_named_before_it(source: str, claim: str) -> None:
    assert _effects(claim, source) == []


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("source", "claim"),
    [
        ("I showed Ingrid my loom; she showed me her kiln.", "Ingrid showed you your loom."),
        ("I showed Ingrid my loom; he showed me his kiln.", "Ingrid showed you a kiln."),
        ("I called Robert on Monday, and she called me on Friday.", "Robert called you on Friday."),
        ("She called me on Friday; I called Robert.", "Robert called you on Friday."),
        ("I called Robert on Monday, and he visited me on Friday.", "Robert called you on Friday."),
        ("I called Robert on Monday, and he called Ute on Friday.", "Robert called you on Friday."),
    ],
)
def test_a_pronoun_of_another_or_for_another_deed_tells_nothing_of_the_one_named(source: str, claim: str) -> None:
    assert _effects(claim, source) == ["contradicted"]


@pytest.mark.requirement("ruling:D1")
def test_the_writer_left_out_before_a_semicolon_is_not_the_one_behind_it() -> None:
    assert _verdict("You gave Ingrid your loom.", "Gave Ingrid my loom; she gave me her kiln.") == "supported"
    assert _verdict("Ingrid gave you your loom.", "Gave Ingrid my loom.") == "contradicted"


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(
    ("claim", "verdict"),
    [
        ("Sunniva sold you the loom for 90 euros.", "supported"),
        ("Henrik sold you the loom for 90 euros.", "unsupported"),
        ("You sold the loom for 90 euros.", "contradicted"),
    ],
)
def test_a_note_that_begins_with_its_deed_tells_it_of_its_writer(claim: str, verdict: str) -> None:
    assert _verdict(claim, "Bought the loom from Sunniva for 90 euros.") == verdict
