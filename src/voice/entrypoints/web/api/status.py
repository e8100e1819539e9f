"""Operations that report: turns, settings, check-up, OpenAPI document and errors.

Law: nothing is written, and a secret is "set" or "not set" (promise 6).
"""

import json
from importlib.resources import files

from anyio import to_thread

from voice.adapters.system.data_directory import places_of
from voice.core.errors import UnknownId
from voice.core.health import is_healthy
from voice.core.render.report import report_json
from voice.core.settings.describe import effective_values
from voice.core.settings.table import SETTINGS
from voice.entrypoints.shared.doctor import check_open_memory, finding_json
from voice.entrypoints.web.api import request_models
from voice.entrypoints.web.api.call import Call, Reply
from voice.entrypoints.web.responses import ERRORS_PATH, TITLES


async def report(call: Call) -> Reply:
    """Add up what past turns used."""
    asked = call.said(request_models.Report)
    made = await call.services.report(
        since=asked.since, until=asked.until, by=asked.by, include_private=asked.include_private
    )
    return Reply(document=report_json(made))


async def settings(call: Call) -> Reply:
    """Tell every setting with its value in force."""
    places = await to_thread.run_sync(places_of, call.settings, call.services.home)
    values = effective_values(call.settings, places)
    told = [
        {"name": each.name, "env": each.env, "value": values[each.name], "unit": each.unit, "about": each.about}
        for each in SETTINGS
    ]
    return Reply(document={"settings": told})


async def doctor(call: Call) -> Reply:
    """Check store, index, pins, encoder, clock and retrieval; a store that cannot be read any more is a finding."""
    findings = [finding async for finding in check_open_memory(call.services, call.settings)]
    told = [finding_json(finding) for finding in findings]
    return Reply(document={"healthy": is_healthy(findings), "findings": told})


async def openapi(_call: Call) -> Reply:
    """Return the OpenAPI document of the interface."""
    return Reply(document=json.loads((files("voice") / "schemas" / "openapi.json").read_text(encoding="utf-8")))


async def errors(_call: Call) -> Reply:
    """List every error there is."""
    return Reply(document={"errors": [_error(code) for code in TITLES]})


async def error(call: Call) -> Reply:
    """Tell one error."""
    code = call.path["code"]
    if code not in TITLES:
        raise UnknownId(f"there is no error {code!r}; {ERRORS_PATH} lists them")
    return Reply(document=_error(code))


def _error(code: str) -> dict[str, object]:
    status, title = TITLES[code]
    return {"type": f"{ERRORS_PATH}/{code}", "code": code, "status": status, "title": title}
