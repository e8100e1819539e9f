"""What a model said, kept so that it need not be asked again.

Law: a reply is kept under everything that made it: the model's hash, both texts of the prompt, the schema, temperature
and length. So another judge, another policy or another report reads the very same drafts, and a prompt that changed by
one character is asked anew. Failures are not kept. The files hold what the memory holds and stay outside the
repository.
"""

import json
from collections.abc import Callable
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from time import perf_counter

from voice.core.errors import ProviderRejected
from voice.core.usage import Usage
from voice.ports.llm import LlmClient, LlmReply, LlmRequest, ModelProfile


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """One reply and what it took when it was given."""

    text: str
    finish_reason: str | None
    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int | None
    wall_s: float
    cpu_s: float
    """Of the server's process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DraftCache:
    """A directory of replies, one file each."""

    directory: Path
    model_sha256: str

    def key(self, request: LlmRequest) -> str:
        """Return what a request's reply is kept under."""
        made_of = {
            "model": self.model_sha256,
            "system": request.system,
            "prompt": request.prompt,
            "schema": request.schema,
            "temperature": request.temperature,
            "max_output_tokens": request.max_output_tokens,
        }
        return sha256(json.dumps(made_of, sort_keys=True).encode()).hexdigest()

    def get(self, key: str) -> Recorded | None:
        """Return the reply, if there is one that can be read."""
        try:
            kept = json.loads(self._file(key).read_text("utf-8"))
            return Recorded(**kept)
        except (OSError, ValueError, TypeError):
            return None

    def put(self, key: str, recorded: Recorded) -> None:
        """Keep a reply; all of it is there or nothing."""
        self.directory.mkdir(parents=True, exist_ok=True)
        growing = self._file(key).with_suffix(".growing")
        growing.write_text(json.dumps(asdict(recorded), ensure_ascii=False), encoding="utf-8")
        growing.replace(self._file(key))

    def _file(self, key: str) -> Path:
        return self.directory / f"{key}.json"


class RecordingClient:
    """Asks the model what it was never asked before, and answers from the cache otherwise."""

    def __init__(self, inner: LlmClient, cache: DraftCache, *, cpu_s: Callable[[], float] | None) -> None:
        """Take the parts.

        Args:
            inner: the configured client with its layers.
            cache: where replies are kept.
            cpu_s: the processor seconds of the server so far; None means that nobody may be asked.
        """
        self.asked = 0
        self.replayed = 0
        self.missing = 0
        """Prompts that nothing was kept for, while nobody might be asked."""
        self._inner = inner
        self._cache = cache
        self._cpu_s = cpu_s
        self._calls: list[Recorded] = []

    @property
    def profile(self) -> ModelProfile:
        """The model's facts."""
        return self._inner.profile

    async def complete(self, request: LlmRequest) -> LlmReply:
        """Return the reply; see the port for what it raises.

        Raises:
            ProviderRejected: nobody may be asked and nothing is kept for this prompt.
        """
        key = self._cache.key(request)
        recorded = self._cache.get(key)
        self.replayed += recorded is not None
        if recorded is None:
            recorded = await self._ask(request)
            self._cache.put(key, recorded)
        self._calls.append(recorded)
        return LlmReply(
            text=recorded.text,
            usage=Usage(
                input_tokens=recorded.input_tokens,
                output_tokens=recorded.output_tokens,
                cached_input_tokens=recorded.cached_tokens,
            ),
            model=self.profile.model,
            finish_reason=recorded.finish_reason,
        )

    async def aclose(self) -> None:
        """Release the client's connections."""
        await self._inner.aclose()

    def take(self) -> tuple[Recorded, ...]:
        """Return the replies since this was last called."""
        calls, self._calls = tuple(self._calls), []
        return calls

    async def _ask(self, request: LlmRequest) -> Recorded:
        cpu_s = self._cpu_s
        if cpu_s is None:
            self.missing += 1
            raise ProviderRejected("no draft is kept for this prompt; run again without --rejudge")
        wall, cpu = perf_counter(), cpu_s()
        reply = await self._inner.complete(request)
        self.asked += 1
        return Recorded(
            text=reply.text,
            finish_reason=reply.finish_reason,
            input_tokens=reply.usage.input_tokens,
            output_tokens=reply.usage.output_tokens,
            cached_tokens=reply.usage.cached_input_tokens,
            wall_s=round(perf_counter() - wall, 2),
            cpu_s=round(cpu_s() - cpu, 2),
        )
