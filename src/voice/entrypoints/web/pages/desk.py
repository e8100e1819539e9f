"""The desk: what a person does with a memory besides talking with it.

Law: one list of routes; each section is a class of its own.

Source: DESIGN 8 Web (sources browser, moderation queue, charts, settings and doctor).
"""

from starlette.routing import BaseRoute

from voice.core.settings.parse import SettingsResult
from voice.entrypoints.library import Voice
from voice.entrypoints.web.pages.adding import Adding
from voice.entrypoints.web.pages.conflicts import ConflictPages
from voice.entrypoints.web.pages.exporting import ExportPages
from voice.entrypoints.web.pages.import_jobs import ImportJobs
from voice.entrypoints.web.pages.importing import ImportPages
from voice.entrypoints.web.pages.noted import NotedPages
from voice.entrypoints.web.pages.picture import PicturePages
from voice.entrypoints.web.pages.queue import Queue
from voice.entrypoints.web.pages.removal import RemovalPages
from voice.entrypoints.web.pages.rendering import Templates
from voice.entrypoints.web.pages.reports import ReportPages
from voice.entrypoints.web.pages.searches import Searches
from voice.entrypoints.web.pages.settings import SettingsPages
from voice.entrypoints.web.pages.sources import Sources
from voice.entrypoints.web.pages.wording import WordingPages


def desk_routes(
    memory: Voice, templates: Templates, told: SettingsResult | None, searches: Searches, jobs: ImportJobs | None = None
) -> list[BaseRoute]:
    """Return the routes of the sources browser, the queue, reports, the picture, the settings and the check-up.

    Args:
        memory: the open memory.
        templates: what pages are made of.
        told: the settings with where each came from, where that is known.
        searches: what was looked for, which pages of sessions lead to, too.
        jobs: the imports, where whoever serves the pages ends them; None: they end with the program.
    """
    imports = jobs or ImportJobs(memory)
    return [
        *Adding(memory, templates).routes,
        *ImportPages(memory, templates, imports).routes,
        *ExportPages(memory, templates, imports.rooms).routes,
        *WordingPages(memory, templates).routes,
        *RemovalPages(memory, templates).routes,
        *Sources(memory, templates, searches).routes,
        *NotedPages(memory, templates).routes,
        *ConflictPages(memory, templates).routes,
        *Queue(memory, templates).routes,
        *ReportPages(memory, templates).routes,
        *PicturePages(memory, templates).routes,
        *SettingsPages(memory, templates, told).routes,
    ]
