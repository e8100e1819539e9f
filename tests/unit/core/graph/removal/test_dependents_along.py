"""Why a row goes along with what is forgotten."""

import pytest

from store_values import entity, observation, relation, span_of, thought
from voice.core.graph.consequences import DependencyReason, dependent_rows
from voice.core.graph.removal.forget_cascade import ForgetRequest, plan_forget
from voice.core.records import Row, RowStatus

pytestmark = pytest.mark.requirement("forget:named")
NOTE = thought("1", "Beth has the key. The glaze needs cobalt.")
KEY = observation("1", "Beth has the key.", provenance=span_of("t:1"))
GLAZE = observation(
    "2", "The glaze needs cobalt.", provenance=span_of("t:1"), superseded_by="o:3", status=RowStatus.SUPERSEDED
)
CORRECTED = observation("3", "The glaze needs copper.")


def along(
    *rows: Row, about: str = "Beth", ids: frozenset[str] = frozenset()
) -> dict[str, tuple[DependencyReason, str]]:
    wanted = ForgetRequest(ids=ids) if ids else ForgetRequest(about=about)
    found = plan_forget({row.id: row for row in (NOTE, KEY, GLAZE, CORRECTED, *rows)}, wanted, "forget")
    return {each.row.id: (each.tie, each.to) for each in dependent_rows(found)}


def test_a_sentence_goes_with_its_note_also_where_it_was_corrected_and_the_correction_stays() -> None:
    assert along() == {"o:2": (DependencyReason.SENTENCE, "t:1")}


def test_what_was_found_in_the_note_alone_goes_with_it() -> None:
    cleo, dora = entity("4", "Cleo", provenance=span_of("t:1")), entity("5", "Dora", provenance=span_of("t:2"))
    found = relation("1", "e:5", "e:6", provenance=span_of("t:1"))
    assert along(thought("2", "Dora sings."), cleo, dora, found) == {
        "e:4": (DependencyReason.RESTS, "t:1"),
        "r:1": (DependencyReason.RESTS, "t:1"),
        "o:2": (DependencyReason.SENTENCE, "t:1"),
    }


def test_what_it_said_before_what_sums_it_up_what_leads_to_it_and_what_says_it_again_go_for_that() -> None:
    earlier = observation("8", "Cleo has the key.", superseded_by="o:1", status=RowStatus.SUPERSEDED)
    summed = thought("9", "All about keys.", is_summary=True, summary_of=("t:7", "t:1"))
    cleo = entity("7", "Beth")
    leads = relation("7", "e:6", "e:7", provenance=(*span_of("t:1"), *span_of("t:2")), description="They met.")
    again = observation("7", "the glaze needs COBALT.")
    ties = along(thought("2", "They sing."), earlier, summed, cleo, leads, again, ids=frozenset({"t:1", "e:7"}))
    assert ties == {
        "o:1": (DependencyReason.SENTENCE, "t:1"),
        "o:2": (DependencyReason.SENTENCE, "t:1"),
        "o:7": (DependencyReason.SAME_WORDS, "o:2"),
        "o:8": (DependencyReason.EARLIER, "o:1"),
        "r:7": (DependencyReason.END, "e:7"),
        "t:9": (DependencyReason.SUMMARY, "t:1"),
    }


def test_what_rests_on_a_note_that_went_before_says_so() -> None:
    found = plan_forget({KEY.id: KEY}, ForgetRequest(ids=frozenset({"t:1"})), "forget", before={"t:1"})
    assert [(each.row.id, each.tie, each.to) for each in dependent_rows(found, {"t:1"})] == [
        ("o:1", DependencyReason.SENTENCE, "t:1")
    ]


def test_whoever_follows_the_reasons_comes_to_what_was_meant() -> None:
    words = "The glaze needs cobalt."
    noted = (thought("9", f"Dora sings. {words}"), observation("9", words, provenance=span_of("t:9")))
    older = [thought(each, words) for each in "67"]
    cited = [observation(each, words, provenance=span_of(f"t:{each}")) for each in "67"]
    assert along(*noted, *older, *cited, about="Dora") == {
        "o:2": (DependencyReason.SAME_WORDS, "o:9"),
        "o:6": (DependencyReason.SAME_WORDS, "o:9"),
        "o:7": (DependencyReason.SAME_WORDS, "o:9"),
        "o:9": (DependencyReason.SENTENCE, "t:9"),
        "t:6": (DependencyReason.SAME_WORDS, "o:9"),
        "t:7": (DependencyReason.SAME_WORDS, "o:9"),
    }
