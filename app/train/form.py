"""The Train page's form, made from a tagger's Config and the training settings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Any

import gradio as gr

from app.i18n import Language, Message, _, ngettext, pgettext, text
from app.services.session import Session
from app.services.training.pretraining import offers_for
from app.services.training.training_runs import fitted

if TYPE_CHECKING:
    from core.taggers.base.config_fields import ConfigField

TAGGER_NAMES = {
    "flat": _("FLAT: attention over characters and dictionary words; good for Chinese without pretraining"),
    "soft_lexicon": _(
        "SoftLexicon: an LSTM over characters with features of dictionary words; good for Chinese, too"
    ),
    "bilstm_crf": _("BiLSTM-CRF: characters, or words in languages with spaces; small and quick"),
    "lattice_lstm": _("Lattice LSTM: gated word inputs to an LSTM; slower"),
    "lr_cnn": _("LR-CNN: convolutions with rethinking of word weights"),
    "bert": _("BERT: any pretrained transformer; best where one is available, slow without a GPU"),
    "mrc": _("BERT-MRC: asks one question for each label; finds nested spans; slowest"),
    "span": _("Span scores: scores every span at once; finds nested spans quickly"),
    "elmo_crf": _("ELMo: a language model's layers under an LSTM; starts from one trained on your own text"),
    "pu": _("PU learning: from a typed word list and raw text alone; start it on the Dictionary page"),
    "dictionary": _("Dictionary: looks up known names; needs no training; the baseline to beat"),
}

STRATEGY_NAMES = {
    "adversarial": _("Adversarial training"),
    "averaging": _("Weight averaging"),
    "loss": _("Loss per token"),
    "sampling": _("Documents per epoch"),
    "initialisation": _("Initial weights"),
}

MORE_NAMES = {
    "tagger": _("More: the tagger"),
    "training": _("More: training"),
    "strategies": _("More: strategies"),
    "self_training": _("More: learning from its own predictions"),
}

BEST_NOTE = _("This tagger learns best with it; over an encoder the usual value is taken instead.")

FORM = "train"  # begins the ids of its components
# Instant ones first, then from small to large; others follow by name.
ORDER = (
    "flat", "soft_lexicon", "bilstm_crf", "lattice_lstm", "lr_cnn", "bert", "span", "mrc", "elmo_crf",
    "pu", "dictionary",
)  # fmt: skip
# Two forms of one window drawn at once write to the same tables of Gradio, which fails while it walks them.
DRAWN_ALONE: dict[str, Any] = {"concurrency_id": "form", "concurrency_limit": 1}
SETTLING = 0.1  # seconds from a drawing until what was typed meanwhile is written into it
_drawings, _tellings = count(1), count(1)


@cache
def _registered() -> tuple[str, ...]:
    from core.taggers.base.registry import available

    return available()


def are_loaded() -> bool:
    """Whether ``in_order`` has been called before and answers at once."""
    return _registered.cache_info().currsize > 0


def in_order(*, nested: bool = False) -> list[str]:
    """The taggers in the order of the page; the first call loads torch.

    Args:
        nested: in a nested project, taggers that learn nested spans come first.
    """
    from core.taggers.base.registry import by_name

    def place(name: str) -> tuple[bool, int, str]:
        behind = nested and not by_name(name).supports_nested
        return behind, ORDER.index(name) if name in ORDER else len(ORDER), name

    return sorted(_registered(), key=place)


def fields_of(tagger: str) -> dict[str, list[ConfigField]]:
    """The fields of the form by group; loads torch. What is basic comes first and is shown at once.

    A tagger that needs no training has fields of its own only.
    """
    from core.learning.self_training.settings import SelfTrainingSettings
    from core.taggers.base.config_fields import config_fields
    from core.taggers.base.registry import by_name
    from core.training.settings import TrainingSettings
    from core.training.strategies.settings import StrategySettings

    kind = by_name(tagger)
    strategies = {field.name for field in config_fields(StrategySettings)}
    settings = config_fields(TrainingSettings) if kind.needs_training else []
    config = config_fields(kind.Config)
    return {
        "basic_tagger": [field for field in config if field.basic],
        "basic_training": [field for field in settings if field.basic],
        "tagger": [field for field in config if not field.basic],
        "training": [field for field in settings if not field.basic and field.name not in strategies],
        "strategies": [field for field in settings if not field.basic and field.name in strategies],
        "self_training": config_fields(SelfTrainingSettings) if kind.needs_training else [],
    }


def build(
    session: Session, tagger: str, listen: Callable[..., Any], missed: gr.Textbox
) -> tuple[list[str], list[Any]]:
    """Draw the form and return names and components of its fields, in one order.

    Args:
        listen: ``Frame.on``. missed: see `remember`.
    """
    groups = fields_of(tagger)
    drawing = begin_drawing(session)
    fields = [field for group in groups.values() for field in group]
    counted = session.memory.get("train-documents")
    documents = counted if isinstance(counted, int) else 0
    kept = fitted(tagger, fitting(fields, typed_values(session)), documents)
    language = session.language
    offers = offers_for(session, tagger)
    notes = {}
    if documents and kept.get("epochs") == fitted(tagger, {}, documents).get("epochs", ""):
        notes["epochs"] = text(
            ngettext(
                "Chosen for {count} training document: fewer documents need more epochs.",
                "Chosen for {count} training documents: fewer documents need more epochs.",
            ),
            language,
            count=documents,
        )
    for name, value in best_with(tagger).items():
        if kept.get(name) == value and name not in typed_values(session):
            notes[name] = text(BEST_NOTE, language)
    with gr.Row(elem_classes="ll-fields"):
        drawn = draw(groups.pop("basic_tagger"), kept, language, offers=offers)
        drawn |= draw(groups.pop("basic_training"), kept, language, notes=notes)
    for group, more in groups.items():
        if more:
            title = text(MORE_NAMES[group], language)
            with gr.Accordion(title, open=False, elem_id=f"train-more-{group}"):
                for heading, part in _parts(group, more):
                    if heading:
                        gr.Markdown(f"## {text(heading, language)}", elem_classes="ll-section")
                    with gr.Row(elem_classes="ll-fields"):
                        drawn |= draw(part, kept, language, offers=offers, notes=notes)
    remember(drawn, drawing, listen, missed)
    return list(drawn), list(drawn.values())


def settled(session: Session, tagger: str, values: Mapping[str, Any]) -> dict[str, Any]:
    """The form's values when a run begins: what the form proposed is decided anew by what it holds now.

    A person may have chosen an encoder or another average since. What they typed stays.
    """
    typed = typed_values(session)
    proposed = {
        name for name, value in best_with(tagger).items() if values.get(name) == value and name not in typed
    }
    left = {name: value for name, value in values.items() if name not in proposed}
    return fitted(tagger, left, 0)


def best_with(tagger: str) -> Mapping[str, Any]:
    """The training settings that the form proposes for this tagger; loads torch."""
    from core.taggers.base.registry import by_name

    return by_name(tagger).learns_best_with


def _parts(group: str, fields: list[ConfigField]) -> list[tuple[Message | None, list[ConfigField]]]:
    """The fields of a group by heading; most groups have none."""
    from core.taggers.base.config_fields import config_fields
    from core.training.strategies.settings import GROUPS

    if group != "strategies":
        return [(None, fields)]
    names = {kind: {field.name for field in config_fields(settings)} for kind, settings in GROUPS.items()}
    return [
        (STRATEGY_NAMES[kind], [field for field in fields if field.name in part_names])
        for kind, part_names in names.items()
    ]


def typed_values(session: Session, form: str = FORM) -> dict[str, Any]:
    """What the person typed into this form in this session, by field, whatever tagger it was drawn for."""
    values: dict[str, Any] = session.memory.setdefault(f"{form}-form", {})  # type: ignore[assignment]
    return values


def fitting(fields: Sequence[ConfigField], values: Mapping[str, Any]) -> dict[str, Any]:
    """The values that fit the field of their name; the form draws the others with their default."""
    from core.taggers.base.config_fields import ConfigError

    kept = {}
    for field in fields:
        with suppress(ConfigError):
            if field.name in values:
                kept[field.name] = field.check(values[field.name])
    return kept


def begin_drawing(session: Session, form: str = FORM) -> str:
    """The number of a drawing of this form; call it before `typed_values` are read for it."""
    drawing = str(next(_drawings))
    session.memory[f"{form}-drawing"] = drawing
    _late(session, form).clear()
    return drawing


def remember(
    drawn: Mapping[str, Any], drawing: str, listen: Callable[..., Any], missed: gr.Textbox, form: str = FORM
) -> None:
    """Keep what is typed into these fields for the next drawing.

    What is typed while the form is drawn anew reaches the field of the same name: the events have keys, and
    what came too late for a drawing is written into it once it stands. Only that fills the fields: in Gradio
    6 a drawing fails while an event that has its fields as outputs is answered.

    Args:
        drawing: of `begin_drawing`. listen: ``Frame.on``. missed: a hidden box outside the form, which
            outlives the drawing; it changes when there is something to write.
    """
    seen = gr.Textbox(drawing, visible="hidden", show_label=False)
    stands = gr.Timer(SETTLING)  # once

    def keep(name: str) -> Callable[[Session, Any, str], Any]:
        def keep_value(session: Session, value: Any, typed_in: str) -> dict[str, Any]:
            typed_values(session, form)[name] = value
            now = session.memory.get(f"{form}-drawing")  # none if the session has forgotten it
            if typed_in == now:
                return {}
            _late(session, form)[name] = value
            # Until the drawing stands nobody listens to the box for it; `settle` tells then.
            return {"missed": _telling()} if session.memory.get(f"{form}-stands") == now else {}

        return keep_value

    def settle(session: Session) -> dict[str, Any]:
        session.memory[f"{form}-stands"] = drawing
        told = {"missed": _telling()} if _late(session, form) else {}
        return {"stands": gr.update(active=False), **told}

    def write(session: Session) -> dict[str, Any]:
        late = _late(session, form)
        return {name: late.pop(name) for name in drawn if name in late}

    for name, component in drawn.items():
        listen(component.input, keep(name), [component, seen], {"missed": missed}, key=(form, name))
    listen(stands.tick, settle, [], {"missed": missed, "stands": stands})
    listen(missed.change, write, [], drawn)


def _telling() -> str:
    return str(next(_tellings))


def _late(session: Session, form: str) -> dict[str, Any]:
    """What was typed into a former drawing after the present one was begun, by field."""
    values: dict[str, Any] = session.memory.setdefault(f"{form}-late", {})  # type: ignore[assignment]
    return values


def card(tagger: str, language: Language) -> str:
    """One line about a tagger: the app's own, else the tagger's."""
    from core.taggers.base.registry import by_name

    sentence = TAGGER_NAMES.get(tagger)
    return text(sentence, language) if sentence else f"{by_name(tagger).title}: {by_name(tagger).summary}"


def help_line(field: ConfigField, language: Language) -> str:
    """The help of a field with its range, without a full stop."""
    words = text(field.help, language).rstrip(".。") if field.help else ""
    words = words[:1].upper() + words[1:]
    if field.minimum is None or field.maximum is None or field.maximum > 10_000 or field.choices:
        return words
    span = f"{_plain(field.minimum)}–{_plain(field.maximum)}"
    return text(_("{help} ({range})"), language, help=words, range=span)


def _plain(number: float) -> str:
    """A number without an exponent: 1e-07 is 0.0000001."""
    return format(Decimal(f"{number:g}"), "f")


def _info(field: ConfigField, language: Language, note: str) -> str:
    """The help of a field, followed by its note."""
    words = help_line(field, language)
    return text(_("{help}. {note}"), language, help=words, note=note) if note else words


def draw(
    fields: Sequence[ConfigField],
    kept: Mapping[str, Any],
    language: Language,
    *,
    offers: Mapping[str, Sequence[tuple[str, str]]] | None = None,
    form: str = FORM,
    idle: Collection[str] = (),
    notes: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """The component of every field, by its name.

    Args:
        kept: entered values. offers: choices of file fields: title and path.
        form: prefix of component ids. idle: hidden fields.
        notes: additions to the help of fields.
    """
    offers_by_field = offers or {}
    return {
        field.name: _component(
            field,
            kept.get(field.name, field.default),
            language,
            offers_by_field.get(field.name, ()),
            form,
            field.name not in idle,
            (notes or {}).get(field.name, ""),
        )
        for field in fields
    }


def _component(
    field: ConfigField,
    value: Any,
    language: Language,
    offered: Sequence[tuple[str, str]],
    form: str,
    visible: bool,
    note: str,
) -> Any:
    """The widget for a field's type. The config checks the range."""
    common: dict[str, Any] = {
        "label": text(field.title, language),
        "info": _info(field, language, note),
        "elem_id": f"{form}-field-{field.name}",
        "interactive": True,
        "visible": visible,
        # The browser writes an answer into the component that asked, so the next drawing has the same one.
        "key": f"{form}-{field.name}-{field.type.__name__}-{bool(field.choices)}-{bool(offered)}",
        "preserved_by_key": None,
    }
    if field.choices:
        none = text(pgettext("file", "none"), language)
        named = [(none if choice == "" else str(choice), choice) for choice in field.choices]
        return gr.Dropdown(named, value=value, **common)
    if field.type is bool:
        return gr.Checkbox(value, **common)
    if field.type is str and offered:
        optional = field.default in ("", "auto")
        nothing = [(text(pgettext("file", "none"), language), "")] if optional else []
        typed = [(value, value)] if value and value not in [path for _, path in offered] else []
        return gr.Dropdown([*nothing, *typed, *offered], value=value, allow_custom_value=True, **common)
    if field.type is str:
        return gr.Textbox(value, max_lines=1, **common)
    return gr.Number(value, precision=0 if field.type is int else None, **common)
