"""A server over a memory in memory, for whoever sends it everything: no rate holds it up, no model is far away.

python tests/fuzzed_server.py DIRECTORY
"""

import asyncio
import sys
from pathlib import Path

from voice.entrypoints.web.access import Guard, Limits
from voice.entrypoints.web.server import authorities_of, listen, make_app, make_server
from web_door import COOKIE, TOKEN, opened
from words_reranker import WordsReranker

LIMITS = Limits(burst=1e9, per_second=1e9, wrong_burst=10**9, wrong_per_second=1e9, body_s=60.0, header_s=60.0)
_ROWS = (
    "Moved the kiln to the shed. Marta Lind fired it.",
    "Marta Lind works at Clay Co in Lisbon. She met Jonas Berg there.",
)


async def serve(home: Path) -> None:
    """Serve until somebody ends it."""
    async with opened(home, reranker=WordsReranker()) as (memory, _):
        for row in _ROWS:
            await memory.remember(row, tags=["kiln"])
        await memory.remember("The safe opens with 1234.", is_private=True)
        await memory.ask("Where is the kiln?")
        listening = listen("127.0.0.1", 0)
        port: int = listening.getsockname()[1]
        guard = Guard(token=TOKEN, cookie=COOKIE, authorities=authorities_of("127.0.0.1", port), limits=LIMITS)
        link = f"token for programs: {TOKEN}\nhttp://127.0.0.1:{port}/?code=none"
        server = make_server(make_app(memory, guard=guard, debug=True), LIMITS, ready=lambda: _tell(link))
        await server.serve([listening])


def _tell(link: str) -> None:
    sys.stderr.write(f"{link}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1])))
