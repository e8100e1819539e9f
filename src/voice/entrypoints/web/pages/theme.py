"""Light or dark.

Law: the system's own choice counts until somebody makes one here; the choice is a cookie that this server alone reads,
so that a page comes in its colours at once and no script has to change them.
"""

from typing import Literal

from starlette.requests import Request
from starlette.responses import RedirectResponse
from starlette.routing import Route

from voice.entrypoints.web.pages.fields import fields_of
from voice.entrypoints.web.pages.links import is_own_path

Theme = Literal["auto", "light", "dark"]
THEMES: tuple[Theme, ...] = ("auto", "light", "dark")
COOKIE = "voice_theme"
_A_YEAR_S = 31_536_000


def theme_of(request: Request) -> Theme:
    """Return the theme that somebody chose here; `auto` where nobody did, or what is no theme."""
    chosen = request.cookies.get(COOKIE)
    return chosen if chosen in THEMES else "auto"


async def choose(request: Request) -> RedirectResponse:
    """Keep what was chosen and go back to the page it was chosen on."""
    fields = await fields_of(request)
    chosen, back = fields.get("theme"), fields.get("back", "")
    answer = RedirectResponse(back if is_own_path(back) else "/", 303)
    if chosen in THEMES:
        answer.set_cookie(COOKIE, chosen, max_age=_A_YEAR_S, httponly=True, samesite="strict")
    return answer


ROUTE = Route("/theme", choose, methods=["POST"], name="theme")
