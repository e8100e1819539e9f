"""`voice doctor`: is this memory in order, and if not, what to do.

Law: it works when nothing else does: a broken voice.toml, a missing directory or a store that somebody else holds is a
finding, not a failure. Nothing is made where nothing was.
"""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from voice.core.errors import ConfigurationError, StoreHeld, VoiceError
from voice.core.health import Finding, HomeFacts, is_healthy, judge_holder, judge_no_store
from voice.core.messages.showing import vendor
from voice.core.settings.values import Settings
from voice.core.text.display import printable
from voice.core.text.instants import render_instant
from voice.entrypoints.cli.terminal.printing import note, print_result
from voice.entrypoints.cli.terminal.runtime import JsonCommand, flag, home_of, load_settings, program_here
from voice.wiring.data_directory import calibrations_of, endpoints_of, holder_of

if TYPE_CHECKING:
    from voice.core.store_holder import HolderState, ProcessCard
    from voice.services.maintenance.doctor import Reach

_EXIT_FAULT = 1
_SIGN = {"ok": "✓", "remark": "!", "fault": "✗", "unchecked": "?"}
_COLOUR = {"ok": "green", "remark": "yellow", "fault": "red", "unchecked": "cyan"}
_WHERE_TO_REPORT = "report it with the output of: VOICE_DEBUG=1 voice maintain verify"


@click.command(cls=JsonCommand)
@flag("--reach wants_reach", "Ask the provider for a few tokens, to see that it answers.")
def doctor(wants_reach: bool) -> int:
    """Find faults in your setup, and say what to do about them.

    It checks data directory, key, rights, disk, prompts, settings, store, index, encoder and clock. Without --reach, it
    sends nothing anywhere. The exit code is 0 if it finds no fault, else 1.

    \b
    Example: voice doctor --reach
    """
    import anyio

    from voice.adapters.system.machine import look_at_home
    from voice.entrypoints.shared.doctor import (
        check_endpoints,
        check_home,
        check_settings,
        finding_json,
        is_before_init,
    )

    home, program = home_of(), program_here()
    facts = look_at_home(home)
    findings, holding = check_home(facts, program=program), None  # without opening anything: the next steps may fail
    try:
        result = load_settings()
    except ConfigurationError as fault:  # what needs the settings is not looked at
        findings.append(Finding(name="settings", state="fault", detail=fault.message, advice="fix that first"))
    else:
        settings = result.settings
        findings += anyio.run(partial(check_settings, result, kept=calibrations_of(home), program=program))
        found, holding = _holder(settings, home)
        findings.append(found)
        findings += [_check_reach(settings, home, facts)] if wants_reach else []
        findings += check_endpoints(settings, endpoints_of(home), program=program)
        nothing = judge_no_store(facts, program=program, is_set_up=not is_before_init(result))
        findings += _check_store(settings, home, facts) or [nothing]  # [] where there is no store
    is_sound = is_healthy(findings)  # remarks are no faults
    told = [finding_json(each) for each in findings]
    document = {"healthy": is_sound, "home": str(home), "holder": _holder_json(holding), "findings": told}
    print_result(document, map(_lines, findings))
    return 0 if is_sound else _EXIT_FAULT


def _lines(finding: Finding) -> str:
    sign = click.style(_SIGN[finding.state], fg=_COLOUR[finding.state])
    advice = f"\n  {'':<9} → {printable(finding.advice)}" if finding.advice else ""
    return f"{sign} {finding.name:<9} {printable(finding.detail)}{advice}"


def _holder(settings: Settings, home: Path) -> "tuple[Finding, HolderState | None]":
    import anyio

    try:
        holding = anyio.run(holder_of, settings, home)
    except VoiceError as fault:
        return Finding(name="holder", state="unchecked", detail=fault.message, advice="fix that first"), None
    return judge_holder(holding), holding


def _holder_json(holding: "HolderState | None") -> dict[str, object] | None:
    if holding is None or holding.holder is None:  # nobody has it open
        return None
    return {**_card(holding.holder), "state": holding.state, "guests": [_card(guest) for guest in holding.guests]}


def _card(card: "ProcessCard") -> dict[str, object]:
    return {"pid": card.pid, "command": card.command, "version": card.version, "since": render_instant(card.since)}


def _check_reach(settings: Settings, home: Path, facts: HomeFacts) -> Finding:
    """Return whether the provider answers; what asking can cost is said before it is asked, and kept in the memory."""
    import anyio

    from voice.adapters.system.clock_and_ids import SystemClock, SystemIds
    from voice.bootstrap import make_llm, open_services
    from voice.core.token_estimates import ConservativeCounter
    from voice.entrypoints.shared.doctor import endpoints_asked
    from voice.services.maintenance.doctor import Reach
    from voice.wiring.service_settings import spending_of

    async def look() -> Finding:
        clock, kept = SystemClock(), endpoints_of(home)
        for endpoint in endpoints_asked(settings):  # what an endpoint was learned to refuse is tried anew
            kept.forget(endpoint)
        llm = make_llm(settings.llm, clock, kept)
        try:
            ids, spending = SystemIds(clock), spending_of(settings)
            alone = Reach(llm=llm, counter=ConservativeCounter(), clock=clock, ids=ids, spending=spending)
            if alone.worst[1] == 0:  # offline, or a model known to be free: no cap and no report is needed
                return await _ask_provider(alone)
            if not _has_store(settings, facts):  # without a store there is nothing to count in
                has_caps = (settings.llm.max_day_cost, settings.llm.max_month_cost) != (None, None)
                return _not_asked("the store does not exist yet") if has_caps else await _ask_provider(alone)
            # Through the memory, so that caps hold and the cost is kept.
            async with open_services(settings, home) as services:
                ask = services.makers.ask()
                return await _ask_provider(
                    replace(alone, llm=ask.llm, clock=ask.clock, ids=ask.ids, spending=ask.spending)
                )
        finally:
            await llm.aclose()

    try:
        return anyio.run(look)
    except StoreHeld as held:
        return _not_asked(held.message)  # another program has the store open; nothing is wrong
    except VoiceError as fault:
        return Finding(name="reach", state="fault", detail=fault.message, advice="fix that; see: voice config")


async def _ask_provider(reach: "Reach") -> Finding:
    if not reach.is_offline:
        tokens, cost = reach.worst
        most = "its price is unknown" if cost is None else f"${cost:.4f} at most"
        note(f"asking {vendor(reach.llm.profile.provider)} whether it answers: {tokens} tokens at most, {most}")
    return await reach()


def _not_asked(why: str) -> Finding:
    """Return that nobody was asked, because what that costs would count in no cap and no report."""
    detail = f"voice asked no provider, because it could not record the cost: {why}"
    return Finding(name="reach", state="unchecked", detail=detail, advice="then run voice doctor --reach again")


def _has_store(settings: Settings, facts: HomeFacts) -> bool:
    return facts.kind == "directory" and (settings.store.url is not None or facts.has_store)


def _check_store(settings: Settings, home: Path, facts: HomeFacts) -> list[Finding]:
    """Return what is found in the store; nothing where none has been made, for then none is opened."""
    if not _has_store(settings, facts):
        return []

    import anyio

    from voice.bootstrap import open_services
    from voice.entrypoints.shared.doctor import check_memory, unreadable_store

    async def look() -> list[Finding]:
        async with open_services(settings, home) as services:
            return await check_memory(services, settings)

    try:
        return anyio.run(look)
    except StoreHeld as held:  # another program has it open; nothing is wrong with it
        return [Finding(name="store", state="unchecked", detail=held.message, advice="then run voice doctor again")]
    except VoiceError as fault:
        return [unreadable_store(fault)]
    except Exception as fault:  # noqa: BLE001 - whatever is broken, a check-up says so and ends in order
        detail = f"the check failed ({type(fault).__name__})"
        return [Finding(name="store", state="fault", detail=detail, advice=_WHERE_TO_REPORT)]
