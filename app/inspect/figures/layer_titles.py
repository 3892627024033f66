"""Display names of the layers that `core.taggers.base.layer_states` names."""

from __future__ import annotations

from app.i18n import Language, _, text

STATES = {
    "embeddings": _("embeddings"),
    "encoder": _("encoder layer {number}"),
    "encoder 0": _("encoder embeddings"),
    "mixed": _("encoder layers, mixed"),
    "layer": _("layer {number}"),
    "context": _("context"),
    "context 2": _("second context"),
    "output": _("output"),
}


def layer_title(name: str, language: Language = "en") -> str:
    """``encoder 3`` as ``encoder layer 3``; a name that is not known stays as it is."""
    kind, *number = name.split(" ", 1)
    message = STATES.get(name) or STATES.get(kind)
    return text(message, language, number="".join(number)) if message else name
