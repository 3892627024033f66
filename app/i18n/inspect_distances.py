"""Strings of the panel of relative distances."""

STRINGS: dict[str, tuple[str, str]] = {
    "inspect_distances.show": ("Show", "显示"),
    "inspect_distances.all": ("all distances", "全部距离"),
    "inspect_distances.fused": ("fused encodings R (norms)", "融合后的编码 R（范数）"),
    "inspect_distances.sinusoids": ("sinusoids p(d)", "正弦编码 p(d)"),
    "inspect_distances.dimension": (
        "dimension k (left half sines, right half cosines)",
        "维度 k（左半为正弦，右半为余弦）",
    ),
    "inspect_distances.distance": ("distance d, characters", "距离 d（字符）"),
    "inspect_distances.how.distance": (
        "Red: the node of the row stands before that of the column; blue: after it. Characters come "
        "first, then words in order of their heads.",
        "红色：行上的节点在列上的节点之前；蓝色：在其后。先是字，再是按头排列的词。",
    ),
    "inspect_distances.how.fused": (
        "The length of R = ReLU(W p(d) + b), the learned encoding of each pair, one for all layers. A long "
        "one can move attention more; whether it does hangs on the query, so read the attention beside it.",
        "R = ReLU(W p(d) + b) 的长度，即每对节点学到的编码，各层共用。长的更能影响注意力，"
        "是否影响还取决于查询，请对照注意力来看。",
    ),
    "inspect_distances.how.sinusoids": (
        "A row is what stands for one distance before anything is learned: quick waves on the left of each "
        "half tell neighbours apart, slow ones on its right tell near from far.",
        "每一行是一个距离在学习之前的表示：每一半中左边的快波区分相邻位置，右边的慢波区分远近。",
    ),
}
