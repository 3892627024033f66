"""A browser in words, from what it calls itself."""

from __future__ import annotations

from app.i18n import Message, _

NAMED = {"Mobile Safari": "Safari", "Chrome Mobile": "Chrome", "Firefox Mobile": "Firefox"}


def browser_name(agent: str) -> Message:
    """Such as “Firefox on Linux”; whoever sends it may have made it up."""
    from ua_parser import parse  # reads its list of browsers when first asked

    found = parse(agent[:300]) if agent else None
    browser = found.user_agent.family if found and found.user_agent else ""
    system = found.os.family if found and found.os else ""
    browser = NAMED.get(browser, browser)
    if not browser:
        return _("unknown browser")
    if not system:
        return Message("{browser}", values={"browser": browser})
    return _("{browser} on {system}", browser=browser, system=system)
