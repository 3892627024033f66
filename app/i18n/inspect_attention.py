"""Strings of the attention panel of the Inspect page."""

STRINGS: dict[str, tuple[str, str]] = {
    "inspect_attention.neuron_view": ("BertViz neuron view", "BertViz 神经元视图"),
    "inspect_attention.units": ("Rows and columns", "行与列"),
    "inspect_attention.pieces": ("word pieces", "子词"),
    "inspect_attention.nodes": ("characters and words", "字与词"),
    "inspect_attention.characters": ("characters", "字符"),
    "inspect_attention.words": ("words", "词"),
    "inspect_attention.spans": ("entities", "实体"),
    "inspect_attention.special": ("with special pieces", "含特殊子词"),
    "inspect_attention.special_how": (
        "Without [CLS], a query and the like a row sums to what is paid to the text.",
        "不含 [CLS]、问题等时，一行之和是给正文的部分。",
    ),
    "inspect_attention.query": ("Read behind the query of", "读的是哪个标签的问题"),
    "inspect_attention.target_query": ("the query of {label}", "{label} 的问题"),
    "inspect_attention.strongest_query": (
        "Layer {layer}, head {head} pays the query {share} of the attention of the text.",
        "第 {layer} 层的头 {head} 把正文的注意力的 {share} 给了问题。",
    ),
    "inspect_attention.behind": ("{picture}; query: {label}", "{picture}；问题：{label}"),
    "inspect_attention.rollout": ("rollout", "注意力展开（rollout）"),
    "inspect_attention.units_how": (
        "To a unit: the sum over its parts; from a unit: their mean. Rollout follows attention from the "
        "chosen layer down to the input, half of every step staying in place (Abnar and Zuidema 2020); in "
        "the last layer of FLAT only characters ask.",
        "指向一个单位：各部分之和；出自一个单位：各部分的平均。展开从所选的层一直追溯到输入，"
        "每一步有一半留在原处（Abnar 与 Zuidema 2020）；FLAT 的最后一层只有字在提问。",
    ),
    "inspect_attention.thumbnails": (
        "All heads: click one to enlarge it. Each has its own scale, so compare shapes, not brightness.",
        "全部注意力头：点一个即可放大。每幅图各用自己的色阶，只比形状，不比亮度。",
    ),
    "inspect_attention.chosen": ("layer {layer}, {head}", "第 {layer} 层，{head}"),
    "inspect_attention.chosen_weight": ("weights of layer {layer}, {head}", "第 {layer} 层的权重，{head}"),
    "inspect_attention.head_number": ("head {head}", "头 {head}"),
    "inspect_attention.neuron_how": (
        "Layer {layer}. Point at a piece on the left, then click its + to see query × key unit by unit: blue "
        "is positive, orange negative. The sum over the units, through a softmax, is the attention.",
        "第 {layer} 层。指向左边的子词，再点它的 +，逐个神经元地看 查询 × 键：蓝为正，橙为负；"
        "各神经元之和经过 softmax 就是注意力。",
    ),
    "inspect_attention.too_many": (
        "This sentence has {count} {count:unit|units} and this view draws up to {most}; here is the "
        "heatmap instead.",
        "这句话有 {count} 个单位，该 BertViz 视图最多画 {most} 个；这里改用热图。",
    ),
    "inspect_attention.heads": ("Heads side by side", "各头对照"),
    "inspect_attention.heads_how": (
        "One number for every head; click a cell to see the head above. A head that looks at a word is no "
        "proof that the word is used: drop it and see.",
        "每个头一个数；点一格可在上面看那个头。某个头看着一个词，并不证明用到了它：去掉这个词试试。",
    ),
    "inspect_attention.measure": ("Colour by", "按什么着色"),
    "inspect_attention.measure.target": ("looks at …", "看向……"),
    "inspect_attention.measure.entropy": ("entropy", "熵"),
    "inspect_attention.measure.relative": ("share of the largest entropy", "占最大熵的比例"),
    "inspect_attention.measure.distance": ("distance", "距离"),
    "inspect_attention.target": ("Word, entity or query", "词、实体或问题"),
    "inspect_attention.target_word": ("{surface}, word {start}–{end}", "{surface}，词 {start}–{end}"),
    "inspect_attention.target_span": ("{surface}, {label} {start}–{end}", "{surface}，{label} {start}–{end}"),
    "inspect_attention.axis_layer": ("layer", "层"),
    "inspect_attention.axis_head": ("head", "注意力头"),
    "inspect_attention.axis_share": ("share of attention", "注意力份额"),
    "inspect_attention.axis_entropy": ("entropy, bits", "熵（比特）"),
    "inspect_attention.axis_relative": ("entropy / largest", "熵 / 最大熵"),
    "inspect_attention.axis_distance": ("distance, characters", "距离（字符）"),
    "inspect_attention.strongest_word": (
        "Layer {layer}, head {head} gives the word {surface} {share} of the attention of its characters.",
        "第 {layer} 层的头 {head} 把“{surface}”这几个字的注意力的 {share} 给了这个词。",
    ),
    "inspect_attention.strongest_span": (
        "Layer {layer}, head {head} keeps {share} of the attention of {surface} inside the entity.",
        "第 {layer} 层的头 {head} 把“{surface}”的注意力的 {share} 留在实体之内。",
    ),
    "inspect_attention.then": ("Then: {heads}.", "其次：{heads}。"),
    "inspect_attention.head_share": (
        "layer {layer}, head {head} ({share})",
        "第 {layer} 层的头 {head}（{share}）",
    ),
    "inspect_attention.even": (
        "A head that looked everywhere alike would give {share}.",
        "若一视同仁地看所有位置，会是 {share}。",
    ),
    "inspect_attention.nothing_read": (
        "The tagger's first window does not reach there.",
        "标注器的第一个窗口没有读到这里。",
    ),
    "inspect_attention.entropy_words": (
        "Narrowest: layer {layer}, head {head} ({low} bits); widest: layer {far_layer}, head {far_head} "
        "({high} bits). Looking everywhere alike would be {most} bits.",
        "最集中：第 {layer} 层的头 {head}（{low} 比特）；最分散：第 {far_layer} 层的头 {far_head}"
        "（{high} 比特）。一视同仁是 {most} 比特。",
    ),
    "inspect_attention.distance_words": (
        "Nearest: layer {layer}, head {head} ({low} {low:character|characters} away); furthest: layer "
        "{far_layer}, head {far_head} ({high}). Special pieces stand nowhere and do not count.",
        "最近：第 {layer} 层的头 {head}（{low} 个字符）；最远：第 {far_layer} 层的头 {far_head}（"
        "{high}）。特殊子词没有位置，不计在内。",
    ),
}
