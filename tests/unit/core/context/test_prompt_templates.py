"""Prompts are versioned text with a hash.

What a prompt says of rows that disagree: which they are and their days, and no word of theirs.
Released prompts are pinned, and what they render to is known.
"""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from blake3 import blake3
from hypothesis import given
from hypothesis import strategies as st
from tools.prompts import to_release

from grounding_rows import UNDATED, row
from prompt_rows import NOW, plan_of
from tables import tables
from voice.adapters.files.prompts import load_prompts
from voice.core.context.build import ContextInputs, ContextPlan
from voice.core.context.prompt_evidence import neutralise
from voice.core.context.prompt_proof import LONGEST_FAULT
from voice.core.context.prompt_templates import (
    PromptTemplate,
    PromptUse,
    Registry,
    check_templates,
    find_template,
    is_current,
    latest_template,
    parse_template,
    prompt_hash,
    render_fixed_inputs,
)
from voice.core.context.question import (
    is_follow_up,
    judged_text,
    only_points_back,
    points_back,
    search_text,
    temperature_of,
)
from voice.core.errors import ConfigurationError, UnknownId
from voice.core.grounding.draft import DraftFault, parse_draft
from voice.core.grounding.values import Evidence, Stance
from voice.core.text.normalise import keyed_hash, norm_v1
from voice.core.token_estimates import estimate_tokens

TABLES = tables(__file__)

TEXT = "---\nname: a\nversion: 2\npurpose: p\nowner: o\n---\n%% system\nHello $who.\n%% bare\n$5\n"


def test_reads_header_and_blocks() -> None:
    template = parse_template(TEXT, file_name="a.v2.md")
    assert template.label == "a.v2"
    assert template.has("system")
    assert not template.has("user")
    assert template.render("system", {"who": "you $who"}) == "Hello you $who.\n"
    assert template.template_hash == blake3(TEXT.encode()).hexdigest()


@pytest.mark.parametrize(
    ("text", "file_name", "message"),
    [
        ("no header", "a.v1.md", "start the file with a header"),
        ("---\nname a\n---\n", "a.v1.md", "name: value"),
        ("---\nname: a\n---\n", "a.v1.md", "lacks owner, purpose, version"),
        (TEXT, "b.v2.md", r"a\.v2\.md"),
        (TEXT.replace("version: 2", "version: two"), "a.v2.md", "must be called"),
    ],
)
def test_says_what_is_wrong_with_a_prompt_file(text: str, file_name: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        parse_template(text, file_name=file_name)


@pytest.mark.parametrize(
    ("block", "message"), [("none", "no block"), ("system", r"unknown slot \$who"), ("bare", "Invalid placeholder")]
)
def test_says_what_is_wrong_with_a_rendering(block: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        parse_template(TEXT, file_name="a.v2.md").render(block, {})


def test_the_latest_version_of_a_prompt_is_used() -> None:
    one = parse_template(TEXT.replace("version: 2", "version: 1"), file_name="a.v1.md")
    two = parse_template(TEXT, file_name="a.v2.md")
    assert latest_template((two, one), "a") is two
    assert find_template((one, two), "a.v1") is one
    assert find_template((one, two), "a") is two
    with pytest.raises(ConfigurationError, match="choose one of: a"):
        latest_template((one, two), "zzz")
    for unknown in ("zzz", "a.v3"):
        with pytest.raises(UnknownId, match=r"choose one of: a\.v1, a\.v2$"):
            find_template((one, two), unknown)


@pytest.mark.requirement("ruling:D20")
def test_a_prompt_hash_needs_the_stores_key() -> None:
    one, other = b"k" * 32, b"j" * 32
    assert prompt_hash(one, "s", "p") == prompt_hash(one, "s", "p")
    assert len({prompt_hash(one, "s", "p"), prompt_hash(other, "s", "p"), prompt_hash(one, "sp", "")}) == 3
    assert keyed_hash(one, "x") != keyed_hash(other, "x")
    assert keyed_hash(one, "\ud800")


@pytest.mark.requirement("ruling:D22")
@given(st.text())
def test_neutralising_never_changes_what_a_text_says(text: str) -> None:
    """A faithful quote of the shown text is the stored text under `norm_v1`."""
    assert norm_v1(neutralise(text)) == norm_v1(text)


@pytest.mark.requirement("ruling:A5")
def test_a_stance_has_its_own_temperature_unless_one_is_set() -> None:
    assert temperature_of(Stance.SYNTHESIZE, None) == 0.2
    assert temperature_of(Stance.CHALLENGE, None) == temperature_of(Stance.QUESTION, None) == 0.8
    assert temperature_of(Stance.CHALLENGE, 0.0) == 0.0


@pytest.mark.requirement("ruling:D5")
@pytest.mark.parametrize(
    ("question", "previous", "judged"),
    TABLES["a_follow_up_is_judged_by_its_own_words_and_the_topics_before_it_but_no_names"],
)
def test_a_follow_up_is_judged_by_its_own_words_and_the_topics_before_it_but_no_names(
    question: str, previous: str | None, judged: str
) -> None:
    text = judged_text(question, previous=previous, evidence=(), names=("Ada", "The kiln"))
    assert text == judged


def test_a_question_that_says_enough_is_judged_by_itself() -> None:
    text = judged_text("Where is Ben's kiln?", previous=None, evidence=(), names=())
    assert text == "Where is Ben's kiln?"


@pytest.mark.requirement("ruling:D10")
@pytest.mark.parametrize(
    "reply",
    [
        "",
        "no",
        "[1]",
        "{" * 5000,
        '{"sources": []}',
        '{"answer": "x", "answer": "y"}',
        '{"answer": "' + "x" * 390_000 + "\n",
        "x" * 400_001,
        '{"answer": 1, "sources": []}',
        '{"answer": "a", "sources": [' + ",".join(['{"source_id": "S1", "span": "s"}'] * 63) + ', {"source_id": 1}]}',
        '{"answer": "a", "sources": [' + ",".join(['{"source_id": "S1", "span": "s"}'] * 63) + ", 1]}",
        '{"answer": "a", "sources": [{"source_id": "' + "S" * 300_000 + '", "span": "s"}]}',
    ],
    ids=range(12),
)
def test_no_fault_takes_more_room_than_is_left_for_a_repair(reply: str) -> None:
    fault = parse_draft(reply)
    assert isinstance(fault, DraftFault)
    assert estimate_tokens(fault.message) <= estimate_tokens(LONGEST_FAULT)


@pytest.mark.parametrize(("question", "terms", "expected"), TABLES["only_a_question_that_points_back_is_a_follow_up"])
def test_only_a_question_that_points_back_is_a_follow_up(question: str, terms: int, *, expected: bool) -> None:
    assert is_follow_up(question, content_terms=terms) is expected


@pytest.mark.parametrize(
    ("question", "is_timed", "expected"), TABLES["a_question_for_all_that_was_done_or_was_then_stands_alone"]
)
def test_a_question_for_all_that_was_done_or_was_then_stands_alone(
    question: str, *, is_timed: bool, expected: bool
) -> None:
    assert is_follow_up(question, content_terms=0, is_timed=is_timed) is expected


@pytest.mark.parametrize(("question", "expected"), TABLES["a_question_of_its_own_may_point_back"])
def test_a_question_of_its_own_may_point_back(question: str, *, expected: bool) -> None:
    assert points_back(question) is expected


def test_a_question_that_names_somebody_does_not_only_lean() -> None:
    assert only_points_back("Did she send it?")
    assert not only_points_back("Did Joana send it?")
    assert not only_points_back("What did I decide?")


def test_a_follow_up_is_searched_for_with_the_question_it_leans_on() -> None:
    assert search_text("And when?", previous="Where is Anna?") == "Where is Anna?\nAnd when?"
    assert search_text("And when?", previous=None) == "And when?"


ACME = row("S1", "I work at Acme.", at=datetime(2024, 3, 3, tzinfo=UTC), replaced_by="o:s2")
GLOBEX = row("S2", "I now work at Globex.", at=datetime(2024, 5, 9, tzinfo=UTC))
TEA = row("S3", "I drink green tea.")


def _plan(label: str, *rows: Evidence, budget: int = 10_000) -> ContextPlan:
    inputs = ContextInputs(question="Where do I work?", evidence=rows, now=NOW)
    return plan_of(inputs, template=find_template(load_prompts(), label), budget=budget)


def _notes(plan: ContextPlan) -> list[str]:
    return [line for line in plan.prompt.splitlines() if line.startswith("<note>")]


@pytest.mark.requirement("promise:8")
@pytest.mark.parametrize("label", ["answer.v2", "answer.v4", "challenge.v4", "question.v4"])
def test_rows_that_disagree_are_named_with_their_days_and_nothing_of_their_text(label: str) -> None:
    (note,) = _notes(_plan(label, TEA, GLOBEX, ACME))

    assert "S3 (2024-03-03) and S2 (2024-05-09) disagree" in note
    assert "Acme" not in note


def test_nothing_is_said_where_nothing_took_the_place_of_what_is_shown() -> None:
    assert _notes(_plan("answer.v4", TEA, GLOBEX)) == []
    assert _notes(_plan("answer.v4", TEA, ACME)) == []
    assert _notes(_plan("answer.v4", GLOBEX, replace(ACME, superseded_by=None))) == []
    assert _notes(_plan("answer.v4", GLOBEX, ACME)) != []


def test_a_row_whose_day_is_not_known_has_none_in_the_note() -> None:
    (note,) = _notes(_plan("answer.v4", GLOBEX, replace(ACME, created_at=UNDATED)))
    assert "S2 (undated) and S1 (2024-05-09)" in note


def test_a_prompt_released_before_says_what_it_said() -> None:
    assert _notes(_plan("answer.v1", GLOBEX, ACME)) == []
    assert _notes(_plan("answer.v4", GLOBEX, ACME)) != []


@pytest.mark.requirement("promise:7")
def test_the_note_is_within_the_budget() -> None:
    whole = _plan("answer.v4", GLOBEX, ACME).prompt_tokens
    squeezed = _plan("answer.v4", GLOBEX, ACME, budget=whole - 1)

    assert squeezed.prompt_tokens <= whole - 1
    assert _notes(squeezed) == []


INPUTS = {"plain": {"question": "Where?"}, "hostile": {"question": "$question %% user"}}


def template(version: int = 1, *, words: str = "Asked: $question") -> PromptTemplate:
    head = f"---\nname: ask\nversion: {version}\npurpose: p\nowner: o\n---\n"
    return parse_template(f"{head}%% system\nBe brief.%% no block\n%% user\n{words}\n", file_name=f"ask.v{version}.md")


def registry_of(*templates: PromptTemplate) -> Registry:
    return Registry(
        uses={"ask": PromptUse(commands=("ask",), module="voice/services/turn/ask.py")},
        pinned={each.label: each.template_hash for each in templates},
        inputs=INPUTS,
        snapshots={each.label: render_fixed_inputs(each, INPUTS) for each in templates},
    )


def faults(templates: list[PromptTemplate], registry: Registry) -> list[tuple[str, str | None]]:
    return [(each.label, each.fault) for each in check_templates(templates, registry)]


@pytest.mark.requirement("prompts:snapshots", "ruling:D22")
def test_every_block_is_rendered_with_every_case_and_nothing_that_is_put_in_is_filled() -> None:
    assert render_fixed_inputs(template(), INPUTS) == (
        "=== plain / system\nBe brief.%% no block\n=== plain / user\nAsked: Where?\n"
        "=== hostile / system\nBe brief.%% no block\n=== hostile / user\nAsked: $question %% user\n"
    )


@pytest.mark.requirement("prompts:pinned", "prompts:snapshots")
def test_what_is_as_it_was_released_has_no_fault() -> None:
    one, two = template(1), template(2)
    assert faults([two, one], registry_of(one, two)) == [("ask.v1", None), ("ask.v2", None)]
    assert to_release([one, two], registry_of(one, two)) == ()
    assert (is_current(one, [one, two]), is_current(two, [one, two])) == (False, True)


@pytest.mark.requirement("prompts:pinned")
def test_a_version_that_changed_by_a_letter_is_an_error_and_cannot_be_released_again() -> None:
    changed = template(words="asked: $question")
    registry = registry_of(template())
    assert faults([changed], registry) == [("ask.v1", "changed")]
    with pytest.raises(ConfigurationError, match=r"no prompt was released: ask\.v1: a released version never changes"):
        to_release([changed, template(2)], registry)


@pytest.mark.requirement("prompts:pinned")
def test_a_version_that_is_gone_is_missed() -> None:
    assert faults([template(2)], registry_of(template(1), template(2))) == [("ask.v1", "gone"), ("ask.v2", None)]


@pytest.mark.requirement("prompts:pinned", "prompts:registry")
def test_a_new_version_is_to_be_released_once_it_is_declared_and_can_be_rendered() -> None:
    one, two = template(1), template(2)
    registry = registry_of(one)
    assert faults([one, two], registry) == [("ask.v1", None), ("ask.v2", "not_pinned")]
    assert to_release([one, two], registry) == (two,)
    assert faults([two], replace(registry, uses={}, pinned={})) == [("ask.v2", "undeclared")]
    (broken,) = check_templates([template(2, words="$answer")], replace(registry, pinned={}))
    assert (broken.fault, broken.diff) == ("not_renderable", ("prompt ask.v2, block 'user': unknown slot $answer",))


@pytest.mark.requirement("prompts:snapshots")
def test_what_would_be_sent_is_compared_with_the_snapshot_and_the_difference_is_told() -> None:
    one = template()
    registry = replace(registry_of(one), inputs={"plain": {"question": "When?"}})
    (found,) = check_templates([one], registry)
    assert found.fault == "rendered_otherwise"
    assert {"-Asked: Where?", "+Asked: When?"} <= set(found.diff)
    missing = replace(registry_of(one), snapshots={})
    assert faults([one], missing) == [("ask.v1", "no_snapshot")]
    assert to_release([one], missing) == (one,)
