"""The packaged files of the pages: style sheets, scripts, icons and templates.

Law: they are part of the wheel and are read once, when the pages are made; a page names each with a hash of its bytes,
so a browser may keep it for ever and never has an old one. What is asked for is looked up among the names that there
are: no path of a request ever reaches the disk.

Source: DESIGN 8 Web (vendored, no CDN).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from importlib.resources.abc import Traversable

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from voice.entrypoints.web.responses import ASK_AGAIN, FOR_EVER

PREFIX = "/static"
_PACKAGE = "voice.entrypoints.web.pages"
_MEDIA_TYPES: Mapping[str, str] = {
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
    "txt": "text/plain; charset=utf-8",
}
"""What is served, by the ending of its name; a file with another one is not."""
_HASH_CHARS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """One file."""

    body: bytes
    media_type: str
    digest: str
    """SHA-256 of its bytes, hex."""


@dataclass(frozen=True, slots=True)
class Assets:
    """The files, by their path under `static/`."""

    by_name: Mapping[str, Asset]

    def url(self, name: str) -> str:
        """Return the address of a file, which changes with its bytes.

        Args:
            name: its path under `static/`.

        Raises:
            KeyError: there is no such file: a template names one that was not packaged.
        """
        return f"{PREFIX}/{name}?v={self.by_name[name].digest[:_HASH_CHARS]}"

    @property
    def route(self) -> Route:
        """What serves them."""
        return Route(f"{PREFIX}/{{name:path}}", self._serve, methods=["GET"], name="static")

    async def _serve(self, request: Request) -> Response:
        asset = self.by_name.get(str(request.path_params["name"]))
        if asset is None:
            raise HTTPException(404)
        etag = f'"{asset.digest}"'
        is_named = request.query_params.get("v") == asset.digest[:_HASH_CHARS]
        headers = {"etag": etag, "cache-control": FOR_EVER if is_named else ASK_AGAIN}
        if etag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return Response(asset.body, headers=headers, media_type=asset.media_type)


@cache
def packaged_assets() -> Assets:
    """Return the files that are packaged with this module; they are read once."""
    return Assets(dict(_found(files(_PACKAGE) / "static", "")))


@cache
def packaged_templates() -> Mapping[str, str]:
    """Return the templates that are packaged with this module, by name; they are read once."""
    folder = files(_PACKAGE) / "templates"
    return {
        one.name: one.read_text(encoding="utf-8")
        for one in sorted(folder.iterdir(), key=lambda each: each.name)
        if one.name.endswith(".html")
    }


def _found(folder: Traversable, prefix: str) -> list[tuple[str, Asset]]:
    found: list[tuple[str, Asset]] = []
    for one in sorted(folder.iterdir(), key=lambda each: each.name):
        if one.is_dir():
            found += _found(one, f"{prefix}{one.name}/")
        elif media_type := _MEDIA_TYPES.get(one.name.rpartition(".")[2]):
            body = one.read_bytes()
            digest = sha256(body).hexdigest()
            found.append((f"{prefix}{one.name}", Asset(body=body, media_type=media_type, digest=digest)))
    return found
