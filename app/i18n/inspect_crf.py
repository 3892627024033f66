"""Strings of the Inspect page's CRF panel."""

STRINGS: dict[str, tuple[str, str]] = {
    "inspect_crf.forbidden": ("forbidden when decoding", "解码时禁止"),
    "inspect_crf.taken": ("taken by the chosen path", "选中的路径所经"),
    "inspect_crf.softmax": (
        "Softmax: no transitions. Every character is decided by its own scores; decoding only keeps tags in "
        "a legal order.",
        "Softmax：没有转移分。每个字只由自己的分数决定，解码时仅保证标签顺序合法。",
    ),
    "inspect_crf.decided": ("What decided", "由什么决定"),
    "inspect_crf.verdict": (
        "{label} {surface} is {gap} ahead of {other}; {share} {term} ({value}).",
        "{label} {surface} 比{other}高 {gap} 分；{share}{term}（{value}）。",
    ),
    "inspect_crf.verdict_behind": (
        "{label} {surface} is {gap} behind {other}; what speaks most against it is {term} ({value}).",
        "{label} {surface} 比{other}低 {gap} 分；最不利的是{term}（{value}）。",
    ),
    "inspect_crf.verdict_sure": (
        "No other reading of these characters is possible.",
        "这些字没有其他可能的读法。",
    ),
    "inspect_crf.most": ("most of it comes from", "主要来自"),
    "inspect_crf.largest": ("what speaks most for it is", "最有利的是"),
    "inspect_crf.no_entity": ("reading no entity there ({tags})", "“此处无实体”的读法（{tags}）"),
    "inspect_crf.reading": ("reading {spans}", "“{spans}”的读法"),
    "inspect_crf.emission": (
        "the emission of {taken} over {other} at {place}",
        "“{place}”处 {taken} 相对 {other} 的发射分",
    ),
    "inspect_crf.transition": (
        "the transition {taken} over {other} at {place}",
        "“{place}”处 {taken} 相对 {other} 的转移分",
    ),
    "inspect_crf.nobody": (
        "The tagger found no entity here, so there is none to ask about. The paths below show what it nearly "
        "said.",
        "标注器在这里没有找到实体，因而无从追问；下面的路径是它差一点给出的答案。",
    ),
    "inspect_crf.decided_how": (
        "The entity in focus against the best path without it: each bar is one score in which the two paths "
        "differ, and all sum to the gap. Bars to the left speak against the entity.",
        "所选实体与不含它的最优路径相比：每根柱是两条路径相差的一项分数，总和即分差。向左的柱不利于该实体。",
    ),
    "inspect_crf.term": ("{place}: {taken}, not {other}", "{place}：{taken}，而非 {other}"),
    "inspect_crf.rest": ("{count} smaller {count:one|ones}", "其余 {count} 项"),
    "inspect_crf.small": ("small ones together", "小项合计"),
    "inspect_crf.for_the_span": ("score for it", "有利分数"),
    "inspect_crf.paths": ("Best paths", "最优的几条路径"),
    "inspect_crf.paths_how": (
        "What the tagger said, and what it would have said next: how far below in score, how likely, and "
        "which entities go (−) or come (+).",
        "标注器的答案，以及接下来最可能的答案：分数低多少、概率多大、少了（−）或多了（+）哪些实体。",
    ),
    "inspect_crf.gap": ("gap", "分差"),
    "inspect_crf.chosen": ("chosen", "选中"),
    "inspect_crf.nothing": ("no entity", "没有实体"),
    "inspect_crf.gained": ("comes", "新增"),
    "inspect_crf.lost": ("goes", "消失"),
    "inspect_crf.same_spans": ("same entities, other tags: {tags}", "实体相同，标签不同：{tags}"),
    "inspect_crf.tables": ("Scores", "分数表"),
    "inspect_crf.matter": ("Only tags that matter here", "只看此处有关的标签"),
    "inspect_crf.matter_info": (
        "Those with a probability of at least 1 % at some character, those on the chosen path, and O.",
        "在某个字上概率不低于 1 % 的标签、选中路径上的标签，以及 O。",
    ),
    "inspect_crf.emissions_how": (
        "Blue speaks for a tag at that character, red against it; rings mark the chosen path. A high "
        "emission is no decision yet.",
        "蓝色支持该字取该标签，红色反对；圆圈是选中的路径。发射分高还不等于被选中。",
    ),
    "inspect_crf.marginals_how": (
        "How likely each tag is at each character, over all paths; each column sums to 1. An entity's own "
        "probability is that of its whole stretch of tags.",
        "综合所有路径，每个字取各标签的概率，每列之和为 1。实体的概率是其整段标签的概率。",
    ),
    "inspect_crf.transitions_how": (
        "Rows: the tag before; columns: the tag after. They are the same for every sentence. Crosses are "
        "steps that decoding forbids whatever their score; click a name in the legend to hide its marks.",
        "行是前一个标签，列是后一个标签；对所有句子都一样。叉号是解码时禁止的转移，无论分数多少；点击图例可"
        "隐藏相应标记。",
    ),
}
