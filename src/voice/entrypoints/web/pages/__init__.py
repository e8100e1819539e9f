"""The pages: chat, conversations, pins and the desk; each made on this server, usable without JavaScript.

Law: a page asks one service and shows what it says; whatever it fetches comes from this server. Each module here brings
the routes of one section of the navigation (`rendering.SECTIONS`).
Source: DESIGN 8 Web (sources browser, moderation queue, charts, settings and doctor).
"""

from collections.abc import Callable
from functools import partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute

from voice.core.settings.parse import SettingsResult
from voice.entrypoints.library import Voice
from voice.entrypoints.web.pages import rendering
from voice.entrypoints.web.pages.addresses import Kept, Search
from voice.entrypoints.web.pages.conversations.chat import AnswerStream, ChatPages
from voice.entrypoints.web.pages.conversations.sessions import SessionChanges, SessionPages
from voice.entrypoints.web.pages.conversations.turn_pages import AnswerFile, EvidencePages
from voice.entrypoints.web.pages.import_jobs import ImportJobs
from voice.entrypoints.web.pages.palette import PalettePages
from voice.entrypoints.web.pages.picture import PicturePages
from voice.entrypoints.web.pages.rendering import make_templates, problem_page
from voice.entrypoints.web.pages.reports import ReportPages
from voice.entrypoints.web.pages.review.conflicts import ConflictPages
from voice.entrypoints.web.pages.review.noted import NotedPages
from voice.entrypoints.web.pages.review.queue import QueuePages
from voice.entrypoints.web.pages.settings import SettingsPages
from voice.entrypoints.web.pages.sources.browser import PinPages, SourcePages
from voice.entrypoints.web.pages.sources.note_editing import AddNotePages, WordingPages
from voice.entrypoints.web.pages.sources.removal import RemovalPages
from voice.entrypoints.web.pages.transfer import ExportPages, ImportPages
from voice.entrypoints.web.pages.turn_view import RecentNotices
from voice.entrypoints.web.responses import Problem


def fault_page(memory: Voice) -> Callable[[Request, Problem], Response]:
    """Return what shows a browser what is wrong with an address, as a page among the others."""
    return partial(problem_page, make_templates(memory.services.timezone))


def page_routes(memory: Voice, told: SettingsResult | None = None, jobs: ImportJobs | None = None) -> list[BaseRoute]:
    """Return the routes of every page.

    Args:
        told: the settings with where each came from, where that is known.
        jobs: the imports, where whoever serves the pages ends them; None: they end with the program.
    """
    templates = make_templates(memory.services.timezone)
    # One of each for all pages.
    notices, searches, imports = RecentNotices(), Kept[Search](), jobs or ImportJobs(memory)
    return [
        templates.assets.route,
        rendering.THEME_ROUTE,
        *ChatPages(memory, templates, notices).routes,
        *AnswerStream(memory, templates, notices).routes,
        *EvidencePages(memory, templates).routes,
        *AnswerFile(memory, templates).routes,
        *SessionPages(memory, templates, searches).routes,
        *SessionChanges(memory, templates).routes,
        *PinPages(memory, templates).routes,
        *PalettePages(memory, templates).routes,
        *AddNotePages(memory, templates).routes,
        *ImportPages(memory, templates, imports).routes,
        *ExportPages(memory, templates, imports.rooms).routes,
        # Before the sources: longer paths stand under that of one source, whose id may hold a slash.
        *WordingPages(memory, templates).routes,
        *RemovalPages(memory, templates).routes,
        *SourcePages(memory, templates, searches).routes,
        *NotedPages(memory, templates).routes,
        *ConflictPages(memory, templates).routes,
        *QueuePages(memory, templates).routes,
        *ReportPages(memory, templates).routes,
        *PicturePages(memory, templates).routes,
        *SettingsPages(memory, templates, told).routes,
    ]
