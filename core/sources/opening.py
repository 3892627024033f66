"""Open a source from its settings."""

from __future__ import annotations

from core.sources.contract import Context, Source
from core.sources.settings import SourceSettings


def open_source(settings: SourceSettings, context: Context) -> Source:
    """The source, ready to be asked.

    Raises:
        SourceError: a package, a folder or an address is missing; says what to install or correct.
    """
    if settings.kind == "lac":
        from core.sources.lac import Lac

        return Lac(context)
    if settings.kind == "spacy":
        from core.sources.spacy_pipeline import SpacyPipeline

        return SpacyPipeline(settings.target, context)
    if settings.kind == "transformers":
        from core.sources.token_classifier import TokenClassifier

        return TokenClassifier(settings.target, context)
    if settings.kind == "gliner":
        from core.sources.gliner_model import GlinerModel

        return GlinerModel(settings.target, context)
    from core.sources.language_model.source import LanguageModel

    return LanguageModel(settings, context)
