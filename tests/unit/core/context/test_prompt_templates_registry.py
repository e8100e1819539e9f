"""Released prompts are pinned, and what they render to is known."""

from dataclasses import replace

import pytest

from voice.core.context.prompt_templates import (
    PromptTemplate,
    PromptUse,
    Registry,
    check_templates,
    is_current,
    parse_template,
    render_fixed_inputs,
    to_release,
)
from voice.core.errors import ConfigurationError

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
    with pytest.raises(ConfigurationError, match=r"nothing is released: ask\.v1: a released version never changes"):
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
    assert (broken.fault, broken.diff) == (
        "not_renderable",
        ("prompt ask.v2, block 'user': slot $answer is not known",),
    )


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
