"""A server of the pages in a process of its own, over the example memory and the offline provider.

    python tests/page_server.py HOME

brings the example memory into HOME (once), prints a link that opens the page, here as often as it is followed, and
serves until it is stopped. The clock stands where the example's questions are asked, so that what is seen is the same
every day.
"""

import asyncio
import sys
from pathlib import Path

from example_home import example
from voice.adapters.system.access_token import new_token
from voice.entrypoints.web.access import Guard
from voice.entrypoints.web.pages import fault_page, page_routes
from voice.entrypoints.web.server import AppHooks, address_of, authorities_of, listen, make_app, make_server

HOST = "127.0.0.1"


async def serve(home: Path) -> None:
    """Serve until a signal comes."""
    async with example(home) as memory:
        listening = listen(HOST, 0)
        port = listening.getsockname()[1]
        code = new_token()
        own = authorities_of(HOST, port)
        guard = Guard(token=new_token(), cookie=new_token(), authorities=own, codes=frozenset({code}))

        def ready() -> None:
            print(f"{address_of(HOST, port)}/?code={code}", flush=True)  # noqa: T201 - what the parent reads

        hooks = AppHooks(renewed=lambda used: used, fault_page=fault_page(memory))
        app = make_app(memory, guard=guard, extra=page_routes(memory), hooks=hooks, debug=True)
        await make_server(app, guard.limits, ready=ready).serve(sockets=[listening])


if __name__ == "__main__":
    asyncio.run(serve(Path(sys.argv[1])))
