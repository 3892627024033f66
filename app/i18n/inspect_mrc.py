"""Strings of the queries panel of the Inspect page."""

STRINGS: dict[str, tuple[str, str]] = {
    "inspect_mrc.query": ("The query of {label}, to be changed", "{label} 的问题（可修改）"),
    "inspect_mrc.put_back": ("Put the queries back", "恢复原来的问题"),
    "inspect_mrc.choose": (
        "Choose a label above to change how it is asked for.",
        "在上面选一个标签，就能修改它的问法。",
    ),
    "inspect_mrc.hint": (
        "Only this view is asked otherwise; the tagger stays as it is. Training takes a label's description "
        "on the Settings page as its query: if another wording works better here, write it there and train "
        "again.",
        "只有这个视图换了问法，标注器不变。训练时用设置页里标签的说明作为问题：如果换个说法更好，请写到那里再训练。",
    ),
    "inspect_mrc.stage": ("Probabilities", "概率"),
    "inspect_mrc.before": ("as trained", "原来的问法"),
    "inspect_mrc.after": ("asked otherwise", "改后的问法"),
    "inspect_mrc.difference": ("difference", "差值"),
    "inspect_mrc.probability_change": ("change of probability", "概率变化"),
    "inspect_mrc.no_effect": (
        "Asked like this, the same spans with the same confidence.",
        "这样问，实体相同，置信度也相同。",
    ),
}
