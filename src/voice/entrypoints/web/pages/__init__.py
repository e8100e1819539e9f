"""The pages: chat, conversations, pins; each made on this server, usable without JavaScript.

Law: a page asks one service and shows what it says; whatever it fetches comes from this server. Each module here brings
the routes of one section, and its section in `nav`.

Source: DESIGN 8 Web.
"""

from starlette.routing import BaseRoute

from voice.entrypoints.library import Voice
from voice.entrypoints.web.pages import theme
from voice.entrypoints.web.pages.chat import Chat
from voice.entrypoints.web.pages.desk import desk_routes
from voice.entrypoints.web.pages.evidence import Evidence
from voice.entrypoints.web.pages.pins import PinPages
from voice.entrypoints.web.pages.rendering import make_templates
from voice.entrypoints.web.pages.session_changes import SessionChanges
from voice.entrypoints.web.pages.sessions import SessionPages
from voice.entrypoints.web.pages.streaming import Streaming


def page_routes(memory: Voice) -> list[BaseRoute]:
    """Return the routes of every page.

    Args:
        memory: the open memory that they show.
    """
    templates = make_templates(memory.services.find.timezone)
    return [
        templates.assets.route,
        theme.ROUTE,
        *Chat(memory, templates).routes,
        *Streaming(memory, templates).routes,
        *Evidence(memory, templates).routes,
        *SessionPages(memory, templates).routes,
        *SessionChanges(memory, templates).routes,
        *PinPages(memory, templates).routes,
        *desk_routes(memory, templates),
    ]
