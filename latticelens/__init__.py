"""LatticeLens from Python: load a tagger, tag, read and write files, train, open a workspace.

>>> import latticelens as ll
>>> tagger = ll.load(ll.DEMO_TAGGER)
>>> tagger.tag("Marie Curie worked in Paris.").spans

Offsets are code points, the end exclusive. Bad input raises ``LatticeLensError``, whose message says what was
wrong, where, and the way out. Importing this loads no torch; loading a tagger does. docs/python.md shows all.
"""

from core import __version__
from core.text import Document, EntityLink, Label, LabelSet, Span
from latticelens.bulk import tag_dataset
from latticelens.demo import DEMO_CORPUS, DEMO_TAGGER
from latticelens.errors import LatticeLensError
from latticelens.files import ReadResult, Refusal, read, write
from latticelens.run import Run
from latticelens.tagger import Tagger, load
from latticelens.training import resume, train
from latticelens.workspace import Project, Workspace, open_workspace

__all__ = [
    "DEMO_CORPUS",
    "DEMO_TAGGER",
    "Document",
    "EntityLink",
    "Label",
    "LabelSet",
    "LatticeLensError",
    "Project",
    "ReadResult",
    "Refusal",
    "Run",
    "Span",
    "Tagger",
    "Workspace",
    "__version__",
    "load",
    "open_workspace",
    "read",
    "resume",
    "tag_dataset",
    "train",
    "write",
]
