"""What a page of another web site is told."""

STRINGS: dict[str, tuple[str, str]] = {
    "same_origin.host": (
        "This LatticeLens listens on its own machine only and is not called “{name}”. If you reach it "
        "through a proxy that calls it so, start it with --allow-host NAME.",
        "这个 LatticeLens 只供本机访问，“{name}”不是它的名称。如果你是通过使用该名称的代理访问，请在启动时"
        "加上 --allow-host 名称。",
    ),
    "same_origin.origin": (
        "Another web site (“{name}”) asked LatticeLens for something in your name and was refused. If that "
        "is the address you use yourself, start it with --allow-host NAME.",
        "另一个网站（“{name}”）试图以你的身份访问 LatticeLens，已被拒绝。如果那就是你自己使用的地址，请在启"
        "动时加上 --allow-host 名称。",
    ),
}
