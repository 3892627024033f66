"""The methods of training a tagger on the labels of a word list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from core.learning.distant import TypedWords
from core.learning.pu import bagging, prior, spies, stopping
from core.learning.pu.adaptive import consistent_words, extend
from core.learning.pu.character_probabilities import character_probabilities, probabilities_by_stretch
from core.learning.pu.corpus import with_labels, without_words
from core.learning.pu.settings import DistantSettings
from core.learning.rounds import Rounds, Training
from core.runtime.message import Message, _
from core.taggers.base.config_fields import config_fields
from core.taggers.base.registry import by_name
from core.taggers.base.tagger import Tagger
from core.taggers.base.tagging import tag
from core.taggers.pu.config import PuConfig
from core.taggers.pu.priors import ALL_TYPES, labelled_shares, read_priors, write_priors
from core.taggers.pu.tagger import Pu
from core.taggers.sequence.encoder_choice import AUTO
from core.text import Document
from core.text.annotated_regions import annotated_regions
from core.training.loop import Report
from core.training.settings import config_from_values
from core.training.stopping import Stopped

CRF = "bilstm_crf"  # trained by partial_crf if the request names the PU tagger with the paper's encoder
SHORT = {"hidden": 100}  # config of auxiliary taggers


@dataclass
class Work:
    """State of a training from a word list.

    Args:
        texts: with human annotation. words: the list. labels: the label names.
        settings: of the method. seed: of every sample.
        tagger, config: of the run's tagger. dev: labelled documents, if any.
        rounds: runs trainings. report: called with events. should_stop: polled between steps.
        notes: additional fields of the run's scores.
    """

    texts: Sequence[Document]
    words: TypedWords
    labels: tuple[str, ...]
    settings: DistantSettings
    seed: int
    tagger: str
    config: Mapping[str, Any]
    dev: Sequence[Document]
    rounds: Rounds
    report: Report
    should_stop: Callable[[], bool]
    notes: dict[str, Any] = field(default_factory=dict)

    def labelled(self, words: TypedWords | None = None) -> list[Document]:
        """The texts with the labels of the list, or of another one."""
        chosen = self.words if words is None else words
        return [with_labels(document, chosen, self.settings) for document in self.texts]

    def log(self, message: Message) -> None:
        """Report a log event."""
        self.report({"event": "log", "message": message.to_json()})

    def check(self) -> None:
        """Raise Stopped if a stop was requested."""
        if self.should_stop():
            raise Stopped


def planned(settings: DistantSettings, judged_by_risk: bool = False) -> int:
    """The maximum number of trainings."""
    asks_prior = settings.method in ("pu", "adapu", "bagging") or judged_by_risk
    estimating = int(asks_prior and not settings.prior.strip() and settings.prior_from == "elkan_noto")
    trainings = {
        "adapu": settings.rounds,
        "bagging": 2 * ((settings.bags + 1) // 2) + 1,
        "two_step": 2,
        "partial_crf": 2,
    }
    return estimating + trainings.get(settings.method, 1)


def learn(work: Work) -> Tagger:
    """Train the run's tagger by the method of the settings.

    Raises:
        Stopped: on request. TrainingError: a training failed.
    """
    return _METHODS[work.settings.method](work)


def _pu(work: Work) -> Tagger:
    documents, judge = _judged(work, work.labelled())
    title = _("PU learning")
    return _last(work, Training("pu", title, work.tagger, _with_priors(work), documents, judge))


def _direct(work: Work) -> Tagger:
    documents, judge = _judged(work, work.labelled())
    title = _("Taking unlabelled text as negative")
    return _last(work, Training("direct", title, work.tagger, work.config, _as_negative(documents), judge))


def _adapu(work: Work) -> Tagger:
    words, config = work.words, _with_priors(work)
    work.notes["added"] = added = []
    held: frozenset[tuple[str, str]] | None = None
    for number in range(1, work.settings.rounds + 1):
        labelled = work.labelled(words)
        if held is None:
            held = _held_words(work, labelled)
        documents, judge = _judged(work, labelled, held)
        title = _("AdaPU, round {number}", number=number)
        tagger = _last(work, Training(f"adapu-{number:02d}", title, work.tagger, config, documents, judge))
        if number == work.settings.rounds:
            break
        work.check()
        answers = tag(tagger, [document.with_spans(()) for document in work.texts])
        new = consistent_words(answers, words, work.settings.least_count, work.labels)
        if not new:
            work.log(
                _(
                    "Round {number} found no new word that is predicted often and always with one type, so "
                    "the rounds end.",
                    number=number,
                )
            )
            break
        added += [{"word": e.word, "type": e.type, "count": e.frequency, "round": number} for e in new]
        work.log(
            _(
                "Round {number} added {added} words to the list, such as {examples}.",
                number=number,
                added=len(new),
                examples=_examples(new),
            )
        )
        words = extend(words, new, number)
    work.rounds.end()
    return tagger


def _bagging(work: Work) -> Tagger:
    priors = _priors(work)
    documents, judge = _judged(work, work.labelled())
    bags = bagging.halves(len(documents), work.settings.bags, work.seed)
    config = _auxiliary_config(work) | {"risk": "known"}
    outside = bagging.OutOfBag([len(document.text) for document in documents], len(work.labels))
    for number, bag in enumerate(bags, start=1):
        title = _("Bag {number} of {bags}", number=number, bags=len(bags))
        learned = bagging.in_bag(documents, bag)
        tagger = work.rounds.train(Training(f"bag-{number:02d}", title, "pu", config, learned))
        others = [index for index in range(len(documents)) if index not in bag]
        asked = [documents[index] for index in others]
        for index, start, answer in probabilities_by_stretch(cast(Pu, tagger), asked, work.check):
            outside.add(others[index], start, answer)
    means = outside.means()
    bounds = bagging.thresholds_for(means, work.labels, priors)
    consensus = bagging.consensus(documents, outside.of_texts(means), work.labels, bounds)
    title = _("Training one tagger on what the bags agree on")
    return _last(work, Training("student", title, work.tagger, work.config, consensus, judge))


def _two_step(work: Work) -> Tagger:
    documents, judge = _judged(work, work.labelled())
    config = dict(work.config) | ({"risk": "known"} if work.tagger == "pu" else {})
    title = _("Training the list against reliable negatives")
    reliable = _with_reliable_negatives(work, documents)
    return _last(work, Training("second-step", title, work.tagger, config, reliable, judge))


def _partial_crf(work: Work) -> Tagger:
    documents, judge = _judged(work, work.labelled())
    reliable = _with_reliable_negatives(work, documents)
    name, config = with_tags(work.config) if work.tagger == "pu" else (work.tagger, work.config)
    title = _("Training the partial CRF")
    return _last(work, Training("partial-crf", title, name, config, reliable, judge))


_METHODS: dict[str, Callable[[Work], Tagger]] = {
    "pu": _pu,
    "adapu": _adapu,
    "bagging": _bagging,
    "two_step": _two_step,
    "partial_crf": _partial_crf,
    "direct": _direct,
}


def _last(work: Work, training: Training) -> Tagger:
    dev = work.dev if work.settings.stop == "dev" else ()
    return work.rounds.train(replace(training, dev=dev), shown=True)


def _held_words(work: Work, documents: Sequence[Document]) -> frozenset[tuple[str, str]]:
    if work.settings.stop != "held-out words":
        return frozenset()
    return stopping.choose_words(documents, work.settings.hold_out, work.seed)


def _judged(
    work: Work, documents: list[Document], held: frozenset[tuple[str, str]] | None = None
) -> tuple[list[Document], Callable[[Tagger], float] | None]:
    """The training texts, and the judge of epochs."""
    if work.settings.stop == "held-out words":
        words = _held_words(work, documents) if held is None else held
        if words:
            work.notes["held_out_words"] = len(words)
            texts = stopping.texts_with(documents, words, work.seed)
            judge = stopping.by_held_out_words(stopping.HeldOut(texts))
            return [without_words(document, words) for document in documents], judge
        work.log(_("Too few words are matched to hold some out, so the last epoch counts."))
    if work.settings.stop == "pu risk" and len(documents) > 10:
        priors = _priors(work)
        every = max(2, round(1 / work.settings.hold_out))
        apart = stopping.HeldOut(tuple(documents[::every]))
        return [d for index, d in enumerate(documents) if index % every], stopping.by_risk(apart, priors)
    return documents, None


def _with_priors(work: Work) -> dict[str, Any]:
    """The config of the run's tagger with the priors in it, where it takes them."""
    if work.tagger != "pu":
        return dict(work.config)
    return dict(work.config) | {"prior": write_priors(_priors(work))}


def _priors(work: Work) -> dict[str, float]:
    """The share of each type: given, or estimated once for the run."""
    if "priors" in work.notes:
        return cast(dict[str, float], work.notes["priors"])
    given = read_priors(work.settings.prior)
    open_ = [label for label in work.labels if label not in given and ALL_TYPES not in given]
    shares = labelled_shares(work.labelled(), work.labels) or dict.fromkeys(work.labels, 0.1)
    priors = {label: given.get(label, given.get(ALL_TYPES, 0.0)) for label in work.labels}
    matched = [label for label in open_ if shares[label]]
    estimated = {label: prior.from_recall(shares[label], work.settings.recall) for label in matched}
    # Types without matched words, which people have labelled, cannot be estimated from recall.
    estimated |= _shares_annotated(work, [label for label in open_ if label not in matched])
    if open_ and work.settings.prior_from == "labelled":
        estimated |= _shares_by_hand(work, open_)
    elif matched and work.settings.prior_from == "elkan_noto":
        answers = _held_out_predictions(work)
        estimated |= prior.estimates({label: shares[label] for label in matched}, answers)
    priors |= estimated
    work.notes["priors"] = priors
    told = ", ".join(f"{label} {100 * share:.2f}%" for label, share in priors.items())
    work.log(_("Prior (share of characters): {told}.", told=told))
    return priors


def _shares_by_hand(work: Work, labels: Sequence[str]) -> dict[str, float]:
    """The share of each type in fully annotated texts; missing types are left out."""
    whole = [*work.dev, *(document for document in work.texts if annotated_regions(document) is None)]
    total = sum(len(document.text) for document in whole)
    counts = dict.fromkeys(labels, 0)
    for document in whole:
        for span in document.spans:
            if span.label in counts:
                counts[span.label] += len(span)
    missing = [label for label in labels if not counts[label]]
    if missing:
        names, recall = ", ".join(missing), work.settings.recall
        work.log(
            _(
                "No labelled text has {names}: the prior is what the list matches, divided by {recall:g}.",
                names=names,
                recall=recall,
            )
        )
    return {label: min(count / total, prior.MOST) for label, count in counts.items() if count}


def _shares_annotated(work: Work, labels: Sequence[str]) -> dict[str, float]:
    """The share of each type in annotated regions; without evidence, that of one character."""
    total, counts = 0, Counter[str]()
    for document in (*work.dev, *work.texts):
        regions = annotated_regions(document)
        total += len(document.text) if regions is None else sum(end - start for start, end in regions)
        for span in document.spans:
            counts[span.label] += len(span)
    return {label: min(max(counts[label], 1) / max(total, 2), prior.MOST) for label in labels}


def _held_out_predictions(work: Work) -> dict[str, list[float]]:
    """Probabilities of a labelled-versus-unlabelled classifier at the labels of a held-out fifth of texts.

    A dictionary is not a random sample of the names: its words are memorised, so the estimate is biased
    towards the matched share.
    """
    documents = work.labelled()
    learned = [document for index, document in enumerate(documents) if index % 5]
    apart = [document for index, document in enumerate(documents) if not index % 5 and document.spans]
    title = _("Estimating the prior")
    config = _auxiliary_config(work) | {"risk": "known"}
    tagger = work.rounds.train(Training("prior", title, "pu", config, _as_negative(learned or documents)))
    by_label: dict[str, list[float]] = {}
    answers = character_probabilities(cast(Pu, tagger), apart or documents, work.check)
    for document, answer in zip(apart or documents, answers, strict=True):
        for span in document.spans:
            column = answer[span.start : span.end, work.labels.index(span.label)]
            by_label.setdefault(span.label, []).extend(column.tolist())
    return by_label or {label: [work.settings.recall] for label in work.labels}


def _with_reliable_negatives(work: Work, documents: Sequence[Document]) -> list[Document]:
    """Documents in which text that scores below the spies is annotated as negative (step 1 of two)."""
    words = stopping.choose_words(documents, work.settings.spies, work.seed + 2)
    seen = [without_words(document, words) for document in documents]
    title = _("Hiding spies among unlabelled text")
    config = _auxiliary_config(work) | {"risk": "known"}
    tagger = work.rounds.train(Training("first-step", title, "pu", config, _as_negative(seen)))
    answers = [a.amax(1) for a in character_probabilities(cast(Pu, tagger), documents, work.check)]
    hidden = [
        document.with_spans(span for span in document.spans if span not in kept.spans)
        for document, kept in zip(documents, seen, strict=True)
    ]
    if not any(document.spans for document in hidden):  # too few words to hide any: use the labels
        hidden = list(documents)
    bound = spies.spy_bound(answers, hidden, work.settings.noise)
    labelled = [
        spies.with_negatives(document, spies.reliable_regions(answer, document, bound))
        for document, answer in zip(documents, answers, strict=True)
    ]
    count = sum(end - start for document in labelled for start, end in annotated_regions(document) or ())
    work.notes["reliable_negatives"] = count
    work.log(
        _(
            "{characters} characters score below the spies' bound of {bound:.4f} and count as no entity.",
            characters=count,
            bound=bound,
        )
    )
    return labelled


def _auxiliary_config(work: Work) -> dict[str, Any]:
    """The config of an auxiliary PU tagger."""
    return dict(work.config) if work.tagger == "pu" else dict(SHORT)


def with_tags(config: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Name and config of a sequence tagger with the encoder of a PU tagger.

    For the paper's encoder it is `CRF`, with those options that it shares: widths, vectors, dropout.
    """
    whole = config_from_values(PuConfig, config)
    if whole.over != AUTO:
        return whole.over, dict(whole.encoder_choice.settings)
    names = {item.name for item in config_fields(by_name(CRF).Config)}
    return CRF, {name: value for name, value in config.items() if name in names}


def _as_negative(documents: Sequence[Document]) -> list[Document]:
    """The documents as fully annotated."""
    return [Document(document.id, document.text, document.spans) for document in documents]


def _examples(entries: Sequence[Any]) -> str:
    return ", ".join(entry.word for entry in sorted(entries, key=lambda entry: -entry.frequency)[:5])
