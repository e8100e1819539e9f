"""Remember one thought under one idempotency key.

Law: a thought that is sent again under its idempotency key is stored once, in whichever process and also behind a
crash: the key decides the thought's id, by a keyed hash, so that the write itself keeps it and nothing has to be kept
beside it. Of several that send it at once one is told that it stored it, the others that it was stored before. What is
there under the id is compared with what is sent; tags and privacy that it was given since do not count.

Source: DESIGN 8 Web; draft-ietf-httpapi-idempotency-key-header.
"""

from dataclasses import dataclass, replace

from voice.core.errors import InvalidParams, KeyReused
from voice.core.records import Row, RowStatus, Thought
from voice.core.text.normalise import keyed_hash
from voice.services.memory.ingest import Ingest, require_content
from voice.services.memory.ingest_values import IngestReport, NewThought

_KEY_CHARS = 26  # as many as other ids have


@dataclass(frozen=True, slots=True, kw_only=True)
class Remembered:
    """The result of remembering a thought."""

    report: IngestReport
    is_replayed: bool = False
    """It was stored before under its key: nothing was stored this time."""


async def remember_once(ingest: Ingest, thought: NewThought, key: str | None) -> Remembered:
    """Store a thought, once under its key. Raises InvalidParams: see `Ingest.remember`; KeyReused: another had it."""
    if key is None:
        return Remembered(report=await ingest.remember([thought]))
    row_id = "t:" + keyed_hash(ingest.forgotten.key, f"thought\n{key}")[:_KEY_CHARS]  # keyed, so it confirms no guess
    if (earlier := await _earlier(ingest, thought, row_id)) is not None:
        return earlier
    try:
        report = await ingest.remember([replace(thought, id=row_id)])
    except InvalidParams:
        if (earlier := await _earlier(ingest, thought, row_id)) is None:  # nobody was faster: it cannot be stored
            raise
        return earlier
    # Where nothing was stored, another process was faster since it was looked for.
    known = None if report.stored or report.forgotten else await _earlier(ingest, thought, row_id)
    return known or Remembered(report=report)


async def _earlier(ingest: Ingest, thought: NewThought, row_id: str) -> Remembered | None:
    """Return the earlier result under the thought's key; None: nothing is stored there."""
    held = (await ingest.store.fetch([row_id])).get(row_id)
    if held is None:
        return None
    if not _is_same(held, thought):
        raise KeyReused("this idempotency key was used for another thought; use a new key for a new thought")
    return Remembered(report=IngestReport(stored=(row_id,)), is_replayed=True)


def _is_same(held: Row, sent: NewThought) -> bool:
    """Return whether a stored row is what is sent; of one whose words were taken away nobody can tell."""
    if not isinstance(held, Thought):
        return False
    if held.status is RowStatus.REDACTED:  # its words cannot be compared
        return True
    is_same_time = sent.created_at is None or sent.created_at == held.created_at  # without a time, any fits
    content = (require_content(sent.content), sent.kind, sent.thread, sent.scope)
    is_same_content = content == (held.content, held.kind, held.thread, held.scope)
    return is_same_content and is_same_time and set(sent.tags) <= set(held.tags) and held.is_private >= sent.is_private
