"""Margins that are known before a figure is drawn, and the template that lets them be."""

import plotly.graph_objects as go
import pytest

from app.ui.figures.axes import AXIS_TITLE, node_axis, reading_range, snug, upright_axis
from app.ui.figures.template import TEMPLATE, styled


def margins(down, across, title=""):
    figure = go.Figure(go.Heatmap(z=[[0.0]]))
    figure.update_yaxes(**node_axis(down, title))
    figure.update_xaxes(**upright_axis(across, title))
    return snug(styled(figure)).layout


def test_the_left_margin_holds_the_widest_name_and_the_lower_one_the_longest_column():
    layout = margins(["林", "B-ORG"], ["林", "白石湖"])
    assert layout.margin.l >= 5 * 7
    assert layout.margin.b >= 3 * 15
    wider = margins(["林", "白石湖大学附属医院"], ["林"])
    lower = margins(["林"], ["林", "白石湖大学"])
    assert wider.margin.l - layout.margin.l >= 9 * 12 - 5 * 8
    assert lower.margin.b - layout.margin.b >= 2 * 15


def test_a_title_has_room_of_its_own_and_an_entity_is_one_character():
    plain, titled = margins(["<"], ["林"]), margins(["<"], ["林"], "tag")
    assert titled.margin.l == plain.margin.l + AXIS_TITLE
    assert titled.margin.b == plain.margin.b + AXIS_TITLE
    assert plain.margin.l == margins(["x"], ["林"]).margin.l


def test_plotly_measures_no_axis_whose_names_stand_upright():
    layout = margins(["林"], ["林"])
    assert (layout.xaxis.automargin, layout.yaxis.automargin) == (False, False)


def test_names_that_plotly_turns_are_left_to_it():
    layout = margins(["林"], ["the", "lake", "side"])
    assert layout.xaxis.tickangle is None
    assert layout.xaxis.automargin is None
    assert layout.margin.b is None


def test_no_names_at_all_have_margins_too():
    layout = margins([], [])
    assert layout.margin.l > 0
    assert layout.margin.b > 0


def test_every_figure_has_the_projects_template_and_keeps_what_it_sets_itself():
    figure = go.Figure(go.Bar(y=[1]), layout={"margin": {"l": 3}, "template": "plotly_dark"})
    assert styled(figure, height=222).layout.template == TEMPLATE
    assert (figure.layout.height, figure.layout.margin.l) == (222, 3)
    assert go.Figure().layout.template == TEMPLATE


@pytest.mark.parametrize("axis", ["xaxis", "yaxis"])
def test_names_of_ticks_are_not_measured_one_by_one(axis):
    assert TEMPLATE.layout[axis].ticklabeloverflow == "allow"


def test_the_axis_of_a_sentence_runs_as_the_sentence_does():
    assert reading_range(["Lin", "left"]) == [-0.5, 1.5]
    assert reading_range(["12", "דוד", "IBM"]) == [2.5, -0.5]
    assert reading_range([]) == [-0.5, 0.5]
