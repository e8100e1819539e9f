"""Drafts are put to the verifier of the settings as the program puts them, and one that fails is counted."""

from collections.abc import Awaitable, Callable
from pathlib import Path

import anyio
from bench.drafts.asking import asking, made
from bench.drafts.judging import judged
from bench.drafts.reading import read_drafts
from bench.drafts.verdicts import Answer

from voice.adapters.llm.scripted import ScriptedClient
from voice.ports.verifier import VerifierRequest
from voice.testing.verifiers import say_verbatim

OWN = Path(__file__).parents[3] / "bench" / "data" / "drafts.jsonl"


def _call(verify: Callable[[VerifierRequest], Awaitable[Answer]], request: VerifierRequest) -> Answer:
    return anyio.run(verify, request)


def test_a_model_that_answers_is_heard_and_one_that_does_not_is_counted() -> None:
    case = read_drafts(OWN)[0]
    heard = asking(made("llm", ScriptedClient(say_verbatim)), 5.0, _call)
    broken = asking(made("llm", ScriptedClient(lambda request: "no verdicts")), 5.0, _call)

    assert judged(case, heard).reply is not None
    assert judged(case, broken).reply is None
    assert broken.failed == {"OpinionMalformed": 1}
