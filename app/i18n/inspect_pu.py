"""Strings of the panel of answers by type."""

STRINGS: dict[str, tuple[str, str]] = {
    "inspect_pu.decision": (
        "A character is of the likeliest type above {bound} %. Prior (the share of all characters that "
        "training was told to expect): {priors}. Taught with a lower prior it would tend to answer lower "
        "everywhere.",
        "某字取概率最高且超过 {bound}% 的类型。先验（训练时设定的占全部字的比例）：{priors}。"
        "若训练时先验设得更低，各处的概率一般都会更低。",
    ),
    "inspect_pu.chosen": ("chosen", "选定"),
}
