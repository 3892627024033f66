"""What a search tries: defaults first, what suits the texts, and the same again after an interruption."""

from dataclasses import replace

import pytest

from core.learning.search.settings import SearchSettings
from core.learning.search.space import Space
from core.learning.search.study import Study, with_report
from core.learning.search.trials import TAGGERS, Trial, best_so_far, recent_gain
from core.taggers.base.registry import by_name
from core.text import Document, Span
from core.training.fitting import fitting_epochs
from core.training.run.errors import TrainingError
from core.training.settings import TrainingSettings, config_from_values

CHINESE = [Document("a", "林晓今天在青岛工作", (Span(0, 2, "PER"), Span(5, 7, "LOC")))] * 30
ENGLISH = [Document("b", "Anna works in Paris today", (Span(0, 4, "PER"), Span(14, 19, "LOC")))] * 30
NESTED = [Document("c", "青岛大学很大", (Span(0, 4, "ORG"), Span(0, 2, "LOC")))] * 30


def space(documents, base=None, **settings):
    return Space.of(documents, len(documents), SearchSettings(**settings), base or {})


@pytest.mark.parametrize(
    ("documents", "expected"),
    [
        (CHINESE, ("bilstm_crf", "soft_lexicon", "flat")),
        (ENGLISH, ("bilstm_crf", "soft_lexicon", "flat")),
        (NESTED, ("bilstm_crf", "soft_lexicon", "flat", "span")),
    ],
)
def test_the_taggers_are_those_that_suit_the_texts(documents, expected):
    assert space(documents).taggers == expected
    assert space(documents, encoder="some/bert").taggers == (*expected, "bert")


def test_named_taggers_are_tried_whatever_the_texts_are():
    assert space(ENGLISH, taggers="span, bilstm_crf").taggers == ("bilstm_crf", "span")


def test_the_characters_of_words_are_searched_where_words_are_tagged():
    assert all("char_view" in space(ENGLISH).dimensions(name) for name in space(ENGLISH).taggers)
    assert not any("char_view" in space(CHINESE).dimensions(name) for name in space(CHINESE).taggers)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"taggers": "flat,flatt"}, "'flatt'; it can try bilstm_crf"),
        ({"taggers": "flat,flat"}, "named twice"),
        ({"taggers": "bert"}, "only with a pretrained encoder"),
        ({"minutes": 0.0}, "minutes"),
    ],
)
def test_settings_that_do_not_fit_are_refused(given, expected):
    with pytest.raises(TrainingError, match=expected):
        SearchSettings(**given)


@pytest.mark.parametrize("documents", [CHINESE, ENGLISH, NESTED])
def test_every_tagger_is_first_tried_with_its_defaults(documents):
    tried = space(documents)
    study = Study(tried, 1, [])
    for name in tried.taggers:
        trial = study.ask()
        assert (trial.start, trial.tagger, trial.config) == ("default", name, {})
        best = by_name(name).learns_best_with
        assert trial.settings == {"epochs": fitting_epochs(30, best.get("batch_size", 16)), **best}
        study.tell(replace(trial, state="finished", f1=0.5))
    assert study.ask().start == "recipe"


@pytest.mark.parametrize("tagger", TAGGERS)
def test_whatever_is_chosen_is_a_training_that_can_be_asked_for(tagger):
    documents = NESTED if tagger == "span" else CHINESE
    study = Study(space(documents, taggers=tagger, encoder="some/bert"), 1, [])
    chosen = set()
    for _number in range(25):
        trial = study.ask()
        config_from_values(by_name(tagger).Config, trial.config)
        TrainingSettings.from_values(trial.settings)
        chosen.add(str((trial.config, trial.settings)))
        study.tell(replace(trial, state="finished", f1=0.5))
    assert len(chosen) > 15


def test_a_setting_of_every_trial_is_not_searched():
    tried = space(CHINESE, {"learning_rate": 0.004, "epochs": 3})
    study = Study(tried, 1, [])
    for _number in range(12):
        trial = study.ask()
        assert trial.settings["learning_rate"] == 0.004
        assert trial.settings["epochs"] == 3
        study.tell(replace(trial, state="finished", f1=0.5))


def test_the_encoder_under_a_span_tagger_is_asked_for_by_its_own_defaults():
    tried = space(NESTED)
    (recipe,) = [params for name, params in tried.recipes().items() if name == "span"]
    values = {name.removeprefix("span."): value for name, value in recipe.items() if name != "tagger"}
    assert tried.choice("span", values).config == {"over": "soft_lexicon"}
    wider = tried.choice("span", {**values, "under.hidden": 300})
    assert wider.config == {"over": "soft_lexicon", "over_options": "hidden=300"}


def test_a_study_rebuilt_from_its_records_knows_what_was_tried():
    tried, trials = space(CHINESE, taggers="bilstm_crf"), []
    study = Study(tried, 1, [])
    for number in range(6):
        trial = study.ask()
        state = ("finished", "pruned", "failed")[number % 3]
        ended = replace(with_report(trial, 3, 0.1 * number), state=state)
        study.tell(ended)
        trials.append(Trial.from_json(ended.to_json()))
    running = study.ask()
    again = Study(tried, 1, [*trials, running]).ask()
    assert (again.number, again.params) == (6, running.params)
    assert again.settings == running.settings
    assert Study(tried, 1, trials).ask().number == 6


def test_a_trial_below_the_others_is_hopeless_but_a_default_or_a_recipe_never():
    tried = space(CHINESE, taggers="bilstm_crf,flat,soft_lexicon")
    study = Study(tried, 1, [])
    for number in range(6):
        trial = study.ask()
        weak = number in (2, 4)
        told = with_report(trial, 5, 0.01 if weak else 0.7)
        assert not study.is_hopeless(told), trial.start
        study.tell(replace(told, state="finished"))
    trial = study.ask()
    assert not study.is_hopeless(with_report(trial, 1, 0.0)), "too early to tell"
    assert study.is_hopeless(with_report(with_report(trial, 1, 0.0), 5, 0.1))


def test_the_recipes_come_after_the_defaults_that_of_the_best_tagger_first():
    tried, trials = space(NESTED), []
    f1 = {"bilstm_crf": 0.5, "soft_lexicon": 0.6, "flat": 0.4, "span": 0.7}

    def end(study, trial):
        ended = replace(trial, state="finished", f1=f1[trial.tagger])
        study.tell(ended)
        trials.append(ended)

    study = Study(tried, 1, [])
    shares = []
    for _number in range(5):
        trial = study.ask()
        shares.append(study.shares(trial))
        end(study, trial)
    assert (trial.tagger, trial.start) == ("span", "recipe")
    assert shares == [5, 4, 3, 2, 1], "a default leaves time for those after it and for one trial more"
    study = Study(tried, 1, trials)  # as after an interruption
    for tagger in ("soft_lexicon", "bilstm_crf", "flat"):
        trial = study.ask()
        assert (trial.tagger, trial.start) == (tagger, "recipe")
        end(study, trial)
    assert study.ask().start == ""


def test_an_interrupted_recipe_is_one_again():
    tried = space(CHINESE, taggers="bilstm_crf")
    study = Study(tried, 1, [])
    first = replace(study.ask(), state="finished", f1=0.5)
    study.tell(first)
    running = study.ask()
    again = Study(tried, 1, [first, running]).ask()
    assert (again.number, again.start, again.params) == (1, "recipe", running.params)


def test_the_curve_and_the_gain_of_the_second_half():
    trials = [
        Trial(number, "flat", {}, {}, state=state, f1=f1, ended=ended)
        for number, (state, f1, ended) in enumerate(
            [("finished", 0.5, 10), ("pruned", 0.9, 20), ("finished", 0.4, 30), ("finished", 0.75, 90)]
        )
    ]
    assert best_so_far(trials) == [(10, 0.5), (30, 0.5), (90, 0.75)]
    assert recent_gain(trials, 100) == 0.25
    assert recent_gain(trials[:1], 15) is None
