"""The pages: chat, conversations, pins; each made on this server, usable without JavaScript.

Law: a page asks one service and shows what it says; whatever it fetches comes from this server. Each module here brings
the routes of one section, and its section in `nav`.

Source: DESIGN 8 Web.
"""

from collections.abc import Callable
from functools import partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from voice.core.settings.parse import SettingsResult
from voice.entrypoints.library import Voice
from voice.entrypoints.web.pages import theme
from voice.entrypoints.web.pages.answer_file import AnswerFile
from voice.entrypoints.web.pages.beside import Beside
from voice.entrypoints.web.pages.chat import Chat
from voice.entrypoints.web.pages.desk import desk_routes
from voice.entrypoints.web.pages.evidence import Evidence
from voice.entrypoints.web.pages.import_jobs import ImportJobs
from voice.entrypoints.web.pages.keys import Keys
from voice.entrypoints.web.pages.pins import PinPages
from voice.entrypoints.web.pages.problems import problem_page
from voice.entrypoints.web.pages.rendering import make_templates
from voice.entrypoints.web.pages.searches import Searches
from voice.entrypoints.web.pages.session_changes import SessionChanges
from voice.entrypoints.web.pages.sessions import SessionPages
from voice.entrypoints.web.pages.streaming import Streaming
from voice.entrypoints.web.problems import Problem


def fault_page(memory: Voice) -> Callable[[Request, Problem], Response]:
    """Return what shows a browser what is wrong with an address, as a page among the others.

    Args:
        memory: the open memory that the pages show.
    """
    return partial(problem_page, make_templates(memory.services.timezone))


def page_routes(memory: Voice, told: SettingsResult | None = None, jobs: ImportJobs | None = None) -> list[BaseRoute]:
    """Return the routes of every page.

    Args:
        memory: the open memory that they show.
        told: its settings with where each came from, where that is known.
        jobs: the imports, where whoever serves the pages ends them; None: they end with the program.
    """
    templates = make_templates(memory.services.timezone)
    beside, searches = Beside(), Searches()
    return [
        templates.assets.route,
        theme.ROUTE,
        *Chat(memory, templates, beside).routes,
        *Streaming(memory, templates, beside).routes,
        *Evidence(memory, templates).routes,
        *AnswerFile(memory, templates).routes,
        *SessionPages(memory, templates, searches).routes,
        *SessionChanges(memory, templates).routes,
        *PinPages(memory, templates).routes,
        *Keys(memory, templates).routes,
        *desk_routes(memory, templates, told, searches, jobs),
    ]
