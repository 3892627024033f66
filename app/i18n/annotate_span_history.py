"""Strings of the history of one span on the Annotate page."""

STRINGS: dict[str, tuple[str, str]] = {
    "annotate_span_history.title": ("History of {surface} ({label})", "{surface}（{label}）的历史"),
    "annotate_span_history.empty": (
        "Nothing is recorded of this span yet: it is made, and not saved.",
        "还没有记录：该片段刚刚标出，尚未保存。",
    ),
    "annotate_span_history.imported": ("came with the import", "随导入而来"),
    "annotate_span_history.created": ("labelled it", "标注"),
    "annotate_span_history.distant": ("labelled it with the dictionary", "用词典标注"),
    "annotate_span_history.suggested": ("let the dictionary suggest it", "由词典提出建议"),
    "annotate_span_history.listed": ("put the word on the word list", "将该词加入词表"),
    "annotate_span_history.batch": (
        "batch {batch} of dictionary labels, by version {version} of the word list",
        "词典标注第 {batch} 批，依据词表第 {version} 版",
    ),
    "annotate_span_history.word_from": (
        "the word came with change {change} of the word list: {list}",
        "该词来自词表的第 {change} 次改动：{list}",
    ),
    "annotate_span_history.word": (
        "the word came with change {change} of the word list",
        "该词来自词表的第 {change} 次改动",
    ),
    "annotate_span_history.accepted": ("accepted the suggestion", "接受建议"),
    "annotate_span_history.moved": ("moved a boundary", "调整边界"),
    "annotate_span_history.relabelled": ("changed the label", "改标签"),
    "annotate_span_history.removed": ("took it away", "删除"),
    "annotate_span_history.brought_back": ("brought it back", "恢复"),
    "annotate_span_history.commented": ("commented", "评论"),
    "annotate_span_history.reviewed": ("decided in review", "审阅决定"),
    "annotate_span_history.said": ("{run} says here: {span}", "{run} 在此处的预测：{span}"),
    "annotate_span_history.said_nothing": ("{run} says nothing here", "{run} 在此处没有预测"),
}
