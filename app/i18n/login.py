"""What the login page says beside Gradio's own words."""

STRINGS: dict[str, tuple[str, str]] = {
    "login.wait": (
        "Too many wrong passwords. Wait {seconds} s before the next try; an earlier one is not looked at.",
        "密码错误次数过多，请等待 {seconds} 秒后再试；提前提交不予受理。",
    ),
}
