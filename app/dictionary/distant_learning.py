"""Train a tagger on a project's typed words and raw documents."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Literal

from app.services.errors import AppError
from app.services.named_files import checked_files
from app.services.session import Session
from core.learning.distant import TypedWords, distant_labels
from core.lexicon import Entry
from core.store.annotation import judged_documents
from core.store.document import raw_documents
from core.store.label import labels
from core.store.project import projects
from core.store.run import runs, snapshot
from core.store.run.runs import Run
from core.store.suggest import distant
from core.training.run.errors import TrainingError
from core.training.run.run_folder import RunFolder
from core.training.run.run_request import RunRequest

KIND: Literal["distant"] = "distant"
Lacking = Literal["no_words", "no_raw", "no_match_at_all"]
TAGGER = "pu"
OWN_TAGS = "partial_crf"  # the method that trains a tagger of characters
MOST_READ = 500  # raw documents counted for the page; the run counts all of them
# Chosen on a few hundred raw sentences; more text takes the same settings, and may need fewer epochs.
EPOCHS, SETTINGS = 15, {"learning_rate": 0.003, "batch_size": 16}
CONFIG = {"hidden": 100}  # of the default encoder
AUTO = "auto"  # its name; the constant of the taggers would load torch


@dataclass(frozen=True, slots=True)
class TypeRow:
    """One type of the word list.

    Args:
        words: number in the list. places: matches in the texts read. found: distinct matched words.
        share: of characters under matches. prior: share of characters of the type, or None if unknown. given:
            whether the prior was given by a person.
    """

    name: str
    words: int
    places: int
    found: int
    share: float
    prior: float | None
    given: bool


@dataclass(frozen=True, slots=True)
class Preview:
    """Training data of the run. Args:
    raw: number of raw documents. read: how many of them were counted. begun: neither raw nor done.
        judged: fully or partially annotated. skipped: words with two types, which give no label.
    """

    raw: int
    begun: int
    read: int
    judged: int
    skipped: int
    rows: tuple[TypeRow, ...]

    @property
    def lacking(self) -> Lacking | None:
        """What is missing to start a run, or None.

        Words that were not found count only where every text was read.
        """
        if not self.rows:
            return "no_words"
        if not self.raw and not self.begun:
            return "no_raw"
        everything = self.read == self.raw and not self.judged and not self.begun
        return "no_match_at_all" if everything and not any(row.places for row in self.rows) else None


def preview(session: Session, prior: str = "", recall: float = 0.5) -> Preview:
    """The training data of a run, counted in the first raw documents.

    Raises:
        ConfigError: the prior does not read as shares between 0 and 1, or of something that is neither a type
            nor a label. It loads torch to know that.
    """
    workspace, project_id = session.workspace, session.project_id
    entries, _ = distant.typed_entries(workspace, project_id)
    words = TypedWords(
        Entry(typed_word.word, typed_word.frequency, typed_word.type) for typed_word in entries
    )
    counts = Counter(entry.type for entry in entries)
    types = sorted({*counts, *labels.get(workspace, project_id).names})
    given = _priors(prior, types)
    places, characters = Counter[str](), Counter[str]()
    surfaces: dict[str, set[str]] = {}
    read = total = 0
    for _, document in islice(raw_documents.each(workspace, project_id), MOST_READ):
        read, total = read + 1, total + len(document.text)
        for span in distant_labels(document, words).spans:
            places[span.label] += 1
            characters[span.label] += len(span)
            surfaces.setdefault(span.label, set()).add(document.text[span.start : span.end])
    rows = []
    for name in sorted(counts):
        share = characters[name] / total if total else 0.0
        prior_of_type = given.get(name, given.get(""))
        prior_of = (
            prior_of_type if prior_of_type is not None else (min(share / recall, 0.9) if share else None)
        )
        rows.append(
            TypeRow(
                name,
                counts[name],
                places[name],
                len(surfaces.get(name, ())),
                share,
                prior_of,
                prior_of_type is not None,
            )
        )
    return Preview(
        raw_documents.count(workspace, project_id),
        raw_documents.count_begun(workspace, project_id),
        read,
        judged_documents.count(workspace, project_id)[0],
        len(words.conflicts),
        tuple(rows),
    )


def start(session: Session, values: Mapping[str, Any], epochs: int, over: str = AUTO) -> Run:
    """Write words and texts into a new run and queue it; word types become labels of the project.

    The run is called after its method, such as ``partial_crf-0001``.

    Args:
        values: fields of ``DistantSettings``. over: the tagger whose encoder reads the text; `AUTO` for a
            small one.

    Raises:
        AppError: no word has a type, there is no text that is not done, or the demo is full or would fetch a
            model.
        ConfigError: there is no such tagger, or no type of which a share is given. TrainingError: a value
            does not fit. DiskFullError: no room for the snapshot.
    """
    from core.learning.pu.corpus import write_typed_words
    from core.learning.pu.settings import DistantSettings
    from core.training.settings import TrainingSettings

    workbench, workspace, project_id = session.workbench, session.workspace, session.project_id
    how = DistantSettings.from_values(values)
    tagger, config = _tagger_of(session, how.method, over)
    settings = {**SETTINGS, "epochs": epochs}
    TrainingSettings.from_values(settings)
    workbench.check_room()
    entries, _ = distant.typed_entries(workspace, project_id)
    if not entries:
        raise AppError(
            "No word of this project has a type yet. Add words with types under “Words”, or import a list."
        )
    if not raw_documents.count(workspace, project_id) and not raw_documents.count_begun(
        workspace, project_id
    ):
        raise AppError("There is no unlabelled text left to learn from: import texts on the Data page.")
    label_set = labels.get(workspace, project_id)
    wanted = label_set.extended(sorted({entry.type for entry in entries}))
    _priors(how.prior, wanted.names)
    if wanted != label_set:
        labels.put(workspace, project_id, wanted)
    parent = projects.get(workspace, project_id).active_run
    run = runs.create(workspace, project_id, tagger, parent=parent, called=how.method)
    try:
        snapshot.write(workspace, project_id, run.folder)
        folder = RunFolder(run.folder)
        write_typed_words(
            folder.snapshot,
            (Entry(typed_word.word, typed_word.frequency, typed_word.type) for typed_word in entries),
        )
        folder.write_request(
            RunRequest(
                kind=KIND,
                tagger=tagger,
                config=config,
                settings=settings,
                distant=dict(values),
                project=project_id,
                parent=parent,
            )
        )
        workbench.jobs.submit(run.name)
    except Exception:
        runs.set_status(workspace, run.name, "failed")
        raise
    return run


def _tagger_of(session: Session, method: str, over: str) -> tuple[str, dict[str, Any]]:
    """The run's tagger and config: PU, or for a partial CRF a tagger of characters over the same encoder.

    Raises:
        ConfigError: there is no such tagger. AppError: a demo visitor would fetch a model.
    """
    from core.learning.pu.methods import with_tags
    from core.taggers.pu.config import PuConfig
    from core.training.settings import config_from_values

    config = dict(CONFIG) if over == AUTO else {"over": over}
    whole = config_from_values(PuConfig, config)
    config = checked_files(session.workbench, session.project_id, config, whole, *whole.inner_configs())
    return with_tags(config) if method == OWN_TAGS else (TAGGER, config)


def latest(session: Session) -> Run | None:
    """The project's latest run from a word list, or None."""
    for run in sorted(runs.all_runs(session.workspace, session.project_id), key=lambda run: -run.created):
        try:
            if RunFolder(run.folder).read_request().kind == KIND:
                return run
        except TrainingError:  # a registered model has no request
            continue
    return None


def _priors(prior: str, types: Collection[str]) -> dict[str, float]:
    if not prior.strip():
        return {}
    from core.taggers.pu.priors import check_types, read_priors

    given = read_priors(prior)
    check_types(given, types)
    return given
