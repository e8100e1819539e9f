"""Ask the memory as it was.

Law: the answer rests on what was held then alone, and its session is one of its own.

Source: ruling F; docs/corrections.md.
"""

from dataclasses import replace
from zoneinfo import ZoneInfo

from voice.core.errors import InvalidParams
from voice.core.records import require_utc
from voice.core.session.lifecycle import topic_of
from voice.ports.row_history import HistoryStore, MergeLog
from voice.services.retrieval.as_of import retrieve_as_of
from voice.services.runtime.turn import AskRequest
from voice.services.turn.ask import Ask


async def ask_as_of(
    ask: Ask, request: AskRequest, history: HistoryStore, merges: MergeLog, *, timezone: str
) -> tuple[Ask, AskRequest]:
    """Return what answers from the memory as it was, and the request it is asked with.

    The question starts a session of its own, whose topic says the moment: what was said in another one rests on what
    was learnt since, and a summary is not made again from an earlier memory.

    Raises:
        InvalidParams: a session to continue is named, or the moment has no zone.
        StoreError: it cannot be read.
    """
    if request.as_of is None:
        return ask, request
    moment = require_utc(request.as_of, "as_of")
    if request.session_id is not None or not request.create:
        raise InvalidParams("what was known then is asked in a session of its own; leave out the session to go on in")
    retrieve = await retrieve_as_of(ask.retrieve, history, merges, moment)
    pinned = replace(ask.pinned, store=retrieve.store, graph=retrieve.graph, retrieve=retrieve)
    passages = ask.passages.within(retrieve) if ask.passages else None
    beside = replace(ask.beside, retrieve=retrieve) if ask.beside else None
    said = request.new_topic or topic_of(request.question, include_private=request.include_private)
    day = moment.astimezone(ZoneInfo(timezone)).date()
    then = replace(ask, retrieve=retrieve, pinned=pinned, passages=passages, beside=beside)
    return then, replace(request, new_topic=f"as of {day}: {said}")
