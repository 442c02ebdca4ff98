"""Accessibility: axe, contrast, sizes of targets, names, focus, forced colours."""

import io

from PIL import Image, ImageStat

from browser import enlarge, escape, ids, open_calendar, open_first, search, settle, tile


def views(page):
    """Opens each view, and yields its name while it is shown."""
    settle(page)
    yield "grid"
    open_first(page, 2)
    settle(page)
    yield "details"
    page.keyboard.press("?")
    settle(page)
    yield "keys"
    escape(page)
    enlarge(page)
    page.keyboard.press("s")
    page.locator(".overlay .copy").click()
    settle(page)
    yield "overlay"
    page.keyboard.press("Escape")
    settle(page)
    page.keyboard.press("Escape")
    settle(page)
    for kind in ("video", "missing"):
        tile(page, ids(page, f".{kind}")[0]).click()
        settle(page)
        yield kind
        page.keyboard.press("Escape")
        settle(page)
    open_calendar(page)
    yield "calendar"
    page.keyboard.press("Escape")
    search(page, "a")
    yield "search"
    search(page, "qqqxyzzy")
    yield "empty search"


# Links within a line of text may be smaller (WCAG 2.2, 2.5.8).
SMALL = """[...document.querySelectorAll('a[href], button, input, select')]
    .filter(e => e.checkVisibility() && !e.closest('[inert]') && !e.closest('p:not(.links)') && !e.matches('.skip'))
    .map(e => [e.className || e.textContent, e.getBoundingClientRect()])
    .filter(([, r]) => r.width < 24 || r.height < 24).map(([name, r]) => [name, r.width, r.height])"""

NAMELESS = """[...document.querySelectorAll('a[href], button, input, select, [role=dialog], dialog')]
    .filter(e => e.checkVisibility() && !e.closest('[inert]') && !e.ariaLabel?.trim() && !e.textContent.trim()
        && !e.labels?.length && !e.querySelector('img[alt]:not([alt=""])')).map(e => e.outerHTML.slice(0, 90))"""


def check(b, page, *view):
    found = b.violations(page)
    assert not found, (view, found)


def test_axe_finds_no_violations_and_controls_have_names_and_24_pixels(b):
    for scheme, width in (("light", 320), ("dark", 1280), ("light", 1280), ("dark", 320)):
        options = dict(width=width, height=850, color_scheme=scheme, reduced_motion="reduce")
        with b.page(faults=False, **options) as page:
            for view in views(page):
                assert not page.evaluate(SMALL), (width, view, page.evaluate(SMALL))
                assert not page.evaluate(NAMELESS), (width, view, page.evaluate(NAMELESS))
                check(b, page, view, scheme, width)
    for path in b.pages()[1:3] + ["pages/index.html"]:
        with b.page(path, faults=False) as page:
            assert not page.evaluate(SMALL), (path, page.evaluate(SMALL))
            check(b, page, path)


def test_captions_have_contrast_on_a_white_picture(b):
    """axe ignores text on pictures. Measures the brightest pixel behind a caption on a white picture."""
    with b.page(reduced_motion="reduce") as page:
        page.evaluate("""document.querySelectorAll('.tile img, .tile canvas, .hero img').forEach(i => i.remove());
            document.querySelectorAll('.tile a, .hero a').forEach(a => a.style.background = '#fff');
            document.querySelectorAll('.caption').forEach(c => c.style.color = 'transparent')""")
        for selector in (".hero .title", ".hero time", ".tile:not(.missing) .title", ".tile:not(.missing) time"):
            element = page.locator(selector).first
            element.scroll_into_view_if_needed()
            element.hover(force=True)
            settle(page)
            grey = Image.open(io.BytesIO(element.screenshot())).convert("L").getextrema()[1] / 255
            light = grey / 12.92 if grey <= 0.04045 else ((grey + 0.055) / 1.055) ** 2.4
            assert 1.05 / (light + 0.05) >= 4.5, (selector, 1.05 / (light + 0.05))


def test_every_control_has_a_visible_focus(b):
    with b.page() as page:
        settle(page)
        reached = set()
        for _ in range(40):
            page.keyboard.press("Tab")
            reached.add(page.evaluate("document.activeElement.className || document.activeElement.hash"))
            # The focused element must have a visible focus indicator.
            assert page.evaluate(
                """(() => {
                const { outlineStyle, boxShadow } = getComputedStyle(document.activeElement);
                const after = getComputedStyle(document.activeElement, '::after');
                return document.activeElement === document.body || outlineStyle !== 'none' || boxShadow !== 'none'
                    || after.borderStyle === 'solid';
            })()"""
            ), page.evaluate("document.activeElement.outerHTML.slice(0, 200)")
        assert {"skip", "open-calendar", "months"} <= reached and len(reached) > 20, reached


def test_text_and_icons_are_visible_with_forced_colours(b):
    with b.page(forced_colors="active", color_scheme="dark", reduced_motion="reduce", faults=False) as page:
        for view in views(page):
            check(b, page, view, "forced colours")
            icons = {"details": ".viewer .shut", "overlay": ".overlay .plus", "calendar": ".calendar .back"}
            if view in icons:
                shot = Image.open(io.BytesIO(page.locator(icons[view]).first.screenshot())).convert("L")
                middle = shot.crop((8, 8, shot.width - 8, shot.height - 8))
                assert ImageStat.Stat(middle).stddev[0] > 8, f"{view}: the icon is not visible"
            if view == "calendar":
                look = "[...document.querySelectorAll('.calendar td a')].map(a => getComputedStyle(a).%s)"
                links = page.evaluate("[...document.querySelectorAll('.calendar td a')].map(a => !!a.href)")
                colours = page.evaluate(look % "color")
                of = {is_link: {c for c, l in zip(colours, links) if l == is_link} for is_link in (True, False)}
                assert not of[True] & of[False], "days with and without pictures have the same colour"
