"""What a source excepts, doubts, denies, calls false or tells as past is not what it states (ruling D1)."""

import pytest

from grounding_rows import row
from voice.core.grounding.claims import Grounds, judge_sentence
from voice.core.grounding.passages import all_passages
from voice.core.grounding.who import people_of

PAIRS = [
    ("Everybody except Lotte signed the petition.", "Lotte signed the petition."),
    ("Alle außer Jonas haben das Formular unterschrieben.", "Jonas hat das Formular unterschrieben."),
    ("I doubt that Emil broke the window.", "Emil broke the window."),
    ("Emil claimed that he cleaned the kitchen, but he lied.", "Emil cleaned the kitchen."),
    ("They say the harbour road is blocked, which is untrue.", "The harbour road is blocked."),
    ("Emil denied breaking the window.", "Emil broke the window."),
    ("Lotte has yet to return the ladder.", "Lotte has returned the ladder."),
    ("Lotte is unlikely to join the choir.", "Lotte will join the choir."),
    ("Emil used to teach at the Waldorf school.", "Emil teaches at the Waldorf school."),
    ("Lotte used to be a florist in Husum.", "Lotte is a florist in Husum."),
    ("I used to sing in Husum, now I sing in Jever.", "You sing in Husum."),
    ("I used to jog.", "You jog."),
    ("Lotte is far from satisfied with the roof.", "Lotte is satisfied with the roof."),
    ("Lotte is anything but satisfied with the roof.", "Lotte is satisfied with the roof."),
    ("The vet ruled out rabies.", "The vet diagnosed rabies."),
    ("The rehearsal was moved from Tuesday to Thursday.", "The rehearsal is on Tuesday."),
    ("Die Probe wurde von Dienstag auf Donnerstag verlegt.", "Die Probe ist am Dienstag."),
    ("Ich habe vergessen, die Pflanzen zu düngen.", "Du hast die Pflanzen gedüngt."),
    ("Ich habe vergessen, den Schlüssel abzugeben.", "Du hast den Schlüssel abgegeben."),
    ("Emil soll die Scheibe zerbrochen haben.", "Emil hat die Scheibe zerbrochen."),
]
TRUE = [
    ("Everybody except Lotte signed the petition.", "Lotte did not sign the petition."),
    ("There is no doubt that Emil broke the window.", "Emil broke the window."),
    ("Emil denied breaking the window.", "Emil denied breaking the window."),
    ("Emil used to teach at the Waldorf school.", "Emil taught at the Waldorf school."),
    ("Emil is used to cold showers.", "Emil is used to cold showers."),
    ("I used to jog until 2017.", "You used to jog until 2017."),
    ("The cabin is far from the road.", "The cabin is far from the road."),
    ("The rehearsal was moved from Tuesday to Thursday.", "The rehearsal is on Thursday."),
    ("Ich habe vergessen, den Schlüssel abzugeben.", "Du hast vergessen, den Schlüssel abzugeben."),
    ("Emil soll die Scheibe zerbrochen haben.", "Emil soll die Scheibe zerbrochen haben."),
    ("I used to sing in Husum, now I sing in Jever.", "You sing in Jever."),
    ("Apart from Lotte, Emil also signed.", "Lotte signed."),
    ("I doubt it, but Emil painted the fence.", "Emil painted the fence."),
]


def _judged(claim: str, *sources: str) -> tuple[str, list[str]]:
    rows = tuple(row(f"S{n}", text) for n, text in enumerate(sources, 1))
    passages = tuple(passage for one in rows for passage in all_passages(one))
    judged = judge_sentence(claim, Grounds(rows=rows, passages=passages, people=people_of(rows)), 1.65)
    return judged.verdict, [finding.flag for finding in judged.findings if finding.effect != "note"]


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(("source", "claim"), PAIRS)
def test_what_a_source_does_not_state_is_not_supported_by_it(source: str, claim: str) -> None:
    assert _judged(claim, source)[0] != "supported"


@pytest.mark.requirement("ruling:D1")
@pytest.mark.parametrize(("source", "claim"), TRUE)
def test_what_keeps_the_doubt_or_says_the_rest_is_supported(source: str, claim: str) -> None:
    assert _judged(claim, source)[0] == "supported"


@pytest.mark.requirement("ruling:D1")
def test_what_another_sentence_states_plainly_is_stated() -> None:
    doubted, claim = "Lotte has yet to return the ladder.", "Lotte has returned the ladder."

    assert "modality" in _judged(claim, doubted)[1]
    assert "modality" not in _judged(claim, doubted, "Lotte returned the ladder on Sunday.")[1]


@pytest.mark.requirement("ruling:D1")
def test_the_opposite_of_what_is_excepted_is_no_statement_of_it() -> None:
    assert "modality" not in _judged("The kiosk is closed on Monday.", "The kiosk is open except on Monday.")[1]
