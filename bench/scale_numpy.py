"""The same questions to plain numpy: every cosine over the very vectors that were written, then the best rows.

Law: nothing of the program is used. Unit vectors stand in one float32 matrix in memory, one row a line, with the places
of the thoughts and of the observations beside it; a question is one product with the matrix and the best of each table
by `argpartition`. Words, filters, neighbours, texts and the reading of rows are left out: it is the least that finding
by meaning can cost without an index.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from bench.report import progress
from bench.scale_data import CHUNK, rows_from, vectors_from

BEST: Final = 10
_TABLES: Final = ("t", "o")


@dataclass(frozen=True, slots=True, eq=False)
class PlainNumpy:
    """The vectors of a memory and whose they are."""

    matrix: NDArray[np.float32]
    tables: Sequence[NDArray[np.intp]]

    @classmethod
    def of(cls, rows: int, dim: int) -> Self:
        """Return the matrix of the memory of so many rows."""
        matrix = np.empty((rows, dim), dtype=np.float32)
        prefixes: list[str] = []
        for start in progress(range(0, rows, CHUNK), "plain numpy"):
            written = vectors_from(start, min(CHUNK, rows - start), dim)
            matrix[start : start + len(written)] = written / np.linalg.norm(written, axis=1, keepdims=True)
            prefixes += [row.id[0] for row in rows_from(start, len(written))]
        return cls(matrix, [np.flatnonzero(np.array(prefixes) == table) for table in _TABLES])

    def best(self, vector: bytes) -> list[NDArray[np.intp]]:
        """Return the places of the best rows of each table, best first."""
        asked = np.frombuffer(vector, dtype="<f4")
        scores = self.matrix @ (asked / np.linalg.norm(asked))
        found: list[NDArray[np.intp]] = []
        for places in self.tables:
            mine = scores[places]
            top = np.argpartition(mine, -min(BEST, len(mine)))[-BEST:]
            found.append(places[top[np.argsort(-mine[top])]])
        return found
