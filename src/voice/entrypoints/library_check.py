"""The judge for programs: any answer against any facts, with no memory open.

Law: a rim, so types are checked here; nothing is stored, and nobody is asked but the verifier that is handed in.

Source: DESIGN 6 "The judge is a product of its own"; DESIGN 8 Library.
"""

from collections.abc import Mapping, Sequence
from typing import cast

from voice.adapters.system.clock_and_ids import SystemClock
from voice.core.errors import InvalidParams
from voice.core.grounding.check import Fact
from voice.core.grounding.check_input import facts_of, parse_answer
from voice.core.grounding.values import Draft
from voice.ports.verifier import Verifier
from voice.services.verification.check import Check, Checked
from voice.services.verification.draft_verification import DraftVerification


async def check(
    answer: str | Draft,
    facts: Sequence[Fact | str | Mapping[str, object]],
    *,
    question: str = "",
    verifier: Verifier | None = None,
) -> Checked:
    """Hold an answer against facts, claim by claim; no memory need be open, and nothing is stored.

        checked = await Voice.check("The kiln is in the shed [1].", ["The kiln is in the shed."])
        checked.report.is_proven, [claim.rung for claim in checked.report.claims]

    Args:
        answer: plain text with markers such as `[1]` or `[id]`, or the JSON that models write for voice; where it cites
            nothing, each sentence is held against every fact.
        facts: texts, or objects with `text` and, where they are known, `id`, `date` and `speaker`.
        question: what was asked; its words need no proof.
        verifier: who is asked about claims that are not quoted, and believed; None: nobody, and they stay unverified.

    Returns:
        The report, who was asked, and what that cost; `voice.core.render.check.render_check` makes JSON of it.

    Raises:
        InvalidParams: there is nothing to check, too much at once, or a fact that is none.
    """
    if not isinstance(cast("object", answer), str | Draft) or not isinstance(cast("object", question), str):
        raise InvalidParams("answer must be a text or a draft, and question a text")
    if isinstance(facts, str) or not isinstance(cast("object", facts), Sequence):
        raise InvalidParams("facts must be a list of texts, or of objects with `text`")
    said = parse_answer(answer) if isinstance(answer, str) else answer
    return await Check(clock=SystemClock(), verifying=DraftVerification(verifier=verifier))(
        said, facts_of(facts), question=question
    )
