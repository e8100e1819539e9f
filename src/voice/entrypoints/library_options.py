"""The options of the library's methods, checked where they come in.

Law: a rim, so types are checked here and once (DESIGN 3): what is of another kind is an `InvalidParams` that names the
parameter and never what stood in it.
"""

import inspect
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import MISSING, fields, replace
from datetime import datetime, timedelta
from typing import Any, Literal, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from voice.core.errors import InvalidParams
from voice.core.organise import OrganiseRequest
from voice.core.recall.params import RecallRequest
from voice.core.records import Scope, require_instant
from voice.core.retrieval.params import RetrieveRequest
from voice.core.retrieval.values import Selection
from voice.entrypoints.shared.sessions import question_asked
from voice.requests import Door, Kind, Parameter, Request, filled, questions, rows
from voice.services.runtime.turn import AskRequest

_Model = TypeVar("_Model", bound=BaseModel)
_Method = TypeVar("_Method", bound=Callable[..., object])
_LITERAL: Any = Literal  # a variable, because type checkers refuse Literal[choices]
_UNSAID: Mapping[Kind, object] = {"flag": False, "texts": ()}  # never None; every other option is None if not said


class _Options(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)  # strict: "5" is not 5, and 1 is not true


class PinOptions(_Options):
    """What `pin` takes."""

    target: str
    reason: str
    lifetime: timedelta | None
    scope: Scope | None
    allow_private: bool


_ORGANISE: Any = {  # members, each with its type and its default
    each.name: (each.type, ... if each.default is MISSING else each.default) for each in fields(OrganiseRequest)
}
_OrganiseOptions: type[_Options] = create_model("OrganiseOptions", __base__=_Options, **_ORGANISE)


def model_of(request: Request, door: Door, base: type[_Model], kind_of: Callable[[Parameter], Any]) -> type[_Model]:
    """Return the model of what a door takes of a request.

    Args:
        kind_of: the type of a parameter that has no choices.
    """
    members: dict[str, Any] = {}
    for each in request.at(door):
        kind: Any = _LITERAL[each.choices] if each.choices else kind_of(each)
        default = _UNSAID.get(each.kind) if each.default is None else each.default
        if default is None and not each.required and each.kind != "scope":  # a scope's type has None already
            kind = kind | None
        members[each.name] = (kind, Field(... if each.required else default, description=each.about))
    return create_model(request.name.capitalize(), __base__=base, __doc__=request.about, **members)


def _kind_of(parameter: Parameter) -> Any:  # noqa: ANN401 - an annotation
    return datetime if parameter.is_instant else _KINDS[parameter.kind]


_KINDS: Mapping[Kind, Any] = {  # facts are missing: `check` has no model here
    "text": str,
    "integer": int,
    "number": float,
    "flag": bool,
    "texts": tuple[str, ...],
    "scope": Scope | None,
}
_REQUESTS = (questions.RETRIEVE, questions.RECALL, questions.ASK, rows.REMEMBER, rows.CORRECT)
# Built at import: signatures and help need them.
_MODELS = {each.name: model_of(each, "library", _Options, _kind_of) for each in _REQUESTS}


def takes(request: Request) -> Callable[[_Method], _Method]:
    """Return what tells of a method that takes options which these are: in its signature and in its docstring."""

    def give(method: _Method) -> _Method:
        told = inspect.signature(method)
        own = [each for each in told.parameters.values() if each.kind is not each.VAR_KEYWORD]  # without **options
        fields = _MODELS[request.name].model_fields
        # Those that the method names itself stay as they are.
        members = {name: each for name, each in fields.items() if name not in told.parameters}
        options = [
            inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=each.default, annotation=each.annotation)
            for name, each in members.items()
        ]
        vars(method)["__signature__"] = told.replace(parameters=[*own, *options])  # what help() and editors show
        lines = "".join(f"\n            {name}: {each.description}" for name, each in members.items())
        method.__doc__ = f"{method.__doc__ or ''}\n        Options:{lines}\n"
        return method

    return give


def said_of(request: Request, options: Mapping[str, object]) -> dict[str, object]:
    """Return the options that were said, by the names that the service has. Raises InvalidParams: see `checked`."""
    takes = {each.name: each for each in request.at("library")}
    lists = {name for name, each in takes.items() if each.kind == "texts"}
    # Strict models take no list for a tuple.
    tags = {name: tags_of(name, value) for name, value in options.items() if name in lists}
    said = checked(_MODELS[request.name], request.name, {**options, **tags})
    # None says nothing, as if it were left out.
    return {takes[name].inner: value for name, value in said.items() if value is not None}


def ask_request(options: Mapping[str, object]) -> AskRequest:
    """Return what `ask` and `stream` ask; a session is begun where there is none to go on with."""
    return question_asked({"create": True, **said_of(questions.ASK, options)})


def retrieve_request(query: str, options: Mapping[str, object]) -> RetrieveRequest:
    """Return what `retrieve` asks for."""
    return filled(RetrieveRequest(query=""), said_of(questions.RETRIEVE, {**options, "query": query}))


def recall_request(query: str, options: Mapping[str, object]) -> RecallRequest:
    """Return what `recall` asks for."""
    return filled(RecallRequest(query=""), said_of(questions.RECALL, {**options, "query": query}))


def organise_request(content: str, options: Mapping[str, object]) -> OrganiseRequest:
    """Return what `organise` asks for. Raises InvalidParams: an option is unknown or of another kind."""
    said = checked(_OrganiseOptions, "organise", {**options, "content": content})
    return replace(OrganiseRequest(content=content), **said)


def checked(model: type[BaseModel], what: str, options: Mapping[str, object]) -> dict[str, object]:
    """Return the options that were said, each of the kind that `model` asks for.

    Raises:
        InvalidParams: one is unknown, of another kind, or an instant that cannot be shown in every zone.
    """
    unknown = sorted(options.keys() - model.model_fields.keys())
    if unknown:
        known = ", ".join(sorted(model.model_fields))
        raise InvalidParams(f"{what} has no parameter {unknown[0]!r}; use one of {known}")
    try:
        said = model.model_validate(dict(options))
    except ValidationError as fault:
        first = fault.errors(include_input=False, include_url=False)[0]  # without the input: it may be a person's words
        where = ".".join(str(part) for part in first["loc"])
        wanted = first["msg"].removeprefix("Input ")  # "Input should be a valid integer"
        raise InvalidParams(f"{where} is not of the kind that {what} takes: it {wanted}") from None
    # Attributes, because `model_dump` would take a Scope apart.
    values: dict[str, object] = {name: getattr(said, name) for name in said.model_fields_set}
    for name, value in values.items():
        if isinstance(value, datetime):  # pydantic takes any datetime; the store needs an aware one
            require_instant(value, name)
    return values


def tags_of(name: str, value: object) -> tuple[object, ...]:
    """Return the tags of a list of them. Raises InvalidParams: it is a single text, or no list."""
    if isinstance(value, str) or not isinstance(value, Iterable):  # a text is a sequence of its characters
        raise InvalidParams(f"{name} must be a list of tags, such as ['garden']")
    return tuple(cast("Iterable[object]", value))


def warned(selection: Selection) -> Selection:
    """Return the selection, after a Python warning of each thing that S0's form has no place for."""
    for told in selection.diagnostics.warnings:
        warnings.warn(told, stacklevel=3)  # the caller of `retrieve`
    return selection
