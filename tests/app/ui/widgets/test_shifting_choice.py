"""A choice made from the list before is no error."""

import gradio as gr
import pytest

from app.ui.widgets.shifting_choice import ShiftingDropdown, ShiftingRadio


@pytest.mark.parametrize(("kind", "plain"), [(ShiftingRadio, gr.Radio), (ShiftingDropdown, gr.Dropdown)])
def test_a_value_of_an_earlier_list_arrives(kind, plain):
    with pytest.raises(gr.Error):
        plain(choices=["words"], value="words").preprocess("entities")
    assert kind(choices=["words"], value="words").preprocess("entities") == "entities"


@pytest.mark.parametrize(("kind", "plain"), [(ShiftingRadio, gr.Radio), (ShiftingDropdown, gr.Dropdown)])
def test_the_browser_draws_it_as_gradio_does(kind, plain):
    assert kind(choices=["a"]).get_block_name() == plain(choices=["a"]).get_block_name()
