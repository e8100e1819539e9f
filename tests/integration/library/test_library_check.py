"""`Voice.check` checks any answer against any facts, with no memory open."""

from typing import cast

import pytest

from voice import Voice
from voice.adapters.verifiers import make_verifier
from voice.core.errors import InvalidParams
from voice.core.grounding.check import Fact
from voice.testing.verifiers import context

pytestmark = pytest.mark.requirement("grounding:check:alone")


async def test_an_answer_is_checked_with_no_memory_open() -> None:
    facts = ["The kiln is in the shed.", {"text": "It cost 41 euros."}, Fact(text="Ida moved.", id="c")]
    checked = await Voice.check("The kiln is in the shed [1]. Ida moved [c]. It cost 42 euros [2].", facts)
    assert [claim.rung for claim in checked.report.claims] == ["quoted", "quoted", "unsupported"]


async def test_a_verifier_that_is_handed_in_is_asked() -> None:
    verifier = make_verifier("llm", context())
    facts = ["The kiln is in the shed and it is cold."]
    checked = await Voice.check("The kiln is in the shed", facts, question="Where?", verifier=verifier)
    assert (checked.report.is_proven, checked.verification is not None) == (True, True)


@pytest.mark.parametrize(("answer", "facts"), [(3, ["a"]), ("a", "a"), ("a", 3), ("a", [3])])
async def test_what_is_of_another_kind_is_refused(answer: object, facts: object) -> None:
    with pytest.raises(InvalidParams):
        await Voice.check(cast("str", answer), cast("list[str]", facts))
