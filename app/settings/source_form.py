"""The form of one source of suggestions: its fields by kind, to settings and back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import gradio as gr

from app.i18n import Message, _
from app.services.errors import AppError
from app.services.session import Session
from app.ui.frame import Frame
from core.sources import KINDS, Kind, SourceSettings
from core.sources.lac import is_installed
from core.sources.settings import LONGEST, MOST_EXAMPLES, MOST_PARALLEL, MOST_SECONDS

NEW = 0  # in a source's place
KIND_NAMES: dict[Kind, Message] = {
    "lac": _("LAC: people, places, organisations and times in Chinese"),
    "spacy": _("spaCy pipeline"),
    "transformers": _("Hugging Face model for token classification"),
    "gliner": _("GLiNER model: finds the labels of the project by their names"),
    "language_model": _("Language model behind an OpenAI-compatible address"),
}
SENT: dict[Kind, Message] = {
    "lac": _("Runs on this machine; nothing is sent. Its suggestions have no confidence of their own."),
    "spacy": _(
        "Runs on this machine; nothing is sent. Give the name of an installed pipeline or its folder."
    ),
    "transformers": _(
        "Runs on this machine; the texts are not sent. Give the folder of the model. A name of the hub is "
        "downloaded from there once."
    ),
    "gliner": _(
        "Runs on this machine; nothing is sent. Give the folder of the model. It looks for the project's "
        "labels: each is described to it by its guideline if that is one short line, such as “name of a "
        "person”, and otherwise by its name."
    ),
    "language_model": _(
        "Each text you ask about is sent to this address, with the labels, their guidelines and a few "
        "finished documents like it as examples; nothing else, and to no other address. Answers are kept in "
        "the workspace, so that the same question is not paid for twice."
    ),
}


@dataclass
class SourceForm:
    """The fields, and the parts that some kinds have."""

    kind: gr.Dropdown
    name: gr.Textbox
    target: gr.Textbox
    address: gr.Textbox
    variable: gr.Textbox
    secret: gr.Textbox
    instruction: gr.Textbox
    examples: gr.Number
    seconds: gr.Number
    parallel: gr.Number
    read_price: gr.Number
    written_price: gr.Number
    mapping: gr.Textbox
    sent: gr.Markdown
    model: gr.Column
    server: gr.Column
    more: gr.Accordion

    @property
    def fields(self) -> list[Any]:
        """What `read` takes, in order."""
        return [
            self.kind, self.name, self.target, self.address, self.variable, self.secret, self.instruction,
            self.examples, self.seconds, self.parallel, self.read_price, self.written_price, self.mapping,
        ]  # fmt: skip

    @property
    def parts(self) -> list[Any]:
        """What follows from the kind."""
        return [self.sent, self.model, self.server, self.more]


def layout(frame: Frame) -> SourceForm:
    """Build the form."""
    texts, parts = frame.texts, dict[str, Any]()
    with gr.Row(equal_height=True):
        parts["kind"] = texts.bind(
            gr.Dropdown(elem_id="settings-source-kind", min_width=260), label=_("Kind"), chosen="lac",
            choices=[(KIND_NAMES[kind], kind) for kind in KINDS],
        )  # fmt: skip
        parts["name"] = texts.bind(
            gr.Textbox(
                max_lines=1, max_length=LONGEST["name"], elem_id="settings-source-name", min_width=160
            ),
            label=_("Name"),
        )
    parts["sent"] = gr.Markdown(elem_classes="ll-how", elem_id="settings-source-sent")
    with gr.Column(visible=False) as parts["server"]:
        parts["address"] = texts.bind(
            gr.Textbox(max_lines=1, max_length=LONGEST["address"], elem_id="settings-source-address",
                       placeholder="http://127.0.0.1:8080/v1"),
            label=_("Address of the server, up to the version"),
        )  # fmt: skip
    with gr.Column(visible=False) as parts["model"]:
        parts["target"] = texts.bind(
            gr.Textbox(max_lines=1, max_length=LONGEST["target"], elem_id="settings-source-target"),
            label=_("Model: its folder or its name"),
        )
    with gr.Accordion(open=False, visible=False) as parts["more"]:
        parts |= _layout_more(frame)
    texts.bind(parts["more"], label=_("Key, examples, prices"))
    parts["mapping"] = texts.bind(
        gr.Textbox(lines=2, max_lines=8, elem_id="settings-source-mapping", placeholder="PER = NAME"),
        label=_("Labels of the source and of the project, if they differ"),
        info=_("One pair a line, as in PER = NAME. Nothing after the = leaves a label out."),
    )
    return SourceForm(**parts)


def _layout_more(frame: Frame) -> dict[str, Any]:
    texts, parts = frame.texts, dict[str, Any]()
    with gr.Row(equal_height=True):
        parts["secret"] = texts.bind(
            gr.Textbox(type="password", max_lines=1, elem_id="settings-source-key", min_width=220),
            label=_("Key, if the server asks for one"),
            info=_("Kept in a file of its own that no backup holds, and never shown again."),
        )
        parts["variable"] = texts.bind(
            gr.Textbox(
                max_lines=1, max_length=LONGEST["key"], elem_id="settings-source-variable", min_width=220
            ),
            label=_("Or the environment variable that has it"),
        )
    parts["instruction"] = texts.bind(
        gr.Textbox(lines=2, max_length=LONGEST["instruction"], elem_id="settings-source-instruction"),
        label=_("More instructions than the guidelines of the labels"),
    )
    numbers: list[tuple[str, Message, float, float, float]] = [
        ("examples", _("Finished documents shown as examples"), 3, 0, MOST_EXAMPLES),
        ("parallel", _("Requests at the same time"), 2, 1, MOST_PARALLEL),
        ("seconds", _("Request timeout, seconds"), 60, 1, MOST_SECONDS),
        ("read_price", _("Price per million input tokens"), 0, 0, 1e6),
        ("written_price", _("Price per million output tokens"), 0, 0, 1e6),
    ]
    with gr.Row(equal_height=True):
        for name, label, value, least, most in numbers:
            parts[name] = texts.bind(
                gr.Number(value, minimum=least, maximum=most,
                          elem_id=f"settings-source-{name.replace('_', '-')}",
                          precision=0 if name in ("examples", "parallel") else None, min_width=120),
                label=label,
            )  # fmt: skip
    return parts


def fresh(session: Session) -> SourceSettings:
    """What a new source begins with."""
    if is_installed():
        return SourceSettings("lac", "LAC")
    return SourceSettings("spacy", session._("New source"), target="zh_core_web_sm")


def filled(session: Session, settings: SourceSettings, *, is_new: bool) -> dict[str, Any]:
    """The values of the fields; the key itself is never among them."""
    return {
        "kind": gr.update(value=settings.kind, interactive=is_new),
        "name": settings.name,
        "target": settings.target,
        "address": settings.address,
        "variable": "" if settings.key == "file" else settings.key,
        "secret": gr.update(value="", placeholder="••••••••" if settings.key == "file" else ""),
        "instruction": settings.instruction,
        "examples": settings.examples,
        "seconds": settings.seconds,
        "parallel": settings.parallel,
        "read_price": settings.read_price,
        "written_price": settings.written_price,
        "mapping": "\n".join(f"{theirs} = {ours}".rstrip() for theirs, ours in settings.labels.items()),
        **_by_kind(session, settings.kind),
    }


def turn_to_kind(session: Session, kind: Kind, name: str) -> dict[str, Any]:
    """Show the fields of a kind, and say what is sent where."""
    named = {
        "lac": "LAC",
        "spacy": "spaCy",
        "transformers": "Hugging Face",
        "gliner": "GLiNER",
        "language_model": "LLM",
    }
    own = name.strip() and name not in named.values()
    return {**_by_kind(session, kind), "name": name if own else named[kind]}


def read(values: Sequence[Any], *, keeps_key: bool) -> tuple[SourceSettings, str]:
    """The settings in the form, and the key that was entered, if any.

    Args:
        keeps_key: the source has a key already, which stays unless another or a variable is given.

    Raises:
        AppError: a field cannot be read. SourceError: a value does not fit.
    """
    (kind, name, target, address, variable, secret, instruction, examples, seconds, parallel, read_price,
     written_price, mapping) = values  # fmt: skip
    for number in (examples, seconds, parallel, read_price, written_price):
        if number is None:
            raise AppError("A number is missing under “Key, examples, prices”.")
    asks = kind == "language_model"
    settings = SourceSettings(
        kind=kind,
        name=name.strip(),
        target="" if kind == "lac" else target.strip(),
        address=address.strip() if asks else "",
        key=(variable.strip() or ("file" if secret.strip() or keeps_key else "")) if asks else "",
        labels=_pairs(mapping),
        instruction=instruction if asks else "",
        examples=int(examples),
        read_price=float(read_price),
        written_price=float(written_price),
        seconds=float(seconds),
        parallel=int(parallel),
    )
    return settings, secret.strip()


def _pairs(written: str) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for number, line in enumerate(written.splitlines(), start=1):
        if not line.strip():
            continue
        theirs, sign, ours = line.partition("=")
        if not sign or not theirs.strip():
            raise AppError(
                "Line {number} of the labels has no =. Write a pair, as in PER = NAME.", number=number
            )
        pairs[theirs.strip()] = ours.strip()
    return pairs


def _by_kind(session: Session, kind: Kind) -> dict[str, Any]:
    asks = kind == "language_model"
    return {
        "sent": session._(SENT[kind]),
        "model": gr.update(visible=kind != "lac"),
        "server": gr.update(visible=asks),
        "more": gr.update(visible=asks),
    }


def wire(form: SourceForm, frame: Frame) -> None:
    """Connect the form's events."""
    frame.on([form.kind.input], turn_to_kind, [form.kind, form.name], [*form.parts, form.name])
