"""A site of nothing but the app's ES modules, for a page that tries one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.ui.widgets.page_code import modules

if TYPE_CHECKING:
    from playwright.sync_api import Page


def open_modules(page: Page, site: str) -> None:
    """Open an empty page of ``site``, whose addresses are those of the modules."""
    served = {site + name: source for name, source in modules().items()}
    page.route(
        f"{site}**",
        lambda route: route.fulfill(
            body=served.get(route.request.url, b"<!doctype html>"),
            content_type="text/javascript" if route.request.url in served else "text/html",
        ),
    )
    page.goto(site)
