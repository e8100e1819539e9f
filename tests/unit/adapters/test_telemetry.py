"""The telemetries themselves: over the API, counters alone, and none."""

import sys

import pytest

from told_telemetry import Told, labels
from voice.adapters.telemetry import CountersOnly, OpenTelemetry
from voice.ports.system import NO_TELEMETRY, SILENT_SPAN, Instrument, Telemetry

COUNTER = Instrument(name="c", kind="counter", unit="1", description="")
HISTOGRAM = Instrument(name="h", kind="histogram", unit="s", description="")


def tell(telemetry: Telemetry) -> float | None:
    """Tell something of everything there is to tell."""
    carry = telemetry.carry()
    with carry(), telemetry.span("work", {"a": 1}) as span:
        span.note({"b": "two"})
        span.fail("broken")
        telemetry.measure(COUNTER, 2, {"voice.status": "answered", "voice.stance": "question"})
        telemetry.measure(HISTOGRAM, 0.5, {})
        return span.seconds


@pytest.mark.requirement("observe:spans", "observe:metrics")
def test_what_is_told_arrives() -> None:
    told = Told()
    assert tell(told.telemetry()) is not None
    assert labels(told.span("work")) == {"a": 1, "b": "two", "error.type": "broken"}
    points = told.points()
    assert [(total, count) for _, total, count in (*points["c"], *points["h"])] == [(2, 1), (0.5, 1)]


@pytest.mark.requirement("observe:no-log", "ruling:D19")
def test_counters_alone_are_told_by_how_things_ended() -> None:
    told = Told()
    assert tell(CountersOnly(told.telemetry())) is None
    assert (told.spans(), told.points()) == ((), {"c": [({"voice.status": "answered"}, 2, 1)]})


@pytest.mark.requirement("observe:free")
def test_nobody_is_told_where_nobody_can_listen(monkeypatch: pytest.MonkeyPatch) -> None:
    assert tell(NO_TELEMETRY) is None
    monkeypatch.delitem(sys.modules, "opentelemetry")
    unwatched = OpenTelemetry()
    assert unwatched.span("work", {}) is SILENT_SPAN
    assert tell(unwatched) is None
    assert "opentelemetry" not in sys.modules


@pytest.mark.requirement("observe:no-content", "promise:6")
def test_an_exception_fails_its_span_by_kind_and_passes_on() -> None:
    told = Told()
    with pytest.raises(ZeroDivisionError), told.telemetry().span("work", {}):
        raise ZeroDivisionError("a secret")
    assert labels(told.span("work")) == {"error.type": "ZeroDivisionError"}
    assert "secret" not in told.everything()
