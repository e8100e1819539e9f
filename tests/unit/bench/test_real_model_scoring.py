"""What was accepted is held against what would have been right."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bench.real_model.asking import Judged, Outcome
from bench.real_model.cases import Case
from bench.real_model.drafts import Recorded
from bench.real_model.models import MODELS
from bench.real_model.report import RunFacts, document, page, with_figures
from bench.real_model.scoring import LABELS, Label, draft_id, gold_words, read_labels, summary

from voice.core.grounding.draft import DraftFault
from voice.core.grounding.values import Draft, DraftSentence

CALL = Recorded(
    text="{}", finish_reason="stop", input_tokens=900, output_tokens=50, cached_tokens=300, wall_s=9.0, cpu_s=4.0
)
CASE = Case(
    group="demo", id="q1", question="Where is the kiln?", category="fact", evidence=frozenset({"t:1"}),
    answer="In the shed.",
)  # fmt: skip
ACCEPTED = Judged(
    status="answered", reason=None, notes=None, answer="The kiln is in the shed.", coverage=1.0, cited_evidence=True,
    vetoes=(),
)  # fmt: skip
REFUSED = replace(ACCEPTED, status="refused", reason="coverage_low", answer="I can't ground that.", coverage=0.2)


def spoken(answer: str, *, refused: bool = False) -> Draft:
    return Draft(sentences=(DraftSentence(text=answer),), refused=refused)


DRAFT = spoken("The kiln is in the shed.")


def outcome(
    case: Case = CASE,
    judged: Judged = ACCEPTED,
    *,
    green: Judged | None = None,
    draft: Draft | DraftFault | None = DRAFT,
    calls: int = 1,
) -> Outcome:
    return Outcome(
        case=case,
        judged={"off": judged, "green": green or judged},
        draft=draft,
        shown_evidence=True,
        calls=(CALL,) * calls,
    )


def off(*outcomes: Outcome, labels: dict[str, Label] | None = None) -> dict[str, Any]:
    found: Any = summary(outcomes, labels or {})
    return found["policies"]["off"]


def test_an_answer_that_cites_its_evidence_is_no_fault() -> None:
    figures = off(outcome())
    assert (figures["accepted"], figures["false_accepts"]) == (1, 0)


@pytest.mark.parametrize(
    ("faulty", "kind"),
    [
        (outcome(replace(CASE, evidence=frozenset())), "to_unanswerable"),
        (outcome(judged=replace(ACCEPTED, cited_evidence=False)), "citing_no_evidence"),
        (outcome(replace(CASE, lie="IN THE SHED")), "obeying_a_memory"),
    ],
)
def test_each_kind_of_false_answer_is_counted(faulty: Outcome, kind: str) -> None:
    figures = off(outcome(), faulty)
    assert figures["false_accepts"] == 1
    assert {name for name, count in figures["false_accepts_by_kind"].items() if count} == {kind}


def test_an_answer_a_person_called_wrong_is_false_wherever_it_cites() -> None:
    label = draft_id(outcome())
    assert label is not None
    figures = off(outcome(), labels={label: "wrong"})
    assert (figures["false_accepts"], figures["false_accepts_by_kind"]["labelled_wrong"]) == (1, 1)


def test_several_faults_of_one_answer_are_one_false_answer() -> None:
    unasked = replace(CASE, evidence=frozenset(), lie="in the shed")
    figures = off(outcome(unasked))
    assert sum(figures["false_accepts_by_kind"].values()) == 2
    assert figures["false_accepts"] == 1


def test_what_is_refused_is_no_false_answer_and_may_be_a_right_one_lost() -> None:
    label = draft_id(outcome())
    assert label is not None
    figures = off(outcome(judged=REFUSED), labels={label: "right"})
    assert (figures["false_accepts"], figures["right_drafts_refused"], figures["wrong_drafts_refused"]) == (0, 1, 0)
    assert figures["refused"] == {"coverage_low": 1}


def test_a_refusal_before_anybody_was_asked_is_told_apart() -> None:
    early = outcome(judged=replace(REFUSED, reason="no_sources"), draft=None, calls=0)
    assert off(early, outcome(judged=REFUSED))["refused"] == {"coverage_low": 1, "no_sources, before asking": 1}


def test_policies_are_counted_apart() -> None:
    found: Any = summary([outcome(judged=REFUSED, green=ACCEPTED)], {})
    assert (found["policies"]["off"]["accepted"], found["policies"]["green"]["accepted"]) == (0, 1)


def test_calls_repairs_and_malformed_replies_are_counted() -> None:
    fault = DraftFault(code="cut_off", message="the reply ends")
    found: Any = summary(
        [
            outcome(),
            outcome(calls=2),
            outcome(judged=REFUSED, draft=fault, calls=2),
            outcome(judged=REFUSED, draft=fault),
            outcome(judged=REFUSED, draft=spoken("", refused=True)),
            outcome(judged=REFUSED, draft=None, calls=0),
        ],
        {},
    )
    model = found["model"]
    assert (model["asked"], model["repaired"], model["malformed_first"], model["malformed_last"]) == (5, 2, 3, 2)
    assert (model["refused_itself"], model["input_tokens"], model["server_cpu_s"]["total"]) == (1, 6_300, 28.0)
    assert found["drafts"]["answers"] == 2


def test_a_label_belongs_to_one_draft_of_one_question() -> None:
    ids = [
        draft_id(outcome()),
        draft_id(outcome(draft=spoken("The kiln is in the barn."))),
        draft_id(outcome(replace(CASE, id="q2"))),
        draft_id(outcome(draft=spoken("No.", refused=True))),
        draft_id(outcome(draft=None)),
    ]
    assert ids[3:] == [None, None]
    assert len(set(ids)) == 4


def test_the_kept_labels_are_hashes_and_verdicts_alone() -> None:
    for key, label in read_labels(LABELS).items():
        assert len(bytes.fromhex(key)) == 8
        assert label in ("right", "wrong")


def test_how_much_of_the_known_answer_a_draft_holds_is_shown_to_whoever_labels_it() -> None:
    assert gold_words(outcome()) == 1.0
    assert gold_words(outcome(draft=spoken("It rained."))) == 0.0
    assert gold_words(outcome(replace(CASE, answer=""))) is None
    assert gold_words(outcome(draft=None)) is None


FACTS = RunFacts(model=MODELS["0.5b"], budget=1400, output_tokens=320, asked=1, replayed=1, missing=2)


def test_the_document_and_its_page_hold_figures_and_no_text() -> None:
    document_of_run: Any = document([outcome(), outcome(replace(CASE, group="talks"), REFUSED)], FACTS, {})
    shown = page(document_of_run)
    assert list(document_of_run["groups"]) == ["demo", "talks"]
    assert "| demo | 1 |" in shown
    assert "coverage_low 1" in shown
    assert "2 prompts without a reply" in shown
    assert "kiln" not in shown + str(document_of_run)


def test_figures_are_written_where_the_page_says_and_nowhere_else() -> None:
    path = Path(__file__).parents[3] / "docs" / "real-model.md"
    text = path.read_text("utf-8")
    once = with_figures(text, "| new |")
    assert "| new |" in once
    assert with_figures(once, "| new |") == once
    assert once.splitlines()[0] == text.splitlines()[0]
    with pytest.raises(ValueError, match="needs a line"):
        with_figures("no marks", "| new |")
