"""The request of a run, stored in ``request.json``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

from core.training.run.errors import TrainingError

Kind = Literal["train", "tag", "curve", "search", "distant", "pretrain", "ensemble"]
KINDS = ("train", "tag", "curve", "search", "distant", "pretrain", "ensemble")
PRETRAINING = ("vectors", "mlm", "bilm")  # models that can be pretrained on raw text
LONGEST_NAME = 60
DEVICES = ("auto", "cpu", "cuda", "mps")


@dataclass(frozen=True, slots=True)
class RunRequest:
    """Everything a worker needs to know besides the snapshot.

    Args:
        kind: ``train`` a tagger; ``tag`` the snapshot's documents with a trained one; train taggers on
            growing parts of the snapshot (``curve``); ``search`` for the best tagger and settings; train one
            from typed words and raw text (``distant``); ``pretrain`` vectors or an encoder on raw text; or
            make an ``ensemble`` of trained taggers.
        tagger: registered name (``train``).
        config: fields of the tagger's Config that differ from its defaults; for ``pretrain``, fields of the
            method's configs (``core.learning.pretraining.pretraining``).
        settings: fields of ``TrainingSettings`` that differ from its defaults; for ``search``, those that
            every trial has.
        device: ``auto``, ``cpu``, ``cuda`` or ``mps``.
        lexicon: ``jieba``, or a file name inside the snapshot that holds the base word list.
        model: model folder to tag with (``tag``).
        models: model folders of the members (``ensemble``).
        predict_all: write predictions for every snapshot document, not only dev and test.
        subjects: what a ``curve`` trains: objects with ``name``, ``tagger``, ``config``, ``settings``.
        shares: of the training documents to train on, each above 0 and at most 1.
        search: fields of ``SearchSettings`` that differ from its defaults (``search``).
        distant: fields of ``DistantSettings`` that differ from its defaults (``distant``).
        teacher: fields of ``DistillationSettings``; empty unless a trained tagger teaches this one
            (``train``).
        self_training: fields of ``SelfTrainingSettings`` (``core.learning.self_training``); empty unless the
            tagger also learns its own predictions on raw text (``train``).
        method, name: what a ``pretrain`` run learns, and the display name of the result; not used in paths.
        cluster: fields of ``core.cluster.options.WorkerGroup``; empty: one process (``train``, ``search``).
        project, parent: the run's project and the run it follows; stored, not used here.

    Raises:
        TrainingError: a value is invalid; names the field.
    """

    kind: Kind = "train"
    tagger: str = "flat"
    config: Mapping[str, Any] = field(default_factory=dict)
    settings: Mapping[str, Any] = field(default_factory=dict)
    device: str = "auto"
    lexicon: str = "jieba"
    model: str | None = None
    models: Sequence[str] = ()
    predict_all: bool = True
    subjects: Sequence[Mapping[str, Any]] = ()
    shares: Sequence[float] = ()
    search: Mapping[str, Any] = field(default_factory=dict)
    distant: Mapping[str, Any] = field(default_factory=dict)
    teacher: Mapping[str, Any] = field(default_factory=dict)
    self_training: Mapping[str, Any] = field(default_factory=dict)
    method: str = ""
    name: str = ""
    cluster: Mapping[str, Any] = field(default_factory=dict)
    project: str | int | None = None
    parent: str | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise TrainingError(
                "request.json: kind must be one of {kinds}, got {kind}", kinds=KINDS, kind=repr(self.kind)
            )
        if self.device not in DEVICES:
            raise TrainingError(
                "request.json: device must be one of {devices}, got {device}",
                devices=DEVICES,
                device=repr(self.device),
            )
        if self.kind == "tag" and not self.model:
            raise TrainingError("request.json: a tag run needs the folder of a trained model under 'model'")
        if self.kind == "ensemble" and not (
            self.models and all(isinstance(each, str) for each in self.models)
        ):
            raise TrainingError(
                "request.json: an ensemble needs the folders of trained models under 'models'"
            )
        if self.kind == "curve":
            self._check_curve()
        if self.kind == "pretrain":
            self._check_pretraining()
        for name in ("config", "settings", "search", "distant", "teacher", "self_training", "cluster"):
            if not isinstance(getattr(self, name), Mapping):
                raise TrainingError(
                    "request.json: {name} must be an object of field names and values", name=name
                )
        if "/" in self.lexicon or "\\" in self.lexicon or self.lexicon in ("", ".", ".."):
            raise TrainingError(
                "request.json: lexicon must be 'jieba' or a file name inside the snapshot, got {lexicon}",
                lexicon=repr(self.lexicon),
            )

    def _check_curve(self) -> None:
        for name in ("subjects", "shares"):
            if not isinstance(getattr(self, name), (list, tuple)):
                raise TrainingError("request.json: {name} must be a list", name=name)
        names = [subject.get("name") if isinstance(subject, Mapping) else None for subject in self.subjects]
        if not names or not all(isinstance(name, str) and name for name in names):
            raise TrainingError("request.json: a curve needs subjects, objects with a name and a tagger")
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise TrainingError(
                "request.json: two subjects of the curve are called {twice}", twice=repr(twice)
            )
        if not self.shares or not all(
            isinstance(share, (int, float)) and 0 < share <= 1 for share in self.shares
        ):
            raise TrainingError("request.json: a curve needs shares above 0 and at most 1")

    def _check_pretraining(self) -> None:
        if self.method not in PRETRAINING:
            raise TrainingError(
                "request.json: method must be one of {methods}, got {method}",
                methods=PRETRAINING,
                method=repr(self.method),
            )
        check_name(self.name)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON values under the field names."""
        return {
            **asdict(self),
            "config": dict(self.config),
            "settings": dict(self.settings),
            "search": dict(self.search),
            "distant": dict(self.distant),
            "teacher": dict(self.teacher),
            "self_training": dict(self.self_training),
            "cluster": dict(self.cluster),
        }

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> RunRequest:
        """Parse the output of ``to_json`` of any version: unknown fields are ignored."""
        names = {item.name for item in fields(cls)}
        given = {name: item for name, item in value.items() if name in names}
        lists = {name: tuple(item) for name, item in given.items() if isinstance(item, list)}
        return cls(**{**given, **lists})


def check_name(name: object) -> str:
    """The name a person gives to a result, stripped.

    Raises:
        TrainingError: it is not a string, empty, too long, or contains invisible characters.
    """
    told = name.strip() if isinstance(name, str) else ""
    if not told or len(told) > LONGEST_NAME or not told.isprintable():
        raise TrainingError(
            "the name must be one line of 1 to {longest} visible characters, got {name}",
            longest=LONGEST_NAME,
            name=repr(str(name)[:80]),
        )
    return told
