"""Display names of the layers that `core.taggers.base.layer_states` names."""

from __future__ import annotations

from app.i18n import Language, catalogue, text

PREFIX = "inspect_embeddings.state"


def layer_title(name: str, language: Language = "en") -> str:
    """``encoder 3`` as ``encoder layer 3``; a name that is not known stays as it is."""
    kind, _, number = name.partition(" ")
    for key in (f"{PREFIX}.{kind}_{number}", f"{PREFIX}.{kind}"):
        if key in catalogue():
            return text(key, language, number=number)
    return name
