"""docs/retrieval.md is what the code's own tables say."""

import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import get_args, get_type_hints

import pytest
from reference.retrieval_page import DIAGNOSTICS, PROVIDERS, STAGES, retrieval_markdown

from voice.core.messages.showing import WHY_LEFT_OUT
from voice.core.retrieval.values import LOCAL_PROVIDERS, Dropped
from voice.ports.retrieval_provider import ProviderContext, RetrievalProvider
from voice.testing.retrieval_providers import RetrievalProviderContract

_PAGE = Path(__file__).resolve().parents[2] / "docs" / "retrieval.md"


def test_the_page_of_retrieval_is_current() -> None:
    assert _PAGE.read_text(encoding="utf-8") == retrieval_markdown()


def _mine(context: ProviderContext) -> RetrievalProvider:
    code = retrieval_markdown().split("```python\n")[1].split("```")[0]
    made: dict[str, Callable[[ProviderContext], RetrievalProvider]] = {}
    exec(compile(code, "docs/retrieval.md", "exec"), made)
    return made["Mine"](context)


class TestTheProviderOnThePage(RetrievalProviderContract):
    """It keeps the contract that the page holds it to."""

    def make_provider(self, context: ProviderContext) -> RetrievalProvider:
        return _mine(context)


@pytest.mark.requirement("promise:9")
def test_every_reason_for_leaving_a_row_out_belongs_to_one_stage_and_is_explained() -> None:
    reasons = sorted(get_args(get_type_hints(Dropped)["reason"]))
    assert sorted(drop for stage in STAGES for drop in stage.drops) == reasons == sorted(WHY_LEFT_OUT)


def test_every_local_provider_and_every_member_of_the_answer_is_on_the_page() -> None:
    schema = json.loads(files("voice").joinpath("schemas", "retrieve-explain.schema.json").read_text(encoding="utf-8"))
    assert tuple(PROVIDERS) == LOCAL_PROVIDERS
    assert DIAGNOSTICS.keys() == schema["$defs"]["explained_diagnostics"]["properties"].keys()
