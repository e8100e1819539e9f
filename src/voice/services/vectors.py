"""The vectors of rows.

Law: a row's vector is that of the text that is indexed of it, in which names of private entities stand only where the
row is private itself (promise 6). What no search finds, a bare link or title, costs no encoding.
"""

from collections.abc import Sequence

from voice.core.graph.links import blank_vector, says_nothing
from voice.core.graph.names import KnownNames
from voice.core.records import Entity, EntityName, Row, VectorRow
from voice.core.retrieval.indexed_text import indexed_text
from voice.ports.embedder import Embedder


async def vectors_of(rows: Sequence[Row], names: KnownNames, embedder: Embedder) -> list[VectorRow]:
    """Return a vector of each row.

    Args:
        rows: new ones, or such as say something new.
        names: what texts may name; entities among the rows are added to it.
        embedder: what encodes.

    Raises:
        EmbedderUnavailable: it fails.
    """
    told = [row for row in rows if not says_nothing(row)]
    blank = [blank_vector(row.id, embedder.model, embedder.dim) for row in rows if says_nothing(row)]
    if not told:
        return blank
    known = names.with_({row.id: EntityName.of(row) for row in told if isinstance(row, Entity)})
    made = await embedder.embed([text_of(row, known) for row in told])
    found = zip(told, made, strict=True)
    return [
        *(VectorRow(row_id=row.id, model=embedder.model, dim=embedder.dim, data=data) for row, data in found),
        *blank,
    ]


def text_of(row: Row, names: KnownNames) -> str:
    """Return the text of a row that its vector is made of."""
    return indexed_text(row, (names if row.is_private else names.public).name_of)
