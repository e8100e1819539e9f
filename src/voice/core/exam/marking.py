"""What came of a question.

Law: an answer is found where it cites a row that the question was made of, or one that says the same; whatever else it
cites, and whatever it says in other words, is not looked at. An answer that cites none of them, and any answer to a
question that has none, is wrong. A call that failed says nothing of the settings, and counts as failed.
"""

from typing import Final

from voice.core.exam.values import ANSWERABLE, ExamQuestion, Mark, Outcome
from voice.core.grounding.values import RefusalReason
from voice.core.session.values import DialogueExchange

_FAILURES: Final = frozenset({RefusalReason.BUDGET, RefusalReason.DEADLINE, RefusalReason.CANCELLED})


def mark(question: ExamQuestion, exchange: DialogueExchange) -> Mark:
    """Return what came of `question`, whose turn is `exchange`."""
    return Mark(question_id=question.id, kind=question.kind, outcome=_outcome(question, exchange))


def _outcome(question: ExamQuestion, exchange: DialogueExchange) -> Outcome:
    if exchange.status == "error" or exchange.reason in _FAILURES:
        return "failed"
    if exchange.status == "refused":
        return "needlessly_refused" if question.kind in ANSWERABLE else "rightly_refused"
    cited = {citation.source_id for citation in exchange.sources}
    return "found" if cited & question.accepted else "wrong"
