"""What models' endpoints do not take, as a file of the data directory.

Law: `endpoints.json`, mode 0600, replaced whole. A record that is not as it was written counts as none: what it said is
learned again, and it is written anew.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Final, cast

from voice.adapters.disk.private_files import replacing
from voice.core.model_endpoints import REPLACEMENTS, LearnedEndpoint, RequestPart

ENDPOINTS_NAME: Final = "endpoints.json"


class EndpointFile:
    """The endpoints of one data directory."""

    def __init__(self, home: Path) -> None:
        """Make it; nothing is read or written yet."""
        self._path = home / ENDPOINTS_NAME

    def of(self, endpoint: str) -> LearnedEndpoint | None:
        """Return what was learned of an endpoint; see `EndpointStore.of`."""
        return next((record for record in self._read() if record.endpoint == endpoint), None)

    def keep(self, record: LearnedEndpoint) -> None:
        """Keep a record; see `EndpointStore.keep`.

        Raises:
            ConfigurationError, StoreUnavailable: it cannot be written.
        """
        self._write([*self._others(record.endpoint), record])

    def forget(self, endpoint: str) -> None:
        """Forget what was learned of an endpoint; see `EndpointStore.forget`.

        Raises:
            ConfigurationError, StoreUnavailable: it cannot be written.
        """
        if self.of(endpoint) is not None:
            self._write(self._others(endpoint))

    def _others(self, endpoint: str) -> list[LearnedEndpoint]:
        return [each for each in self._read() if each.endpoint != endpoint]

    def _read(self) -> tuple[LearnedEndpoint, ...]:
        try:
            found = json.loads(self._path.read_bytes())
            return tuple(_record(each) for each in found["endpoints"])
        except (OSError, ValueError, TypeError, KeyError, RecursionError):
            return ()

    def _write(self, records: Sequence[LearnedEndpoint]) -> None:
        told = [
            {
                "endpoint": each.endpoint,
                "untaken": list(each.untaken),
                "learned_on": each.learned_on.isoformat(),
            }
            for each in sorted(records, key=lambda record: record.endpoint)
        ]
        with replacing(self._path) as file:
            file.write(json.dumps({"endpoints": told}, indent=1).encode())


def _record(kept: Mapping[str, object]) -> LearnedEndpoint:
    """Return a record as `_write` wrote it.

    Raises:
        ValueError, TypeError, KeyError: it is none.
    """
    endpoint, untaken, day = kept["endpoint"], kept["untaken"], kept["learned_on"]
    if not isinstance(endpoint, str) or not isinstance(untaken, list) or not isinstance(day, str):
        raise TypeError
    parts = cast("list[object]", untaken)
    if not parts or any(part not in REPLACEMENTS for part in parts):
        raise ValueError
    return LearnedEndpoint(
        endpoint=endpoint, untaken=tuple(cast("list[RequestPart]", parts)), learned_on=date.fromisoformat(day)
    )
