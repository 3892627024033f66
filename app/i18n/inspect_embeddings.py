"""Strings of the Embeddings tab of the Inspect page."""

STRINGS: dict[str, tuple[str, str]] = {
    "inspect_embeddings.how": (
        "Each point is a span (the mean of its characters' states) or a character; what lies together looks "
        "alike to that layer. Two axes hold little of some hundred, so a tidy picture is no score.",
        "每个点是一个实体（各字状态的平均）或一个字；挨在一起的，在这一层看来相似。两条轴只装得下几百维中的"
        "一小部分，图好看不等于分数高。",
    ),
    "inspect_embeddings.unit": ("Points", "点"),
    "inspect_embeddings.unit.span": ("spans", "实体"),
    "inspect_embeddings.unit.character": ("characters", "字符"),
    "inspect_embeddings.layer": ("Layer", "层"),
    "inspect_embeddings.parts": ("Labelled documents in", "已标注的文档，用途为"),
    "inspect_embeddings.part.train": ("train, or none", "训练或未定"),
    "inspect_embeddings.part.dev": ("dev", "开发"),
    "inspect_embeddings.part.test": ("test", "测试"),
    "inspect_embeddings.method": ("Projection", "投影"),
    "inspect_embeddings.method.pca": ("PCA (exact)", "PCA（精确）"),
    "inspect_embeddings.method.tsne": ("t-SNE (neighbours)", "t-SNE（近邻）"),
    "inspect_embeddings.colour": ("Colour by", "颜色表示"),
    "inspect_embeddings.colour.label": ("label", "标签"),
    "inspect_embeddings.colour.error": ("right or wrong", "对错"),
    "inspect_embeddings.other": ("Beside it", "并排比较"),
    "inspect_embeddings.other_none": ("no other run", "不比较"),
    "inspect_embeddings.draw": ("Draw the points", "画出这些点"),
    "inspect_embeddings.answering": ("Tagging documents", "正在标注文档"),
    "inspect_embeddings.reading": ("Reading states", "正在读取状态"),
    "inspect_embeddings.projecting": ("Projecting", "正在投影"),
    "inspect_embeddings.no_states": (
        "{run} looks words up in a list and has no hidden states. Choose a run above that was trained.",
        "{run} 只查词表，没有隐藏状态。请在上方选择一个训练得到的运行。",
    ),
    "inspect_embeddings.no_parts": ("Choose at least one kind of documents.", "请至少选择一种文档。"),
    "inspect_embeddings.too_few": (
        "Only {count} {count:point is|points are} here, and a picture needs three. Choose more documents, "
        "or label some on the Annotate page.",
        "这里只有 {count} 个点，至少要三个才能画图。请多选一些文档，或到标注页标一些。",
    ),
    "inspect_embeddings.gone": (
        "This picture is not on the screen any more. Draw the points again.",
        "这张图已不在屏幕上，请重新画。",
    ),
    "inspect_embeddings.note": (
        "{points} {points:point|points} of {documents} {documents:document|documents}.",
        "{documents} 篇文档中的 {points} 个点。",
    ),
    "inspect_embeddings.note_documents": (
        "That is a sample: there are {all} {all:document|documents}.",
        "这是抽样：共有 {all} 篇文档。",
    ),
    "inspect_embeddings.note_points": (
        "{all} {all:point was|points were} found and {points} of them are drawn, chosen at random.",
        "共有 {all} 个点，随机画出其中 {points} 个。",
    ),
    "inspect_embeddings.note_tsne": (
        "t-SNE keeps neighbours together: how far two clusters lie apart, and how large they are, means "
        "little.",
        "t-SNE 只保证近邻相邻：两团之间的距离和团的大小没有多少意义。",
    ),
    "inspect_embeddings.note_other": (
        "Each run has a space and axes of its own: compare which points lie together, not where they lie.",
        "两个运行各有各的空间和坐标轴：请比较哪些点聚在一起，不要比较点的位置。",
    ),
    "inspect_embeddings.axis.1": (
        "first component, {share} % of the variance",
        "第一主成分，占方差 {share} %",
    ),
    "inspect_embeddings.axis.2": (
        "second component, {share} % of the variance",
        "第二主成分，占方差 {share} %",
    ),
    "inspect_embeddings.axis.none": ("no unit", "无单位"),
    "inspect_embeddings.outside": ("no entity", "非实体"),
    "inspect_embeddings.kind.correct": ("right", "正确"),
    "inspect_embeddings.kind.label": ("wrong label", "标签错"),
    "inspect_embeddings.kind.boundary": ("wrong boundary", "边界错"),
    "inspect_embeddings.kind.both": ("wrong label and boundary", "标签和边界都错"),
    "inspect_embeddings.kind.missed": ("missed", "漏标"),
    "inspect_embeddings.kind.spurious": ("spurious", "多标"),
    "inspect_embeddings.click": (
        "Click a point to read its sentence here.",
        "点一个点，这里会显示它所在的句子。",
    ),
    "inspect_embeddings.said": (
        "people: {gold} · {run}: {predicted}",
        "人工：{gold} · {run}：{predicted}",
    ),
    "inspect_embeddings.marks": (
        "Solid: what people say. Dashed: what the run said.",
        "实线：人工所标；虚线：运行所标。",
    ),
    "inspect_embeddings.open": ("Open in Annotate", "到标注页打开"),
    "inspect_embeddings.state.embeddings": ("embeddings", "嵌入"),
    "inspect_embeddings.state.encoder": ("encoder layer {number}", "编码器第 {number} 层"),
    "inspect_embeddings.state.encoder_0": ("encoder embeddings", "编码器嵌入层"),
    "inspect_embeddings.state.mixed": ("encoder layers, mixed", "编码器各层混合"),
    "inspect_embeddings.state.layer": ("layer {number}", "第 {number} 层"),
    "inspect_embeddings.state.context": ("context", "上下文层"),
    "inspect_embeddings.state.context_2": ("second context", "第二上下文层"),
    "inspect_embeddings.state.output": ("output", "输出层"),
}
