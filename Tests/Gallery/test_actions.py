"""Actions on a picture: link, share, download, full screen, random pictures, the same day in other years, keys."""

import json
import re

from browser import enlarge, escape, is_open, open_first, open_overlay, order, pictured, settle, shown, wait
from browser import wait_for_slide

CLIPBOARD = """window.copied = [];
Object.defineProperty(navigator, 'clipboard', { value: %s });
addEventListener('copy', e => copied.push(e.clipboardData.getData('text/plain')));"""
CLIPBOARDS = [
    "{ writeText: async text => { copied.push(text); } }",
    "undefined",  # a page from http:
    "{ writeText: () => Promise.reject(new Error('denied')) }",
]
# Most of these tests do not depend on the server, so the runs with file: and http: each test some of the cases.

# The message in a box that nothing covers.
MESSAGE = """(() => {
    const box = document.querySelector('.seen'), { left, right, top, bottom } = box?.getBoundingClientRect() || {};
    const seen = box && left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight && bottom - top > 24
        && document.elementFromPoint((left + right) / 2, (top + bottom) / 2) === box && box.role === 'status';
    return seen && box.textContent;
})()"""


def wait_for_message(page, words):
    wait(page, f"{MESSAGE} === {json.dumps(words)}", f"no message: {words}")


def control(page, name, view):
    return page.locator(f"{view} .actions .{name}")


def test_copied_link_is_the_page_of_the_picture_else_its_address(b):
    for clipboard in CLIPBOARDS[b.is_served :: 2]:
        with b.page(init=CLIPBOARD % clipboard) as page:
            id = open_first(page, 3)
            own = page.evaluate("document.querySelector('.details.shown .own').href")
            assert own.endswith(f"{id[:4]}/{id[5:]}.html"), own
            for wanted in (own, page.url):
                for view in (".details.shown", ".overlay"):
                    if view == ".overlay":
                        enlarge(page)
                    page.evaluate("document.querySelectorAll('.seen').forEach(e => e.classList.remove('seen'))")
                    control(page, "copy", view).click()
                    wait_for_message(page, "Link copied")
                    assert page.evaluate("copied.splice(0)") == [wanted], (clipboard, view)
                escape(page)
                page.evaluate("document.querySelector('.details.shown .own')?.remove()")
            assert page.url.endswith("#" + id)


def test_a_link_that_cannot_be_copied_is_announced(b):
    with b.page(init=CLIPBOARD % "undefined" + "document.execCommand = () => false;") as page:
        open_first(page)
        control(page, "copy", ".details.shown").click()
        wait_for_message(page, "The link cannot be copied.")
        # The next text that the reader copies is not replaced.
        page.evaluate("{ delete document.execCommand; document.execCommand('copy'); }")
        assert page.evaluate("copied") == [""], page.evaluate("copied")


SHARE = "Navigator.prototype.share = data => { window.shared = data; return %s; };"


def test_share_is_offered_only_if_the_browser_can_share(b):
    with b.page(init="delete Navigator.prototype.share") as page:
        open_overlay(page)
        assert not page.locator(".share").count()
    for result, message in (
        ("Promise.resolve()", None),
        ("Promise.reject(new DOMException('', 'AbortError'))", None),
        ("Promise.reject(new TypeError())", "The link cannot be shared."),
    ):
        with b.page(init=SHARE % result) as page:
            open_first(page, 3)
            if not b.is_served:  # links to file:// cannot be shared
                assert not page.locator(".share").count()
                continue
            wanted = page.evaluate(
                """(({ textContent }, { href }) => ({ title: textContent, url: href }))(
                document.querySelector('.details.shown h2'), document.querySelector('.details.shown .own'))"""
            )
            for view in (".details.shown", ".overlay"):
                if view == ".overlay":
                    enlarge(page)
                page.evaluate("shared = null")
                control(page, "share", view).click()
                assert page.evaluate("shared") == wanted
                if message:
                    wait_for_message(page, message)
                else:
                    assert not page.evaluate(MESSAGE)


def test_original_of_the_gallery_is_downloaded(b):
    paths = {record["gallery"]["id"]: record.get("variants", {}).get("original", {}).get("path") for record in b.records()}
    with b.page() as page:
        first, second = [id for id in pictured(page) if paths[id]][3:5]
        page.evaluate(f"location.hash = '{first}'")
        wait_for_slide(page, first)
        for view, id in ((".details.shown", first), (".overlay", first), (".overlay", second)):
            if view == ".overlay" and id == first:
                enlarge(page)
            if id == second:
                page.keyboard.press("ArrowRight")
                wait_for_slide(page, id)
            if not b.is_served:  # browsers open files of a disk instead
                link = control(page, "save", view)
                assert link.evaluate("a => a.href").endswith(paths[id]) and link.get_attribute("download") is None
                assert link.get_attribute("aria-label") == "Original"
                continue
            with page.expect_download() as download:
                control(page, "save", view).click()
            name = download.value.suggested_filename
            assert name == f"{id}.{paths[id].rsplit('.')[-1]}", name
            assert open(download.value.path(), "rb").read() == (b.site / paths[id]).read_bytes()
            assert shown(page) == id


def test_original_on_another_site_is_a_link(b):
    kinds = set()
    with b.page(gallery="hostile") as page:
        videos = [id for id in order(page) if page.locator(f"[id='{id}'] .links", has_text="Watch the video").count()]
        for slide in order(page)[:3] + videos[:3]:
            page.evaluate(f"location.hash = '{slide}'")
            wait_for_slide(page, slide)
            source = page.locator(".details.shown .links a", has_text="The picture at its source")
            link = control(page, "save", ".details.shown")
            kinds.add(source.count())
            assert link.is_visible() == bool(source.count())
            if source.count():
                assert link.get_attribute("href") == source.get_attribute("href")
                assert link.get_attribute("download") is None and "noreferrer" in link.get_attribute("rel")
                assert link.text_content() == "Original"
    assert kinds == {0, 1}, kinds


IS_FULL = "document.fullscreenElement === document.documentElement"


def test_full_screen_is_entered_and_left_by_key_and_button(b):
    with b.page() as page:
        open_first(page, 2)
        for view in ("details", "overlay"):
            if view == "overlay":
                enlarge(page)
            ways = [lambda: page.keyboard.press("f")]
            if view == "overlay":
                ways.append(lambda: page.locator(".overlay .full").click())
            for way in ways:
                for full in (True, False):
                    way()
                    wait(page, f"({IS_FULL}) === {json.dumps(full)}", (view, full))
                    settle(page)
                    if view == "overlay":
                        name = page.get_attribute(".overlay .full", "aria-label")
                        assert name == ("Leave full screen" if full else "Full screen"), name
                        middle = page.evaluate("document.elementFromPoint(innerWidth / 2, innerHeight / 2).className")
                        assert middle.startswith("frame"), "the overlay is covered"
                    assert is_open(page)


def test_escape_closes_only_the_topmost_layer(b):
    layers = f"""[!!(document.querySelector('.keys')?.open), {IS_FULL},
        !!document.querySelector('.overlay')?.open, document.querySelector('.viewer').classList.contains('open')]"""
    with b.page() as page:
        open_first(page, 2)
        enlarge(page)
        page.keyboard.press("f")
        wait(page, IS_FULL)
        page.keyboard.press("?")
        settle(page)
        wanted = [True] * 4
        for layer in range(4):
            assert page.evaluate(layers) == wanted, (layer, page.evaluate(layers))
            # A browser with a window also leaves the full screen when Escape closes the list of keys.
            escape(page)
            if layer == 0 and page.evaluate(IS_FULL) is False:
                wanted[1] = False
            wanted[layer] = False
        assert page.evaluate(layers) == wanted


def test_without_full_screen_there_is_no_button_and_no_key(b):
    init = """Object.defineProperty(Document.prototype, 'fullscreenEnabled', { value: false });
        Element.prototype.requestFullscreen = () => { window.wasAsked = true; return Promise.resolve(); };"""
    with b.page(init=init) as page:
        open_overlay(page)
        page.keyboard.press("f")
        page.keyboard.press("?")
        assert not page.locator(".full").count() and not page.evaluate("window.wasAsked")
        assert page.locator(".keys dt", has_text=re.compile("^f$")).count() == 0


DAYS = """{ const real = galleryData;
    window.galleryData = (name, value) => real(name, name === 'days' ? %s : value);
    0; }"""


def set_days(page, days):
    """Replaces the days that the page loads."""
    page.evaluate(DAYS % json.dumps(days))


def test_random_picture_is_any_other_day_of_the_gallery(b):
    days = b.data("days")
    dates = [f"{month}-{d:02}" for month in days for d in range(1, 32) if days[month] >> d - 1 & 1]
    for chance in (0, 0.3, 0.6, 0.9999)[b.is_served :: 2]:
        with b.page(init=f"Math.random = () => {chance}") as page:
            page.click(".random")
            wanted = dates[int(chance * len(dates))]
            wait(page, f"document.querySelector('.details.shown')?.id.startsWith('{wanted}')", (chance, wanted))
    # `r` never repeats the picture that is shown.
    with b.page(init="Math.random = () => 0") as page:
        set_days(page, {"2024-03": 1 << 7 | 1 << 8})
        page.click(".random")
        for day in ("2024-03-08", "2024-03-09", "2024-03-08"):
            wait_for_slide(page, day)
            page.keyboard.press("r")
        escape(page)
        assert page.evaluate("document.activeElement.hash") == "#2024-03-09"


def test_random_picture_without_dates_comes_from_the_page_if_it_has_any(b):
    with b.page("pages/undated.html", init="Math.random = () => .99") as page:
        set_days(page, {})
        page.click(".random")
        wait_for_slide(page, order(page)[-1])
    with b.page("pages/index.html") as page:
        set_days(page, {})
        page.click(".random")
        wait_for_message(page, "There is no other picture.")
        page.click(".open-calendar")
        wait_for_message(page, "No picture has a date.")


def test_on_this_day_lists_the_other_years(b):
    with b.page() as page:
        page.evaluate("location.hash = '2024-03-06'")
        wait_for_slide(page, "2024-03-06")
        control(page, "same-day", ".details.shown").click()
        wait(page, "document.querySelector('.calendar')?.open")
        assert page.locator(".others").text_content() == "6 March in other years: 2021"
        assert page.locator(".calendar .status").text_content() == "6 March in other years: 2021"
        link = page.locator(".others a")
        assert link.get_attribute("aria-label") == "6 March 2021"
        link.click()
        wait_for_slide(page, "2021-03-06")
        assert "/pages/2021-03.html" in page.url
        # The calendar shows the day in other years, too.
        escape(page)
        page.click(".open-calendar")
        wait(page, "document.querySelector('.others')?.textContent === '6 March in other years: 2024'")


def test_on_this_day_reports_that_other_years_have_no_picture(b):
    with b.page() as page:
        set_days(page, {"2024-03": 1 << 8 | 1 << 5, "2023-03": 1 << 5, "2023-04": 1 << 8})
        page.evaluate("location.hash = '2024-03-09'")
        wait_for_slide(page, "2024-03-09")
        control(page, "same-day", ".details.shown").click()
        wait(page, "document.querySelector('.calendar')?.open")
        for selector in (".others", ".calendar .status"):
            assert page.locator(selector).text_content() == "No picture on 9 March in other years."
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
        assert page.locator(".others").text_content() == "6 March in other years: 2023"
    with b.page("pages/undated.html") as page:
        open_first(page)
        assert control(page, "copy", ".details.shown").count() and not page.locator(".details.shown .same-day").count()


def test_question_mark_lists_the_keys(b):
    documented = (b.docs / "gallery.md").read_text(encoding="utf-8")
    with b.page() as page:
        open_first(page, 2)
        for layer in ("details", "overlay"):
            if layer == "overlay":
                enlarge(page)
            page.keyboard.press("?")
            wait(page, "document.querySelector('.keys')?.open", layer)
            keys = " ".join(page.locator(".keys dt").all_text_contents()).replace("−", "-").split()
            assert {"f", "s", "r", "?"} <= set(keys), keys
            assert all(f"`{key}`" in documented for key in keys), [k for k in keys if f"`{k}`" not in documented]
            escape(page)
            assert not page.evaluate("document.querySelector('.keys').open") and is_open(page)
            assert page.evaluate("!!document.querySelector('.overlay')?.open") == (layer == "overlay")


HELD = "document.activeElement !== document.body && document.activeElement.checkVisibility()"


def test_focus_never_falls_to_the_body(b):
    """Each step presses a key or clicks the element of a selector, which makes the focused control disappear."""
    many = ["+"] * 14
    cases = [
        ["Enter", ".overlay .plus"] + [".overlay .plus"] * 9,
        ["Enter", ".overlay .plus", ".overlay .minus", ".overlay .minus"],
        ["Enter", ".overlay .back", *many],
        ["Enter", "s", ".overlay .player", ".overlay .full", ".overlay .full"],
        ["Enter", "?", "Escape", "Escape"],
        [".details.shown .list-keys", "Escape"],
        [".details.shown .same-day", "Escape"],
        [".viewer .back", ".viewer .back", ".viewer .back"],
        ["r", "Escape"],
    ]
    for case in cases[b.is_served :: 2]:
        with b.page(reduced_motion="reduce", init="Math.random = () => 0") as page:
            open_first(page, 2)
            page.locator(".details.shown .enlarge").focus()
            for step in case:
                if not step.startswith("."):
                    page.keyboard.press(step)
                elif page.locator(step).is_visible() and page.locator(step).is_enabled():
                    page.locator(step).click()
                page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
                wait(page, HELD, (case, step))


def test_closing_details_that_the_calendar_opened_focuses_a_picture(b):
    with b.page() as page:
        page.click(".open-calendar")
        page.locator(".calendar td a[href='#2024-03-08']").click()
        wait_for_slide(page, "2024-03-08")
        escape(page)
        assert page.evaluate("document.activeElement.hash") == "#2024-03-08"


OVERLAPS = """(view => {
    const boxes = [...document.querySelectorAll(`${view} .tools > *, .overlay[open] .actions > *`)]
        .filter(e => e.checkVisibility()).map(e => [e.className, e.getBoundingClientRect()]);
    const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
    return [boxes.length, boxes.flatMap(([name, a], i) => [
        ...a.left < 0 || a.top < 0 || a.right > innerWidth || a.bottom > innerHeight || a.width < 24 || a.height < 24
            ? [`${name} leaves the window`] : [],
        ...boxes.slice(i + 1).filter(([, b]) => meet(a, b)).map(([other]) => `${name} covers ${other}`)])];
})('%s')"""
TWICE = """{ const sheet = new CSSStyleSheet();
    sheet.replaceSync('html { font-size: 200% }');
    document.adoptedStyleSheets = [sheet]; }"""


def test_buttons_neither_overlap_nor_leave_the_window(b):
    # Only the run with http: has the button to share.
    text = 200 if b.is_served else 100
    for width, height in ((320, 640), (360, 740), (844, 390), (1440, 900)):
        with b.page(width=width, height=height, init=SHARE % "Promise.resolve()", reduced_motion="reduce") as page:
            if text == 200:
                page.evaluate(TWICE)
            open_first(page, 2)
            settle(page)
            for view, least in ((".viewer", 4), (".overlay[open]", 9 + b.is_served)):
                if "overlay" in view:
                    page.locator(".details.shown .enlarge").focus()
                    page.keyboard.press("Enter")
                    settle(page)
                count, faults = page.evaluate(OVERLAPS % view)
                assert count >= least and not faults, (width, text, view, count, faults)
