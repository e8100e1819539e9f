"""Two conversations on a terminal: what they share in a line, and then turn beside turn."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from voice.core.session.exchange import with_marks
from voice.core.text.display import counted
from voice.entrypoints.cli.printing import minute_of, printable

if TYPE_CHECKING:
    from voice.core.session.compare import SessionDiff, TurnPair
    from voice.core.session.values import DialogueExchange, InnerVoiceSession


def diff_lines(diff: "SessionDiff", *, include_private: bool) -> Iterator[str]:
    """Yield the comparison line by line."""
    yield f"A  {_head(diff.left)}"
    yield f"B  {_head(diff.right)}"
    yield _shared(diff)
    for pair in diff.pairs:
        yield ""
        yield f"turn {pair.index + 1}"
        yield from _pair(pair, include_private)


def _head(session: "InnerVoiceSession") -> str:
    turns = counted(session.total_exchanges, "turn")
    return f"{session.id}  {minute_of(session.last_interaction)}  {turns}  {printable(session.thread_topic)}"


def _shared(diff: "SessionDiff") -> str:
    if not diff.shared:
        return "nothing is shared"
    same = "the first turn is" if diff.shared == 1 else f"the first {diff.shared} turns are"
    return f"{same} shared" if diff.pairs else f"{same} shared, and there is nothing else in either"


def _pair(pair: "TurnPair", include_private: bool) -> Iterator[str]:
    if pair.left is None or pair.right is None or (pair.is_private and not include_private):
        for sign, each in (("A", pair.left), ("B", pair.right)):
            if each is not None:
                yield from _side(sign, each, is_shown=include_private or not each.is_withheld)
        return
    if pair.is_same_question:
        yield f"  > {printable(pair.left.my_query)}"
    else:
        yield f"A > {printable(pair.left.my_query)}"
        yield f"B > {printable(pair.right.my_query)}"
    if pair.is_same_answer:
        yield f"  the same answer: {_answer(pair.left)}"
        return
    runs = pair.runs()
    if any(run.side == "both" for run in runs):
        marks = {"both": ("", ""), "left": ("[-", "-]"), "right": ("{+", "+}")}
        yield "  " + " ".join(f"{marks[run.side][0]}{printable(run.text)}{marks[run.side][1]}" for run in runs)
        return
    yield f"A   {_answer(pair.left)}"
    yield f"B   {_answer(pair.right)}"


def _side(sign: str, exchange: "DialogueExchange", *, is_shown: bool) -> Iterator[str]:
    if not is_shown:
        yield f"{sign}   private; --private shows it"
        return
    yield f"{sign} > {printable(exchange.my_query)}"
    yield f"{sign}   {_answer(exchange)}"


def _answer(exchange: "DialogueExchange") -> str:
    return printable(with_marks(exchange).answer)
