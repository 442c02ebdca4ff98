"""The start page: a large picture, a grid, placeholders, themes, print."""

import io
import re

from PIL import Image, ImageStat

from browser import enlarge, open_calendar, open_first, settle, wait
from screen import image


def test_start_page_has_a_large_newest_picture_and_a_grid(b):
    with b.page() as page:
        newest = max(r["date"] for r in b.records() if "date" in r and "variants" in r)
        assert page.evaluate("document.querySelector('.hero a').hash.slice(1)") == newest
        assert page.locator(".tile").count() == 23
        size = page.locator(".hero a").bounding_box()
        assert size["width"] > 1000 and size["height"] > 300, size
        # The data of calendar and search is not loaded before its first use.
        assert not [url for url in page.requested if "/data/" in url], page.requested


ROWS = """Object.values(Object.groupBy([...document.querySelectorAll('.tile')].map(tile => {
    const { top, right, height, width } = tile.getBoundingClientRect();
    return { top: Math.round(top), right, height, width };
}), tile => tile.top))"""

ROW_HEIGHT = """(() => {
    const probe = document.createElement('div');
    probe.className = 'probe';
    document.body.append(probe);
    probe.style.height = 'var(--row)';
    return probe.offsetHeight;
})()"""


def test_rows_are_justified_and_the_last_row_is_not_stretched(b):
    for width in (320, 768, 1280, 2560):
        with b.page(width=width, height=900) as page:
            rows = page.evaluate(ROWS)
            edge = page.evaluate("document.querySelector('.grid ul').getBoundingClientRect().right")
            row = page.evaluate(ROW_HEIGHT)
            for tiles in rows:
                heights = [t["height"] for t in tiles]
                assert max(heights) - min(heights) < 1.5, (width, heights)
            full = sum(abs(tiles[-1]["right"] - edge) < 1.5 for tiles in rows[:-1])
            assert full >= 0.8 * (len(rows) - 1), (width, full, len(rows))
            assert rows[-1][0]["height"] < 1.2 * row + 2, (width, rows[-1], row)


SHIFTS = """window.shifts = 0;
new PerformanceObserver(list => list.getEntries().forEach(entry => { shifts += entry.value; }))
    .observe({ type: 'layout-shift', buffered: true });"""


def test_scrolling_causes_no_layout_shift(b):
    for width in (390, 1280):
        with b.page(width=width, init=SHIFTS) as page:
            for _ in range(6):
                page.evaluate("scrollBy(0, 900)")
                settle(page)
            assert page.evaluate("shifts") < 0.005, page.evaluate("shifts")


CANVAS = """(() => {
    const canvas = document.querySelector('.tile canvas'), { width, height } = canvas;
    const data = canvas.getContext('2d').getImageData(0, 0, width, height).data, mean = [0, 0, 0];
    for (let i = 0; i < data.length; i++) if (i % 4 < 3) mean[i % 4] += data[i] / data.length * 4;
    return { mean, colours: new Set(data).size, src: canvas.parentElement.querySelector('img').getAttribute('src'),
        off: Math.abs(canvas.offsetWidth - canvas.parentElement.offsetWidth) };
})()"""


def test_placeholders_are_shown_until_lazy_pictures_load(b):
    # Pictures are held back, so the page shows the ThumbHash.
    with b.held("/pictures/") as (page, asked):
        wait(page, "document.querySelectorAll('.tile canvas').length > 1")
        canvas = page.evaluate(CANVAS)
        assert canvas["colours"] > 2 and canvas["off"] < 2, canvas
        real = ImageStat.Stat(Image.open(b.site / canvas["src"]).convert("RGB")).mean
        assert max(abs(m - r) for m, r in zip(canvas["mean"], real)) < 22, (canvas, real)
        colours = page.evaluate(
            """[...document.querySelectorAll('.tile a[data-colour]')].slice(0, 4)
            .map(a => getComputedStyle(a).backgroundColor)"""
        )
        assert all(re.match(r"rgb\(\d", colour) for colour in colours), colours
        far = page.evaluate("[...document.querySelectorAll('.tile img')].slice(-3).map(i => i.loading)")
        count = page.locator(".tile img").count()
        assert far == ["lazy"] * 3 and len(asked) < count, "all pictures were requested at once"


def test_a_picture_replaces_its_placeholder_without_a_flash(b):
    with b.held("/pictures/") as (page, asked):
        wait(page, "document.querySelectorAll('.tile canvas').length > 1")
        settle(page)
        box = page.locator(".tile canvas").first.bounding_box()
        clip = {"x": box["x"] + 4, "y": max(box["y"], 0) + 4, "width": box["width"] - 8, "height": 60}
        before = ImageStat.Stat(image(page, clip)).mean[0]
        path = page.evaluate(CANVAS)["src"]
        for route in [route for route in asked if path in route.request.url]:
            asked.remove(route)
            route.continue_()
        seen = []
        for _ in range(400):
            seen.append(ImageStat.Stat(image(page, clip)).mean[0])
            if page.evaluate("document.querySelector('.tile canvas').parentElement.querySelector('.arrived')"):
                if not page.evaluate("document.getAnimations().length"):
                    break
        # The brightness stays between its values before and after the transition.
        low, high = min(before, seen[-1]) - 3, max(before, seen[-1]) + 3
        assert all(low <= value <= high for value in seen), (before, seen)


def test_transparent_pictures_have_a_backdrop_and_no_placeholder(b):
    with b.page() as page:
        link = page.locator(".tile a", has_text="A dark disc")
        link.scroll_into_view_if_needed()
        wait(page, "[...document.querySelectorAll('.tile.clear img')].every(image => image.complete)")
        assert not link.locator("canvas").count() and link.get_attribute("data-colour") is None
        shot = Image.open(io.BytesIO(link.screenshot())).convert("L")
        corner, disc = shot.getpixel((8, 8)), shot.getpixel((shot.width // 2, shot.height // 2))
        assert corner - disc > 120, (corner, disc)
        link.click()
        settle(page)
        enlarge(page)
        shot = image(page)
        corner, disc = shot.getpixel((640 - 300, 150)), shot.getpixel((640, 400))
        assert corner - disc > 120, (corner, disc)


def test_variants_of_a_picture_have_different_sizes(b):
    for record in b.records():
        variants = {name: v for name, v in record.get("variants", {}).items() if name != "original"}
        if still := variants.pop("still", None):
            pager = variants["pager"]
            assert pager["frames"] > still["frames"] == 1 and still["width"] == pager["width"], record["title"]
        sizes = [(v["width"], v["height"]) for v in variants.values()]
        assert len(sizes) == len(set(sizes)), record["title"]


def test_pages_do_not_scroll_horizontally(b):
    for width in (320, 768, 2560):
        for path in ("index.html", "pages/index.html", "pages/undated.html"):
            with b.page(path, width=width, height=800) as page:
                assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, width)
        with b.page(width=width, height=800) as page:
            open_first(page, 2)
            for selector in ("html", ".details.shown"):
                wide = page.evaluate(f"document.querySelector('{selector}').scrollWidth")
                assert wide <= width, (selector, wide, width)
            enlarge(page)
            assert page.evaluate("document.querySelector('.overlay').scrollWidth") <= width
            page.keyboard.press("Escape")
            settle(page)
            page.keyboard.press("Escape")
            open_calendar(page)
            assert page.evaluate("document.querySelector('.calendar').scrollWidth") <= width
            # The selected month and year must be readable.
            selects = page.evaluate("[...document.querySelectorAll('.calendar select')].map(s => s.offsetWidth)")
            assert min(selects) >= 80, selects


def test_right_to_left_titles_have_their_direction(b):
    with b.page() as page:
        assert page.evaluate("[...document.querySelectorAll('.tile .title, .details h2')].every(t => t.dir === 'auto')")
        directions = page.evaluate(
            """[...document.querySelectorAll('.tile .title')].filter(t => /[\\u0590-\\u06ff]/.test(t.textContent[0]))
            .map(t => getComputedStyle(t).direction)"""
        )
        assert directions and set(directions) == {"rtl"}, directions


def test_themes_set_the_background(b):
    white, black = "rgb(255, 255, 255)", "rgb(16, 17, 20)"
    for scheme, expected in (("light", white), ("dark", black)):
        with b.page(color_scheme=scheme) as page:
            read = "getComputedStyle(document.body).backgroundColor"
            assert page.evaluate(read) == expected
            page.evaluate("document.documentElement.dataset.theme = 'dark'")
            assert page.evaluate(read) == black
            page.evaluate("document.documentElement.dataset.theme = 'light'")
            assert page.evaluate(read) == white


def test_colours_need_no_light_dark_function(b):
    """Safari before version 17.5 ignores declarations with light-dark()."""
    assert "light-dark(" not in (b.site / "style.css").read_text(encoding="utf-8")


OPACITY = "caption => getComputedStyle(caption).opacity"


def test_captions_of_tiles_appear_on_hover_and_focus(b):
    with b.page(reduced_motion="reduce") as page:
        tile = page.locator(".tile:not(.missing)").nth(3)
        caption, link = tile.locator(".caption"), tile.locator("a")
        tile.scroll_into_view_if_needed()
        assert caption.evaluate(OPACITY) == "0"
        assert page.locator(".hero .caption").evaluate(OPACITY) == "1"
        assert page.locator(".missing .caption").first.evaluate(OPACITY) == "1"
        tile.hover()
        settle(page)
        assert caption.evaluate(OPACITY) == "1"
        page.mouse.move(0, 0)
        link.focus()
        settle(page)
        assert caption.evaluate(OPACITY) == "1"
        page.emulate_media(media="print")
        assert page.locator(".tile .caption").last.evaluate(OPACITY) == "1"
    with b.page(width=390, height=844, has_touch=True, is_mobile=True) as page:
        assert page.locator(".tile .caption").first.evaluate(OPACITY) == "1"


def test_an_empty_gallery_says_so(b):
    for path in ("index.html", "pages/index.html"):
        with b.page(path, gallery="empty") as page:
            assert page.locator("main h2").first.text_content() == "No pictures yet"
            page.click(".random")
            wait(page, "/no other picture/.test(document.querySelector('.status.seen')?.textContent)")


def test_months_have_covers(b):
    with b.page("pages/index.html") as page:
        months = page.locator(".year li")
        assert months.count() == page.locator(".year img").count() > 3
        wait(page, "[...document.querySelectorAll('.year img')].every(i => i.naturalWidth)")
        assert re.search(r"\d pictures?$", months.first.inner_text())


def test_narrow_tiles_show_the_date_on_one_line(b):
    with b.page("pages/2024-02.html", width=768, height=900) as page:
        page.evaluate("document.querySelectorAll('.tile').forEach(t => { t.style.flex = '0 0 80px'; })")
        settle(page)
        wrong = page.evaluate("""[...document.querySelectorAll('.tile time')]
            .map(t => [t.offsetHeight, t.scrollWidth, t.clientWidth])
            .filter(([height, wide, width]) => height > 24 || wide > width)""")
        assert page.locator(".tile time").count() > 5 and not wrong, wrong


def test_tiles_are_not_enlarged(b):
    """The file of each tile has at least the pixels of the tile, unless the picture has fewer."""
    for width, scale in ((390, 3), (768, 2), (1440, 1)):
        with b.page("pages/2024-02.html", width=width, height=900, device_scale_factor=scale) as page:
            page.evaluate("document.querySelectorAll('.tile img').forEach(i => { i.loading = 'eager'; })")
            wait(page, "[...document.querySelectorAll('.tile img')].every(i => i.complete)")
            blurred = page.evaluate("""[...document.querySelectorAll('.tile img')].map(i => {
                const files = i.srcset.split(', ').map(f => f.split(' ')), widths = files.map(f => parseInt(f[1]));
                const own = widths[files.findIndex(f => i.currentSrc.endsWith(f[0].split('/').pop()))];
                const { hash } = i.closest('a'), pager = document.querySelector(`[id='${hash.slice(1)}'] figure img`);
                return [own, i.offsetWidth * devicePixelRatio, +pager.getAttribute('width')];
            }).filter(([own, needed, most]) => own * 1.1 < Math.min(needed, most))""")
            assert not blurred, (width, blurred)


def test_calendar_fits_narrow_windows_and_large_text(b):
    for width in (360, 390):
        with b.page(width=width, height=740) as page:
            open_calendar(page)
            tops = page.evaluate("[...document.querySelectorAll('.calendar .row > *')].map(e => e.offsetTop)")
            assert len(tops) == 5 and max(tops) - min(tops) < 12, tops
            page.evaluate("document.documentElement.style.fontSize = '200%'")
            wide = page.evaluate("""[...document.querySelectorAll('.calendar :is(th, td a)')].map(cell => {
                const range = document.createRange();
                range.selectNodeContents(cell);
                return [cell.textContent, range.getBoundingClientRect().width, cell.offsetWidth];
            }).filter(([, text, cell]) => text > cell)""")
            assert not wide, wide


def test_printed_pages_have_no_controls(b):
    with b.page() as page:
        page.emulate_media(media="print")
        assert not page.locator(".open-calendar").is_visible() and page.locator(".tile a").first.is_visible()
        assert len(page.pdf()) > 10000
    with b.page() as page:
        open_first(page)
        page.emulate_media(media="print")
        assert page.locator(".details.shown .text").is_visible() and not page.locator(".tile").first.is_visible()
        assert not page.locator(".tools").first.is_visible()
    # The overlay is printed as the whole picture with its texts. The first picture is a video, whose play mark covers
    # the middle of the picture.
    with b.page() as page:
        open_first(page, 1)
        enlarge(page)
        page.keyboard.press("+")
        settle(page)
        page.emulate_media(media="print")
        assert not page.locator(".overlay").is_visible() and page.locator(".details.shown .text").is_visible()
        picture, figure = (page.locator(f".details.shown {part}").bounding_box() for part in ("img", "figure"))
        assert picture["width"] <= figure["width"] and picture["height"] <= figure["height"], (picture, figure)


LOADED_TILES = "[...document.querySelectorAll('.grid img')].filter(image => image.complete).length"


def test_tiles_load_after_the_large_picture(b):
    large = re.search(r'class="hero.*?/([0-9a-f]+)-', (b.site / "index.html").read_text(encoding="utf-8"))[1]
    with b.held(large, pace=0) as (page, asked):
        # The script runs after the style sheet is loaded.
        wait(page, "document.documentElement.classList.contains('js')")
        while not asked:
            page.wait_for_timeout(10)
        assert not page.locator(".grid img").first.is_visible() and not page.evaluate(LOADED_TILES)
        asked.pop().continue_()
        wait(page, LOADED_TILES)
    # Tiles load without the large picture if it takes long, and without a script.
    with b.held(large, pace=1000) as (page, asked):
        wait(page, LOADED_TILES)
        assert asked
    with b.page(java_script_enabled=False) as page:
        assert page.locator(".grid img").first.is_visible()


def test_style_sheet_and_script_are_small(b):
    size = sum((b.site / name).stat().st_size for name in ("style.css", "gallery.js"))
    assert size < 60_000, size
