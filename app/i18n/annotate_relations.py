"""Strings of relations between spans on the Annotate page."""

STRINGS: dict[str, tuple[str, str]] = {
    "annotate_relations.title": ("Relations", "关系"),
    "annotate_relations.count": ("{count} {count:relation|relations} (read only)", "{count} 个关系（只读）"),
    "annotate_relations.here": (
        "{count} {count:relation|relations}, {here} on the screen (read only)",
        "共 {count} 个关系，屏幕上 {here} 个（只读）",
    ),
    "annotate_relations.more": (
        "{count} more. Choose a span to see those that touch it.",
        "另有 {count} 个。选中一个片段即可查看与它有关的关系。",
    ),
    "annotate_relations.go": ("Go to this span", "转到该片段"),
    "annotate_relations.fallen": ("no {label} here", "此处无 {label}"),
    "annotate_relations.fallen_hint": (
        "This end is not a span of the document now. The relation is kept, and stands again once this place "
        "is marked as {label}; formats that need both ends leave it out. Press to go to the place.",
        "关系的这一端现在不是文档中的片段。关系仍会保留，把此处重新标为 {label} 后即恢复；"
        "要求两端都存在的导出格式会略去它。点击转到此处。",
    ),
    "annotate_relations.mark": (
        "{told}; {count} {count:relation|relations}: {list}",
        "{told}；{count} 个关系：{list}",
    ),
    "annotate_relations.and": ("; ", "；"),
}
