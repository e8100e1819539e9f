"""A memory store that counts what each transaction writes, and fails at one of them."""

from voice.core.errors import StoreError
from voice.ports.stores import MemoryStore, WriteBatch


class FailingStore:
    def __init__(self, inner: MemoryStore, fail_at: int | None = None, error: type[StoreError] = StoreError) -> None:
        self._inner, self._error = inner, error
        self.fetch, self.changes, self.status, self.head = inner.fetch, inner.changes, inner.status, inner.head
        self.sizes: list[int] = []
        self.vectors: list[int] = []
        self.fail_at = fail_at

    async def write(self, batch: WriteBatch) -> int:
        if len(self.sizes) == self.fail_at:
            raise self._error("the power went out")
        self.sizes.append(len(batch.rows))
        self.vectors.append(len(batch.vectors))
        return await self._inner.write(batch)
