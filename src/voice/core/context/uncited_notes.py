"""Notice that a time asked about holds more notes than the answer cites.

Law: who asks what happened in a month is given a few notes of it; that there are more, and how to see them all, is said
beside the answer, because an answer that says nothing of it reads as if that were everything.

Source: DESIGN 2 promise 1; ruling E.
"""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet

from voice.core.answering.question_form import term_weights
from voice.core.grounding.values import Evidence


def uncited_notes_notice(untimed: str, time: str, then: Sequence[Evidence], cited: AbstractSet[str]) -> str | None:
    """Return that there are more notes of the time asked about than were cited, and how to see them.

    Args:
        untimed: the question without its time.
        time: the time as the person named it.
        then: the rows of the prompt that are of that time.
        cited: ids of the rows that the answer cites.

    Returns:
        None where it asks for something more than the time, or everything that was found is cited.
    """
    found = {row.row_id for row in then}
    if not cited or found <= cited or term_weights(untimed):
        return None
    when = " ".join(time.split()).replace('"', "")
    return (
        f"the answer cites {len(found & cited)} of at least {len(found)} notes from that time; list them with "
        f'`voice retrieve "notes" --when "{when}" --floor=-1 -k 50`'
    )
