"""The parts of the drawer that answers "why", each in words and as data for the script."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from app.i18n import _
from app.services.indexes.similar_sentences import SimilarSentences
from app.services.session import Session
from app.ui.numbers import share
from app.ui.why.evidence import evidence_value
from app.ui.why.margin import verdict
from app.ui.widgets.crf_paths import paths_value
from app.ui.widgets.similar_sentences import similar_rows
from core.inspection.corpus.calibration import Bin
from core.store.label import labels

if TYPE_CHECKING:
    from core.inspection.sentence.crf_paths import PathMargin, TagPath
    from core.inspection.sentence.evidence import Evidence
    from core.inspection.sentence.span_prediction import SpanPrediction
    from core.text import Span

Part = dict[str, Any]

FEWEST = 5  # spans of one bin from which their accuracy is told

EVIDENCE_NAMES = {"words": _("Without a dictionary word"), "occlusion": _("With characters covered")}
WORDS_COVERED = _("With words covered")


def no_run(session: Session) -> Part:
    """Nothing has been trained, and where to do so."""
    return {
        "kind": "text",
        "title": session._("The tagger"),
        "lines": [session._("This project has no tagger yet. Train one on the Train page.")],
        "go": "train",
    }


def prediction(session: Session, run: str, said: SpanPrediction) -> Part:
    """Whether the tagger predicts the span, how sure it is, and what it predicts instead."""
    return {"kind": "text", "title": session._("The tagger"), "lines": _prediction_lines(session, run, said)}


def _prediction_lines(session: Session, run: str, said: SpanPrediction) -> list[str]:
    share = None if said.span.score is None else _share(session, said.span.score)
    if said.is_predicted:
        if share is None:
            return [session._("{run} predicts this span.", run=run)]
        return [session._("{run} predicts this span with confidence {share}.", run=run, share=share)]
    if not said.is_known:
        first = session._(
            "{run} does not know the label {label}. Train again so that it learns it.",
            run=run,
            label=said.span.label,
        )
    elif share is None:
        first = session._("{run} does not predict this span.", run=run)
    else:
        first = session._(
            "{run} does not predict this span; its probability is {share}.", run=run, share=share
        )
    if not said.instead:
        return [first, session._("It predicts nothing here.")]
    spans = ", ".join(_named(session, said.trace.text, span) for span in said.instead)
    return [first, session._("Instead it predicts {spans}.", spans=spans)]


def calibrated(session: Session, found: Bin | None) -> Part:
    """How often spans this sure were right on held-out documents."""
    if found is None:
        line = session._(
            "No held-out document is both labelled and predicted, so it is unknown how often spans this sure "
            "are right. Predict them on the Inspect page, under Errors."
        )
    elif found.accuracy is None or found.count < FEWEST:
        line = session.ngettext(
            "On held-out documents only {count} span was this sure ({low}–{high}): too few to say how often "
            "such spans are right.",
            "On held-out documents only {count} spans were this sure ({low}–{high}): too few to say how "
            "often such spans are right.",
            count=found.count,
            low=f"{found.low:.1f}",
            high=f"{found.high:.1f}",
        )
    else:
        line = session.ngettext(
            "Of {count} span this sure ({low}–{high}), {share} was right on held-out documents.",
            "Of {count} spans this sure ({low}–{high}), {share} were right on held-out documents.",
            count=found.count,
            low=f"{found.low:.1f}",
            high=f"{found.high:.1f}",
            share=share(found.accuracy),
        )
    return {"kind": "text", "title": session._("How often it is right"), "lines": [line]}


def rival_paths(
    session: Session, said: SpanPrediction, margin: PathMargin, paths: tuple[TagPath, ...]
) -> Part:
    """The margin of the span, and the best readings without it; ``paths`` begins with the one that has it."""
    colours = {label.name: label.colour for label in labels.get(session.workspace, session.project_id)}
    value = paths_value(paths, said.trace, colours, session.language, said.span)
    return {
        "kind": "paths",
        "title": session._("Best rivals"),
        "lines": [verdict(margin, said.trace, session.language)],
        "value": value | {"rows": value["rows"][1:]},
    }


def evidence(session: Session, found: Evidence, said: SpanPrediction, has_probabilities: bool) -> Part:
    """What the prediction becomes without a word or with characters covered."""
    by_words = found.method == "occlusion" and found.places.name == "word"
    title = session._(WORDS_COVERED if by_words else EVIDENCE_NAMES[found.method])
    if not found.items:
        return {
            "kind": "text",
            "title": title,
            "lines": [session._("No dictionary word overlaps this span.")],
        }
    value = evidence_value(session, found, has_probabilities, said.is_predicted)
    return {"kind": "reasons", "title": title, "value": value | {"question": "", "note": ""}}


def offer(session: Session) -> Part:
    """What a large tagger computes only if asked."""
    return {
        "kind": "offer",
        "title": session._(EVIDENCE_NAMES["occlusion"]),
        "lines": [session._("This tagger is large: on this machine it may take a minute.")],
        "button": session._("Compute"),
    }


def similar(session: Session, found: SimilarSentences) -> Part:
    """Labelled sentences similar to the span's."""
    label_set = labels.get(session.workspace, session.project_id)
    rows = similar_rows(found, label_set)
    none = session._("No similar labelled sentence yet. Finished documents are compared.")
    return {
        "kind": "similar",
        "title": session._("Similar labelled sentences"),
        "lines": [] if rows else [none],
        "rows": rows,
        "colours": {label.name: label.colour for label in label_set},
    }


def _named(session: Session, text: str, span: Span) -> str:
    share = "" if span.score is None else f" {_share(session, span.score)}"
    return f"{text[span.start : span.end]} {span.label}{share}"


def _share(session: Session, score: float) -> str:
    return session._("below 0.01") if score < 0.005 else f"{score:.2f}"
