"""The pages: chat, conversations, pins; each made on this server, usable without JavaScript.

Law: a page asks one service and shows what it says; whatever it fetches comes from this server. Each module here brings
the routes of one section, and its section in `nav`.

Source: DESIGN 8 Web.
"""

from starlette.routing import BaseRoute

from voice.entrypoints.library import Voice
from voice.entrypoints.web.pages import theme
from voice.entrypoints.web.pages.rendering import make_templates


def page_routes(memory: Voice) -> list[BaseRoute]:
    """Return the routes of every page.

    Args:
        memory: the open memory that they show.
    """
    templates = make_templates(memory.services.find.timezone)
    return [
        templates.assets.route,
        theme.ROUTE,
    ]
