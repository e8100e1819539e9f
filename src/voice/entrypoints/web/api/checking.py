"""Checking over HTTP: any answer against any facts.

Law: the memory is neither asked nor written to, so nothing is switched off here; nobody else is asked, either.

Source: DESIGN 6 "The judge is a product of its own".
"""

from voice.core.grounding.check_input import facts_of, parse_answer
from voice.core.render.check import render_check
from voice.entrypoints.web.api import said
from voice.entrypoints.web.api.call import Call, Reply
from voice.services.verification.check import Check


async def check(call: Call) -> Reply:
    """Hold an answer against facts, claim by claim."""
    wanted = call.said(said.Check)
    facts = facts_of([each if isinstance(each, str) else each.model_dump() for each in wanted.facts])
    service = Check(clock=call.services.clock)
    checked = await service(parse_answer(wanted.answer), facts, question=wanted.question)
    return Reply(document=render_check(checked.report, checked.verification))
