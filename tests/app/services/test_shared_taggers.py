"""Visitors who use one model at once: its weights are in memory once, all else is each one's own."""

import gc
import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest

from app.services.limits.turns import Turns
from app.services.loaded_taggers import LoadedTaggers
from app.services.shared_taggers import SharedTaggers
from core.lexicon import Lexicon
from core.store.db.workspace import Workspace
from core.store.project import projects
from core.store.run import runs
from core.taggers.base.tagger import ModelFolderError
from core.taggers.base.tagging import tag
from core.text import Document
from tests.store.by_hand import add_words
from tests.taggers.small_taggers import WITH_TEXT, learned_tagger
from tests.workspaces import new_workspace

CPU = SimpleNamespace(wait=lambda: SimpleNamespace(name="cpu"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("flat")
    learned_tagger("flat").save(made)
    return made


@pytest.fixture
def shared():
    return SharedTaggers()


@pytest.fixture
def visitors(tmp_path, folder, shared):
    """The taggers of two visitors, each with a workspace, and the project in each."""
    turns, made = Turns(2), []
    workspaces = [Workspace.open(new_workspace(tmp_path / name)) for name in ("lin", "ana")]
    for workspace in workspaces:
        project = projects.create(workspace, "news").id
        runs.register(workspace, project, "flat-0001", "flat", folder, {})
        projects.set_active(workspace, project, "flat-0001")
        made.append((LoadedTaggers(workspace, CPU, turns, shared.load), workspace, project))
    yield made
    for workspace in workspaces:
        workspace.close()


def tensors_of(tagger):
    return {parameter.data_ptr() for parameter in tagger.parameters()}


def test_one_visitors_words_and_hooks_never_reach_another_who_tags_meanwhile(visitors, shared, folder):
    (first, workspace, project), (second, _, other) = visitors
    text = WITH_TEXT[0]
    alone = learned_tagger("flat")
    expected = tag(alone, [text])
    add_words(workspace, project, {text.text[:4]: "LOC"}, user="lin")
    inside, go_on, seen = threading.Event(), threading.Event(), []

    def look():
        """Slowly: with another lexicon, a hook that spoils every state, and parameters without gradients."""
        with first.tagger(project) as tagger:
            assert text.text[:4] in tagger.lexicon
            tagger.lexicon = Lexicon()
            tagger.requires_grad_(False)
            hooks = [
                module.register_forward_hook(lambda _module, _given, made: made * 0)
                for name, module in tagger.named_modules()
                if name.endswith("emission")
            ]
            assert hooks
            inside.set()
            assert go_on.wait(60)
            seen.append(tag(tagger, [text]))
            for hook in hooks:
                hook.remove()
            return tensors_of(tagger)

    with ThreadPoolExecutor(1) as threads:
        looking = threads.submit(look)
        try:
            assert inside.wait(60)
            with second.tagger(other) as tagger:  # at once: the slow look goes on
                assert not looking.done()
                assert text.text[:4] not in tagger.lexicon
                assert all(parameter.requires_grad for parameter in tagger.parameters())
                assert tag(tagger, [text]) == expected
                mine = tensors_of(tagger)
        finally:
            go_on.set()
        assert looking.result(timeout=60) == mine
    assert seen != [expected]
    assert shared.loads == 1


def test_a_model_goes_with_its_last_user_and_a_changed_one_is_loaded_again(shared, folder, tmp_path):
    first, second = shared.load(folder, "cpu"), shared.load(folder, None)
    assert shared.loads == 2  # a device each
    del first, second
    gc.collect()
    assert not shared._originals
    learned_tagger("flat").save(tmp_path / "flat")
    one = shared.load(tmp_path / "flat", None)
    (tmp_path / "flat" / "config.json").touch()
    assert tensors_of(shared.load(tmp_path / "flat", None)).isdisjoint(tensors_of(one))


def test_of_many_who_come_at_once_one_loads(shared, folder):
    with ThreadPoolExecutor(6) as threads:
        made = list(threads.map(lambda _: shared.load(folder, None), range(6)))
    assert shared.loads == 1
    assert len({frozenset(tensors_of(tagger)) for tagger in made}) == 1
    assert len({id(tagger) for tagger in made}) == 6


def test_a_folder_that_cannot_be_loaded_says_so_each_time_and_is_tried_again(shared, folder, tmp_path):
    for _ in range(2):
        with pytest.raises(ModelFolderError, match="gone"):
            shared.load(tmp_path / "gone", None)
    learned_tagger("flat").save(tmp_path / "gone")
    assert shared.load(tmp_path / "gone", None).labels == learned_tagger("flat").labels
    assert tag(shared.load(tmp_path / "gone", None), [Document("x", "")])[0].spans == ()
