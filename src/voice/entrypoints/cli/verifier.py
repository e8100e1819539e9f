"""`voice verifier`: whether the model that checks answers can be believed.

Law: nothing of a memory is sent, only claims of the program's own; what it can cost is said before it is asked, and
what it took is kept like any other spending.

Source: DESIGN 6 "Calibration".
"""

from typing import TYPE_CHECKING

import click

from voice.core.text.display import counted
from voice.entrypoints.cli.printing import note, print_json, printable
from voice.entrypoints.cli.runtime import json_option, progress, run

if TYPE_CHECKING:
    from decimal import Decimal

    from voice.bootstrap import Services
    from voice.core.grounding.verifier_calibration import CalibrationTally
    from voice.services.verification.calibration import Calibrated

_EXIT_NOT_BELIEVED = 1


@click.group()
def verifier() -> None:
    """Test the model that checks answers, on claims whose truth is known.

    \b
    Example: voice verifier check
    """


@verifier.command()
@click.option("-m", "--model", metavar="PROVIDER/MODEL", help="Test this model instead of the one in the settings.")
@json_option
@click.pass_context
def check(ctx: click.Context, model: str | None, as_json: bool) -> int:
    """Ask the verifier about 368 claims, half of them false, and count the false ones that it accepts.

    If it accepts more than 1 in 10, voice does not trust it, and shows only sentences that quote your memory word for
    word as proven. The test sends nothing of your memory. The exit code is 0 if voice trusts it, else 1.

    \b
    Examples:
      voice verifier check
      voice verifier check -m gemini/gemini-2.5-flash
    """
    flags = {} if model is None else {"verifier.name": "llm", "verifier.model": model}
    calibrated = run(ctx, _checked, flags=flags)
    if as_json:
        print_json(_json(calibrated))
    else:
        _show(calibrated)
    return 0 if calibrated.record.is_believed else _EXIT_NOT_BELIEVED


async def _checked(services: "Services") -> "Calibrated":
    """Try the verifier that is set.

    Raises:
        ConfigurationError: there is none.
    """
    from voice.core.errors import ConfigurationError

    calibrating = services.makers.calibrating()
    if calibrating is None:
        raise ConfigurationError(
            "no verifier is set, so there is nothing to try: name a model with -m PROVIDER/MODEL, or set SURR_VERIFIER "
            "or SURR_VERIFIER_MODEL"
        )
    calls = await calibrating.trials()
    foreseen = calibrating.foresee(calls)
    cost = f"{dollars(foreseen.expected)} expected, {dollars(foreseen.worst)} at most"
    note(f"trying {calibrating.verifier.info.label}: {counted(len(calls), 'call')}, {cost}")
    with progress() as advance:
        return await calibrating(calls, lambda done, of: advance("trying", done, of))


def _json(calibrated: "Calibrated") -> dict[str, object]:
    """Return a calibration as JSON values (schema: schemas/cli/verifier-check.schema.json)."""
    from voice.core.render.verification import advice_of, render_calibration, render_kinds

    usage = calibrated.usage
    return {
        **render_calibration(calibrated.record),
        "follows": advice_of(calibrated.record),
        "by_kind": render_kinds(calibrated.by_kind),
        "calls": calibrated.calls,
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cost_usd": None if calibrated.cost is None else f"{calibrated.cost:f}",
    }


def _show(calibrated: "Calibrated") -> None:
    from voice.core.render.verification import advice_of, belief_line

    click.echo(printable(f"{calibrated.record.verifier} {belief_line(calibrated.record)}"))
    if advice := advice_of(calibrated.record):
        click.echo(printable(f"→ {advice}"))
    click.echo(f"\n{'kind':<16} {'false, let pass':>16} {'true, doubted':>16}")
    for kind, one in calibrated.by_kind.items():
        click.echo(f"{kind:<16} {_share(one):>16} {f'{one.true_doubted} of {one.true_claims}':>16}")
    usage = calibrated.usage
    tokens = f"{_known(usage.input_tokens)} tokens sent, {_known(usage.output_tokens)} received"
    click.echo(f"\n{counted(calibrated.calls, 'call')}, {tokens}, {dollars(calibrated.cost)}")


def _share(one: "CalibrationTally") -> str:
    return f"{one.false_supported} of {one.false_claims}"


def _known(count: int | None) -> str:
    return "an unknown number of" if count is None else str(count)


def dollars(amount: "Decimal | None") -> str:
    """Return an amount of money as it is told."""
    return "an unknown cost" if amount is None else f"${amount:.4f}"
