"""One peer in a process of its own: `python -m bench.sessions.worker PEER JOB`; prints one JSON object.

Law: this module runs in environments that know nothing of this program, so it imports the standard library and its peer
alone. A turn is the same for everybody: load what the next turn needs, then append its question and its answer.
"""

import asyncio
import json
import os
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from time import monotonic, process_time
from typing import Protocol, cast

_LOADS = 31
_LOOK_EVERY = 10


class Conversation(Protocol):
    """A peer's one conversation."""

    def load(self) -> int:
        """Load what the next turn needs and return how many texts that is."""
        ...

    def turn(self, question: str, answer: str) -> None:
        """Load what this turn needs and keep its texts, as the peer's own way is."""
        ...

    def close(self) -> None:
        """Release what is open."""
        ...


class LangGraphConversation:
    """A graph with one node that answers, compiled with a `SqliteSaver`: messages are a channel with `add_messages`.

    `invoke` reads the newest checkpoint, runs the node and writes checkpoints, which is how a turn is kept there.
    """

    def __init__(self, place: Path) -> None:
        graph, message = import_module("langgraph.graph"), import_module("langgraph.graph.message")
        self._opening = import_module("langgraph.checkpoint.sqlite").SqliteSaver.from_conn_string(str(place / "s.db"))
        state = type("State", (dict,), {"__annotations__": {"messages": _reduced(list, message.add_messages)}})
        made = graph.StateGraph(state)
        made.add_node("answer", self._answering)
        made.add_edge(graph.START, "answer")
        made.add_edge("answer", graph.END)
        self._app = made.compile(checkpointer=self._opening.__enter__())
        self._config = {"configurable": {"thread_id": "s"}}
        self._answer = ""

    def _answering(self, state: object) -> dict[str, object]:
        del state
        return {"messages": [("ai", self._answer)]}

    def load(self) -> int:
        """Read the newest state."""
        return len(self._app.get_state(self._config).values.get("messages", ()))

    def turn(self, question: str, answer: str) -> None:
        """Run the graph once."""
        self._answer = answer
        self._app.invoke({"messages": [("user", question)]}, self._config)

    def close(self) -> None:
        """Close the file."""
        self._opening.__exit__(None, None, None)


class AgentsConversation:
    """A `SQLiteSession`: `get_items` before a turn, `add_items` after it, as the SDK's runner calls them."""

    def __init__(self, place: Path, limit: int | None) -> None:
        made = import_module("agents.memory.sqlite_session").SQLiteSession
        self._session = made("s", place / "s.db")
        self._limit = limit
        self._loop = asyncio.new_event_loop()

    def load(self) -> int:
        """Read the items the next turn is given."""
        return len(self._loop.run_until_complete(self._session.get_items(self._limit)))

    def turn(self, question: str, answer: str) -> None:
        """Read what the turn is given, then add its two items."""
        self.load()
        items = [{"role": "user", "content": question}, {"role": "assistant", "content": answer}]
        self._loop.run_until_complete(self._session.add_items(items))

    def close(self) -> None:
        """Close the file."""
        self._session.close()
        self._loop.run_until_complete(self._loop.shutdown_default_executor())
        self._loop.close()


def _reduced(kind: object, reducer: object) -> object:
    """Return `Annotated[kind, reducer]`, made at run time."""
    return import_module("typing").Annotated[kind, reducer]


PEERS: dict[str, Callable[[Path], Conversation]] = {
    "langgraph": LangGraphConversation,
    "openai-agents": lambda place: AgentsConversation(place, None),
    "openai-agents-window": lambda place: AgentsConversation(place, 20),
}


def measure(opening: Callable[[Path], Conversation], place: Path, job: dict[str, object]) -> dict[str, object]:
    """Return what a peer's turns took, until its texts, its seconds or its disk come to an end."""
    texts = cast("list[tuple[str, str]]", job["texts"])
    stop_at, most = monotonic() + cast("float", job["seconds"]), cast("float", job["megabytes"]) * 1e6
    conversation = opening(place)
    cpu: list[float] = []
    for number, (question, answer) in enumerate(texts):
        began = process_time()
        conversation.turn(question, answer)
        cpu.append(1000 * (process_time() - began))
        if number % _LOOK_EVERY == 0 and (monotonic() > stop_at or _size_of(place) > most):
            break
    conversation.close()
    loads, loaded = _loads(opening, place)
    return {
        "cpu_ms": cpu,
        "disk_bytes": _size_of(place),
        "answer_bytes": sum(len(answer.encode()) for _, answer in texts[: len(cpu)]),
        "load_ms": loads,
        "loaded_texts": loaded,
        "peak_rss_mb": _peak_rss_mb(),
    }


def _loads(opening: Callable[[Path], Conversation], place: Path) -> tuple[list[float], int]:
    conversation = opening(place)
    loads: list[float] = []
    loaded = 0
    for _ in range(_LOADS):
        began = process_time()
        loaded = conversation.load()
        loads.append(1000 * (process_time() - began))
    conversation.close()
    return loads, loaded


def _size_of(place: Path) -> int:
    return sum(path.stat().st_size for path in place.rglob("*") if path.is_file())


def _peak_rss_mb() -> float:
    """Return the most memory this process has held; 0.0 where the system does not tell.

    `getrusage` would tell what its parent held when it started it, too.
    """
    try:
        status = Path("/proc/self/status").read_text("ascii")
    except OSError:
        return 0.0
    held = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(held.split()[1]) * 1024 / 1e6


def main(peer: str, job_path: str) -> None:
    """Measure one peer and print what it took."""
    job = cast("dict[str, object]", json.loads(Path(job_path).read_text("utf-8")))
    place = Path(job_path).parent / peer
    place.mkdir()
    sys.stdout.write(json.dumps(measure(PEERS[peer], place, job)))
    sys.stdout.flush()
    os._exit(0)  # nothing a peer left running holds up the report


if __name__ == "__main__":
    main(*sys.argv[1:])
