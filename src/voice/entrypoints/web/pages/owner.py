"""What only the person may do, in a browser of their own.

Law: a program that brings the token has the interface for programs, where what it says waits for review; what a page
takes as the person's own word it takes from a browser that came by the link (ruling H).

Source: DESIGN 8 Web; ruling H.
"""

from starlette.requests import Request

from voice.entrypoints.web.guard import Refused
from voice.entrypoints.web.problems import Stopped, refused


def require_owner(request: Request) -> None:
    """Refuse a program: what it may do stands in the interface for programs.

    Raises:
        Stopped: the request brought the token, and no cookie of a browser.
    """
    if request.scope.get("voice.by") == "bearer":
        raise Stopped(refused(Refused("forged")))
