"""What a script in the browser sends: models whose fields are checked once, for each of them is hostile."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import (
    AllowInfNan,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    GetPydanticSchema,
    ValidationError,
    ValidationInfo,
)
from pydantic_core import ErrorDetails, core_schema
from typing_extensions import TypedDict

from app.i18n import Message, _
from app.services.errors import AppError
from core.text import Span

MAX_TEXT = 200
MAX_WORDS = 500
MAX_SPANS = 20_000

Model = TypeVar("Model", bound="Payload")


class Payload(BaseModel):
    """What a server function is asked; see `Frame.server`. Nothing is converted: "3" is no number."""

    model_config = ConfigDict(strict=True, frozen=True)


class InvalidPayload(AppError):
    """A message from the browser does not have the form the page sends; the message names the field."""


# A field with a default may also come as null, as scripts write "none".
_NULL_IS_EMPTY = BeforeValidator(lambda value: "" if value is None else value)
_NULL_IS_NOUGHT = BeforeValidator(lambda value: 0 if value is None else value)

Count = Annotated[int, Field(ge=0, le=2**53)]  # what a browser can hold exactly
CountOrNone = Annotated[Count, _NULL_IS_NOUGHT]
Text = Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]
TextOrEmpty = Annotated[str, Field(max_length=MAX_TEXT), _NULL_IS_EMPTY]
Number = Annotated[float, AllowInfNan(False)]
Words = Annotated[list[Annotated[str, Field(min_length=1, max_length=MAX_TEXT)]], Field(max_length=MAX_WORDS)]
EditId = Annotated[str, Field(min_length=8, max_length=64)]  # made up by the browser


class OneDocument(Payload):
    """The store's number of a document."""

    document: Count


class _SpanFields(TypedDict):
    start: Count
    end: Count
    label: Text


def span_list(most: int = MAX_SPANS) -> GetPydanticSchema:
    """For ``Annotated[tuple[Span, ...], span_list()]``: at most ``most`` of them; a score is not believed."""

    def schema(source: object, handler: Any) -> core_schema.CoreSchema:
        fields = handler.generate_schema(Annotated[list[_SpanFields], Field(max_length=most, fail_fast=True)])
        return core_schema.with_info_after_validator_function(_spans, fields)

    return GetPydanticSchema(schema)


Spans = Annotated[tuple[Span, ...], span_list()]


def read_payload(kind: type[Model], payload: object) -> Model:
    """``payload`` as its model.

    Raises:
        InvalidPayload: naming the field that is wrong and what it holds.
    """
    try:
        return kind.model_validate(payload)
    except ValidationError as error:
        raise _refusal(error.errors(include_url=False)[0]) from None


def quoted(value: Any) -> str:
    """``value`` as an error quotes it, at most 60 characters."""
    written = repr(value)
    return written if len(written) <= 60 else f"{written[:57]}…"


def _spans(items: list[_SpanFields], info: ValidationInfo) -> tuple[Span, ...]:
    spans = []
    for number, item in enumerate(items):
        try:
            spans.append(Span(item["start"], item["end"], item["label"]))
        except ValueError as error:
            raise InvalidPayload(
                "{field}: {reason}", field=f"{info.field_name}[{number}]", reason=error
            ) from None
    return tuple(spans)


# What is wrong with a field, by the name pydantic has for it; ``value`` is what came.
_WRONG = {
    "missing": _("{field} is missing."),
    "bool_type": _("{field} must be true or false, got {value}."),
    "int_type": _("{field} must be a whole number, got {value}."),
    "float_type": _("{field} must be a number, got {value}."),
    "finite_number": _("{field} must be a number, got {value}."),
    "greater_than_equal": _("{field} must be {ge} or more, got {value}."),
    "less_than_equal": _("{field} must be {le} or less, got {value}."),
    "string_type": _("{field} must be a text, got {value}."),
    "string_unicode": _("{field} holds half a character; type it again."),
    "string_too_short": _("{field} is too short: {min_length} or more characters are needed, got {value}."),
    "string_too_long": _("{field} is too long: at most {max_length} characters are kept, got {value}."),
    "list_type": _("{field} must be a list, got {value}."),
    "too_short": _("{field} must have {min_length} or more items, it has {actual_length}."),
    "too_long": _("{field} must have at most {max_length} items, it has {actual_length}."),
    "literal_error": _("{field} must be one of {expected}, got {value}."),
    "model_type": _("{field} must be an object, got {value}."),
    "dict_type": _("{field} must be an object, got {value}."),
}


def _refusal(error: ErrorDetails) -> InvalidPayload:
    field = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in error["loc"])
    known = _WRONG.get(error["type"])
    values = {**error.get("ctx", {}), "value": quoted(error["input"])}
    # English where pydantic finds something that no declared type here can have.
    message = known or Message("{field}: {reason}", values={"reason": error["msg"]})
    return InvalidPayload(message, field=field.removeprefix(".") or _("the message"), **values)
