"""A model comes out of its packages whole and verified, or not at all."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

import pytest
from bench.peers.environments import PeerMissing, Ran
from bench.real_model.carriers import Carriers
from bench.real_model.models import MODELS, Model

PARTS = (b"first ", b"second ", b"third")
WHOLE = b"".join(PARTS)
MODEL = Model(
    name="tiny",
    package="some-model-part",
    version="0.2.0",
    parts=3,
    size=len(WHOLE),
    sha256=sha256(WHOLE).hexdigest(),
    origin="nobody/tiny",
    licence="CC0",
)


def wheel(number: int, data: bytes, *, further: Mapping[str, bytes] | None = None) -> bytes:
    """Return a carrier package whose code must never run."""
    package = f"some_model_part{number}"
    members = {
        f"{package}/__init__.py": b"raise SystemExit('a carrier was imported')",
        f"{package}/data/part{number:02}.bin": data,
        f"{package}-0.2.0.dist-info/METADATA": b"Name: carrier",
        **(further or {}),
    }
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


WHEELS = {f"some-model-part{number}": wheel(number, data) for number, data in enumerate(PARTS, 1)}


class FakePip:
    """Puts the wheel that is asked for where `--dest` says."""

    def __init__(self, wheels: Mapping[str, bytes]) -> None:
        self.downloaded: list[str] = []
        self._wheels = wheels

    def __call__(self, command: Sequence[str], extra: Mapping[str, str]) -> Ran:
        assert command[1:4] == ["-m", "pip", "download"]
        assert {"--no-deps", "--only-binary=:all:"} <= set(command)
        package, _, version = command[-1].partition("==")
        self.downloaded.append(package)
        place = Path(command[command.index("--dest") + 1])
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{package.replace('-', '_')}-{version}-py3-none-any.whl").write_bytes(self._wheels[package])
        return Ran(code=0, said="Saved")


def carriers(directory: Path, pip: FakePip, *, may_download: bool = True) -> Carriers:
    return Carriers(directory=directory, may_download=may_download, run=pip)


def test_the_parts_are_put_together_in_order_and_kept_no_longer_than_needed(tmp_path: Path) -> None:
    pip = FakePip(WHEELS)
    file = carriers(tmp_path, pip).model_file(MODEL)
    assert file.read_bytes() == WHOLE
    assert pip.downloaded == list(MODEL.packages())
    assert list((tmp_path / "wheels").iterdir()) == []


def test_a_model_that_is_there_needs_no_network_and_is_checked_again(tmp_path: Path) -> None:
    file = carriers(tmp_path, FakePip(WHEELS)).model_file(MODEL)
    quiet = carriers(tmp_path, FakePip({}), may_download=False)
    assert quiet.model_file(MODEL) == file
    file.write_bytes(WHOLE.replace(b"second", b"sekond"))
    with pytest.raises(PeerMissing, match="is not tiny and was removed"):
        quiet.model_file(MODEL)
    assert not file.exists()


@pytest.mark.parametrize(
    ("data", "said"),
    [(b"thurd", "SHA-256 [0-9a-f]{64}, expected"), (b"thir", "17 bytes instead of 18"), (b"thirds", "more bytes")],
    ids=["one wrong byte", "too short", "too long"],
)
def test_what_is_not_the_model_byte_for_byte_is_never_used(tmp_path: Path, data: bytes, said: str) -> None:
    pip = FakePip({**WHEELS, "some-model-part3": wheel(3, data)})
    with pytest.raises(PeerMissing, match=said):
        carriers(tmp_path, pip).model_file(MODEL)
    assert not (tmp_path / "tiny.gguf").exists()


@pytest.mark.parametrize("further", [{"some_model_part1/data/more.bin": b"x"}, {"elsewhere/tool.so": b"x"}])
def test_a_package_that_carries_anything_else_is_not_used(tmp_path: Path, further: Mapping[str, bytes]) -> None:
    pip = FakePip({**WHEELS, "some-model-part1": wheel(1, PARTS[0], further=further)})
    with pytest.raises(PeerMissing, match="should carry one data file and carries 2"):
        carriers(tmp_path, pip).model_file(MODEL)


@pytest.mark.parametrize("model", MODELS.values(), ids=list(MODELS))
def test_every_model_is_pinned_to_a_whole_hash_and_an_exact_size(model: Model) -> None:
    assert len(bytes.fromhex(model.sha256)) == 32
    assert model.size > 100_000_000
    assert model.packages()[-1].endswith(f"part{model.parts}")
