"""Strings of the Tag page."""

STRINGS: dict[str, tuple[str, str]] = {
    "tag.purpose": (
        "Let the tagger read texts: pasted ones, a file, or documents of this project.",
        "让标注器读文本：粘贴的文本、文件，或本项目的文档。",
    ),
    "tag.empty": (
        "This project has no tagger yet. Train one, and it can read for you.",
        "这个项目还没有标注器。训练一个后就能自动标注。",
    ),
    "tag.to_train": ("Go to Train", "去训练"),
    "tag.run": ("Tagger", "标注器"),
    "tag.text": ("Text", "文本"),
    "tag.text_hint": ("Paste text here, one document a line", "在此粘贴文本，每行一篇"),
    "tag.file": ("Or a file", "或文件"),
    "tag.go": ("Tag", "预测"),
    "tag.documents": ("Documents of this project", "本项目的文档"),
    "tag.which": ("Which", "哪些"),
    "tag.which.missing": ("not asked yet", "还没问过的"),
    "tag.which.all": ("all", "全部"),
    "tag.which_how": (
        "The answers appear as suggestions on the Annotate page, and order its queue.",
        "结果会作为建议出现在标注页，并用于队列排序。",
    ),
    "tag.go_documents": ("Tag these documents", "预测这些文档"),
    "tag.cancel": ("Stop", "停止"),
    "tag.tagging": ("{done} of {total} {total:document|documents}", "第 {done} / {total} 篇"),
    "tag.tagged_documents": (
        "{run} has answered {count} {count:document|documents}. {count:It is|They are} on the Annotate "
        "page as suggestions.",
        "{run} 已预测 {count} 篇文档，可在标注页查看建议。",
    ),
    "tag.none_missing": ("{run} has answered every document already.", "{run} 已预测过全部文档。"),
    "tag.stopped": ("Stopped. What was answered is kept.", "已停止，已得到的结果保留。"),
    "tag.result": ("Result", "结果"),
    "tag.found": (
        "{spans} {spans:span|spans} in {documents} {documents:document|documents}, by {run}.",
        "{run} 在 {documents} 篇文档中找到 {spans} 个实体。",
    ),
    "tag.shown": (
        "The first {shown} of {documents} {documents:document is|documents are} drawn; the file has all.",
        "只画出前 {shown} 篇（共 {documents} 篇），文件包含全部。",
    ),
    "tag.beginning": (
        "The first {shown} of {length} {length:character|characters} are drawn; the file has all.",
        "只画出前 {shown} 字（共 {length} 字），文件包含全部。",
    ),
    "tag.column.document": ("document", "文档"),
    "tag.column.surface": ("text", "文本"),
    "tag.column.label": ("label", "标签"),
    "tag.column.start": ("from", "起"),
    "tag.column.end": ("to", "止"),
    "tag.column.score": ("confidence", "置信度"),
    "tag.format": ("Download as", "下载格式"),
    "tag.write": ("Write the file", "生成文件"),
    "tag.your_file": ("Your file", "生成的文件"),
    "tag.annotate": ("Annotate these", "标注这些"),
    "tag.added": (
        "{added} {added:document is|documents are} in the project now; {added:its|their} spans are "
        "suggestions to be confirmed.",
        "{added} 篇文档已加入项目，实体作为建议等待确认。",
    ),
    "tag.error.nothing": ("Paste some text or choose a file first.", "请先粘贴文本或选择文件。"),
    "tag.error.no_result": ("Tag something first.", "请先预测。"),
}
