"""`voice doctor`: is this memory in order, and if not, what to do.

Law: it works when nothing else does: a broken voice.toml, a missing directory or a store that somebody else holds is a
finding, not a failure. Nothing is made where nothing was.
"""

from pathlib import Path

import click

from voice.core.errors import ConfigurationError, StoreHeld, VoiceError
from voice.core.health import Finding, is_healthy, judge_disk, judge_home, judge_settings
from voice.core.settings.values import Settings
from voice.entrypoints.cli.printing import print_json
from voice.entrypoints.cli.runtime import home_of, json_option, load_settings

_EXIT_FAULT = 1


@click.command()
@json_option
@click.pass_context
def doctor(ctx: click.Context, as_json: bool) -> int:
    """Check data directory, settings, store, search index, encoder, disk and clock, and say what to do.

    Ends with 0 when nothing is at fault, else with 1.

    \b
    Example: voice doctor
    """
    from voice.adapters.system.machine import look_at_home

    home = home_of(ctx)
    facts = look_at_home(home)
    findings = [judge_home(facts), judge_disk(facts.free_bytes)]
    try:
        result = load_settings(ctx)
    except ConfigurationError as fault:
        findings.append(Finding(name="settings", state="fault", detail=fault.message, advice="mend that first"))
    else:
        settings = result.settings
        findings += judge_settings(result.warnings, enabled=settings.gate.enabled)
        findings += [_provider(settings), *_inside(settings, home, is_there=facts.kind == "directory")]
    if as_json:
        print_json({"healthy": is_healthy(findings), "home": str(home), "findings": [_json(each) for each in findings]})
    else:
        from voice.entrypoints.cli.show_settings import show_findings

        show_findings(findings)
    return 0 if is_healthy(findings) else _EXIT_FAULT


def _provider(settings: Settings) -> Finding:
    llm = settings.llm
    try:
        llm.require_key()
    except ConfigurationError as fault:
        return Finding(name="provider", state="fault", detail=fault.message, advice="set the key, then ask")
    name = llm.provider if llm.model == llm.provider else f"{llm.provider}, model {llm.model}"
    return Finding(name="provider", state="ok", detail=name)


def _inside(settings: Settings, home: Path, *, is_there: bool) -> list[Finding]:
    """Return what is found in the store, which is opened only where one has been made."""
    if not is_there or (settings.store.url is None and not (home / "memory").exists()):
        advice = "run: voice init" if not is_there else 'run: voice remember "…"'
        return [Finding(name="store", state="unchecked", detail="nothing has been stored yet", advice=advice)]

    import anyio

    from voice.bootstrap import open_services

    async def look() -> list[Finding]:
        async with open_services(settings, home) as services:
            return await services.checkup()

    try:
        return anyio.run(look)
    except StoreHeld as held:
        return [Finding(name="store", state="unchecked", detail=held.message, advice="then run voice doctor again")]
    except VoiceError as fault:
        advice = "mend that, or restore a backup: voice maintain restore-backup"
        return [Finding(name="store", state="fault", detail=f"{fault.message} [{fault.code}]", advice=advice)]


def _json(finding: Finding) -> dict[str, object]:
    return {"name": finding.name, "state": finding.state, "detail": finding.detail, "advice": finding.advice}
