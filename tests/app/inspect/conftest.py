"""The Inspect page over a real store and a real, tiny FLAT."""

from types import SimpleNamespace

import pytest
import torch

from app.inspect import page as inspect_page
from app.inspect.panel import outputs_of
from app.services.background.tasks import Tasks
from app.services.loaded_taggers import LoadedTaggers
from app.services.session import Session
from core.lexicon import Lexicon
from core.store.db.workspace import Workspace
from core.store.document import documents
from core.store.label import labels
from core.store.project import projects
from core.store.run import runs
from core.taggers.base.tagger import Resources
from core.taggers.flat.tagger import Flat, FlatConfig
from core.text import Document, LabelSet, Span
from tests.workspaces import new_workspace

TEXT = "陈禾在岭南市工作"


# What the page itself fills besides its panels.
OWN = ("notice", "board", "how", "view", "links", "at_document", "at_sentence", "at_span")


@pytest.fixture(scope="session")
def flat_folder(tmp_path_factory):
    """The model folder of a FLAT that learned one sentence by heart."""
    torch.manual_seed(5)
    config = FlatConfig(
        layers=2, hidden=16, heads=2, ffn=16, char_dim=8, bigram_dim=0, word_dim=8, embedding_dropout=0.0
    )
    gold = [Document("1", TEXT, (Span(3, 6, "LOC"),))]
    flat = Flat.build(config, ["LOC"], Resources(gold, Lexicon(["岭南", "岭南市", "工作"])))
    optimiser = torch.optim.AdamW(flat.parameters(), lr=0.02)
    flat.train()
    for _ in range(40):
        optimiser.zero_grad()
        flat.loss(flat.collate(gold)).backward()
        optimiser.step()
    folder = tmp_path_factory.mktemp("model")
    flat.save(folder)
    return folder


@pytest.fixture
def session(tmp_path, flat_folder):
    """A session on a project with one document and the FLAT above as ``flat-0001``, active."""
    with Workspace.open(new_workspace(tmp_path / "workspace")) as workspace:
        project = projects.create(workspace, "news")
        labels.put(workspace, project.id, LabelSet().extended(["LOC"]))
        documents.add(workspace, project.id, [Document("a", TEXT)])
        runs.register(workspace, project.id, "flat-0001", "flat", flat_folder, {})
        projects.set_active(workspace, project.id, "flat-0001")
        device = SimpleNamespace(wait=lambda: None)
        workbench = SimpleNamespace(
            workspace=workspace, taggers=LoadedTaggers(workspace, device), tasks=Tasks()
        )
        yield Session("token", "me", workbench, project.id)
        workbench.tasks.close()


@pytest.fixture(scope="module")
def page(frame):
    """The page's components."""
    return inspect_page.layout(frame)


@pytest.fixture
def look(session, page):
    """Look at a sentence; gives what each panel shows by ``NAME``, its visibility as ``group``.

    Panels read what their components were built with.
    """

    def at(sentence=TEXT, document=None):
        given = [component.value for _, view in page.panels for component in view.choices]
        answers = inspect_page.look_at(session, page.panels, "flat-0001", sentence, document, *given)
        found = {name: answers.pop(name) for name in OWN}
        assert answers.keys() <= outputs_of(page.panels).keys()
        for panel, _ in page.panels:
            inside = f"{panel.NAME}."
            found[panel.NAME] = {"group": answers[panel.NAME]} | {
                name.removeprefix(inside): value for name, value in answers.items() if name.startswith(inside)
            }
        return found

    return at
