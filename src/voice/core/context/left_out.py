"""What an answer about a whole time leaves out.

Law: who asks what happened in a month is given a few notes of it; that there are more, and how to see them all, is said
beside the answer, because an answer that says nothing of it reads as if that were everything.

Source: DESIGN 2 promise 1; ruling E.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from voice.core.grounding.quoting import Question
from voice.core.grounding.values import Evidence
from voice.core.nlq.values import ParsedQuery


def left_out(parsed: ParsedQuery, sent: Sequence[Evidence], cited: AbstractSet[str]) -> str | None:
    """Return that there are more notes of the time asked about than were cited, and how to see them.

    Args:
        parsed: the question.
        sent: the rows of the prompt.
        cited: ids of the rows that the answer cites.

    Returns:
        None where it asks for something more than the time, or everything that was found is cited.
    """
    time = parsed.time
    if time is None or not cited or not Question.of(parsed.untimed, sent).is_open:
        return None
    then = {row.row_id for row in sent if time.window.admits(row.created_at)}
    if then <= cited:
        return None
    when = " ".join(time.text.split()).replace('"', "")
    return (
        f"the answer gives {len(then & cited)} of at least {len(then)} notes of that time; see them all with "
        f'`voice retrieve "notes" --when "{when}" --floor=-1 -k 50`'
    )
