"""Tests a gallery's pages in Chromium.

    python3 Tests/Gallery/browser.py SITE [test_name …]

SITE is a folder that `img-downsample gallery` made, of at least 60 dated records with pictures, among them a video, a
failure, and titles that try to become markup. Needs Playwright and axe-playwright-python from PyPI; CHROMIUM names the
browser (/usr/bin/chromium unless set).
"""
import base64, contextlib, functools, http.server, io, json, os, pathlib, re, sys, threading, time, traceback

try:
    from axe_playwright_python.sync_playwright import Axe
    from PIL import Image, ImageFilter, ImageStat
    from playwright.sync_api import sync_playwright
except ImportError as error:
    print(f"SKIPPED: the gallery's browser tests need {error.name} (pip install playwright axe-playwright-python pillow)")
    sys.exit(0)

CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
SETTLE = 900  # milliseconds in which an animation or a scroll surely ends on a busy machine


class Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


class Bench:
    """A browser, the site over file:// and over HTTP, and what every page must never do."""

    def __init__(self, site, playwright):
        self.site = pathlib.Path(site).resolve()
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(self.site)))
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.file = self.site.as_uri() + "/"
        self.http = f"http://127.0.0.1:{server.server_address[1]}/"
        self.browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        self.axe = Axe()

    @contextlib.contextmanager
    def page(self, path="index.html", width=1280, height=800, base=None, init=None, faults=True, **options):
        base = base or self.file
        context = self.browser.new_context(viewport={"width": width, "height": height}, **options)
        page = context.new_page()
        page.set_default_timeout(15000)
        page.requested, page.faults = [], []
        page.on("request", lambda request: page.requested.append(request.url))
        page.on("pageerror", lambda error: page.faults.append(str(error)))
        page.on("console", lambda message: message.type == "error" and "favicon" not in message.location["url"] and page.faults.append(message.text))
        page.on("dialog", lambda dialog: (page.faults.append("a script ran: " + dialog.message), dialog.dismiss()))
        if init:
            page.add_init_script(init)
        page.goto(base + path)
        try:
            yield page
            if faults:
                assert not page.faults, page.faults
            outside = [url for url in page.requested if not url.startswith(base) and not url.endswith("/favicon.ico")]
            assert not outside, f"requests left the folder: {outside}"
        finally:
            context.close()


def ids(page, only=""):
    return page.evaluate(f"[...document.querySelectorAll('.tile{only} a')].map(a => a.hash.slice(1))")


def pictured(page):
    """The ids of slides with a picture, in order."""
    return page.evaluate("[...document.querySelectorAll('.details')].filter(d => d.querySelector('figure img')).map(d => d.id)")


def tile(page, id):
    return page.locator(f"[id='t-{id}'] a")


def shown(page):
    return page.evaluate("document.querySelector('.details.shown')?.id")


def is_open(page):
    return page.evaluate("document.querySelector('.viewer').classList.contains('open')")


def wait(page, expression, message=None, timeout=15):
    """Waits until an expression is true. Playwright's own waiting needs eval, which the page's policy forbids."""
    end = time.monotonic() + timeout
    while time.monotonic() < end:
        with contextlib.suppress(Exception):  # the page is being replaced
            if page.evaluate(f"Boolean({expression})"):
                return
        page.wait_for_timeout(40)
    raise AssertionError(message or f"never: {expression}")


def open_first(page, number=0):
    id = [one for one in pictured(page) if one in ids(page, ":not(.missing)")][number]
    tile(page, id).click()
    wait(page, f"document.querySelector('.details.shown')?.id === {json.dumps(id)}")
    return id


def enlarge(page):
    page.locator(".details.shown .enlarge").click()
    wait(page, "document.querySelector('dialog.overlay')?.open")
    page.wait_for_timeout(SETTLE)


def best_slide(page, least="overlay"):
    """A slide whose picture has files better than the pager's, the one with the most pixels."""
    return page.evaluate("""name => [...document.querySelectorAll('.details')].map(d => [d.id, d.querySelector('figure img')])
        .filter(([, i]) => i && i.dataset[name]).sort((a, b) => b[1].dataset[name + 'Width'] - a[1].dataset[name + 'Width'])
        .map(([id]) => id)[0]""", least)


VIEW = """(() => { const f = document.querySelector('.frame'), r = f.getBoundingClientRect();
  return { x: r.x, y: r.y, width: r.width, height: r.height, layers: f.children.length,
    natural: Math.max(...[...f.children].map(i => i.naturalWidth)) } })()"""


def image(page, clip=None):
    return Image.open(io.BytesIO(page.screenshot(clip=clip) if clip else page.screenshot())).convert("L")


def shift(a, b):
    """How far b lies from a, in pixels: the translation that explains the difference best (Lucas and Kanade)."""
    width, height = a.size
    pa, pb = a.load(), b.load()
    xx = xy = yy = xt = yt = 0
    for y in range(1, height - 1, 2):
        for x in range(1, width - 1, 2):
            gx = (pa[x + 1, y] - pa[x - 1, y]) / 2
            gy = (pa[x, y + 1] - pa[x, y - 1]) / 2
            t = pb[x, y] - pa[x, y]
            xx += gx * gx; xy += gx * gy; yy += gy * gy; xt += gx * t; yt += gy * t
    det = xx * yy - xy * xy
    if det <= 0:
        return 0.0, 0.0
    return (xy * yt - yy * xt) / det, (xy * xt - xx * yt) / det


def smooth(picture):
    return picture.filter(ImageFilter.GaussianBlur(2))


# MARK: Start page

def test_start_has_a_large_picture_and_a_grid(b):
    with b.page() as page:
        assert page.locator(".hero img").count() == 1
        assert page.locator(".tile").count() >= 59
        size = page.locator(".hero a").bounding_box()
        assert size["width"] > 1000 and size["height"] > 300, size


def test_rows_are_justified_and_the_last_is_not_stretched(b):
    for width in (320, 768, 1280, 2560):
        with b.page(width=width, height=900) as page:
            rows = page.evaluate("""Object.values(Object.groupBy([...document.querySelectorAll('.tile')].map(t => {
                const r = t.getBoundingClientRect(); return { top: Math.round(r.top), right: r.right, height: r.height, width: r.width } }), r => r.top))""")
            edge = page.evaluate("document.querySelector('#pictures').getBoundingClientRect().right")
            row = page.evaluate("(() => { const d = document.createElement('div'); d.style.height = 'var(--row)'; document.body.append(d); const h = d.offsetHeight; d.remove(); return h })()")
            for tiles in rows:
                heights = [t["height"] for t in tiles]
                assert max(heights) - min(heights) < 1.5, (width, heights)
            full = sum(abs(tiles[-1]["right"] - edge) < 1.5 for tiles in rows[:-1])
            assert full >= .8 * (len(rows) - 1), (width, full, len(rows))
            assert rows[-1][0]["height"] < 1.2 * row + 2, (width, rows[-1], row)


def test_no_layout_shift_and_no_flash(b):
    init = """window.shifts = 0; new PerformanceObserver(l => l.getEntries().forEach(e => shifts += e.value)).observe({ type: 'layout-shift', buffered: true });"""
    for width in (390, 1280):
        with b.page(width=width, base=b.http, init=init) as page:
            for _ in range(6):
                page.evaluate("scrollBy(0, 900)")
                page.wait_for_timeout(250)
            assert page.evaluate("shifts") < .005, page.evaluate("shifts")


def test_placeholders_stand_until_lazy_pictures_arrive(b):
    # Pictures never arrive here, so what is seen is the ThumbHash.
    context = b.browser.new_context(viewport={"width": 1000, "height": 700})
    page = context.new_page()
    held = []
    page.route(re.compile(r"/pictures/"), lambda route: held.append(route))
    page.goto(b.http + "index.html", wait_until="commit")
    wait(page, "document.querySelectorAll('.tile canvas').length > 3")
    assert page.evaluate("""(() => { const c = document.querySelector('.tile canvas'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        return new Set(d).size > 2 && Math.abs(c.offsetWidth - c.parentElement.offsetWidth) < 2 })()""")
    colours = page.evaluate("[...document.querySelectorAll('.tile a[data-colour]')].slice(0, 4).map(a => getComputedStyle(a).backgroundColor)")
    assert all(re.match(r"rgb\(\d", colour) for colour in colours), colours
    far = page.evaluate("[...document.querySelectorAll('.tile img')].slice(-3).map(i => i.loading)")
    assert far == ["lazy"] * 3 and len(held) < page.locator(".tile img").count(), "all pictures were asked for at once"
    page.unroute_all(behavior="ignoreErrors")
    context.close()


def test_thumbhash_is_near_its_picture(b):
    held = []
    context = b.browser.new_context(viewport={"width": 1000, "height": 700})
    page = context.new_page()
    page.route(re.compile(r"/pictures/"), lambda route: held.append(route))
    page.goto(b.http + "index.html", wait_until="commit")
    wait(page, "document.querySelector('.tile canvas')")
    mean = page.evaluate("""(() => { const c = document.querySelector('.tile canvas'), d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;
        const s = [0, 0, 0]; for (let i = 0; i < d.length; i++) if (i % 4 < 3) s[i % 4] += d[i] / d.length * 4; return s })()""")
    src = page.evaluate("(() => { const i = document.querySelector('.tile canvas').parentElement.querySelector('img'); return i.getAttribute('src') })()")
    page.unroute_all(behavior="ignoreErrors")
    context.close()
    real = ImageStat.Stat(Image.open(b.site / src).convert("RGB")).mean
    assert max(abs(m - r) for m, r in zip(mean, real)) < 22, (mean, real)


def test_no_horizontal_scroll(b):
    for width in (320, 768, 2560):
        for path in ("index.html", "pages/index.html"):
            with b.page(path, width=width, height=800) as page:
                assert page.evaluate("document.documentElement.scrollWidth") <= width, (path, width)
        with b.page(width=width, height=800) as page:
            open_first(page)
            for expression in ("document.documentElement.scrollWidth <= innerWidth", "document.querySelector('.details.shown').scrollWidth <= innerWidth"):
                assert page.evaluate(expression), (width, expression)
            enlarge(page)
            assert page.evaluate("document.querySelector('.overlay').scrollWidth <= innerWidth"), width
            page.keyboard.press("Escape"); page.wait_for_timeout(SETTLE); page.keyboard.press("Escape")
            page.click(".open-calendar")
            wait(page, "document.querySelector('.calendar')?.open")
            assert page.evaluate("document.querySelector('.calendar').scrollWidth <= innerWidth"), width


def test_right_to_left_titles(b):
    with b.page() as page:
        assert page.evaluate("[...document.querySelectorAll('.tile .title, .details h2')].every(t => t.dir === 'auto')")
        directions = page.evaluate("[...document.querySelectorAll('.tile .title')].filter(t => /[\\u0590-\\u06ff]/.test(t.textContent[0])).map(t => getComputedStyle(t).direction)")
        assert directions and set(directions) == {"rtl"}, directions


def test_themes(b):
    backs = {}
    for scheme in ("light", "dark"):
        with b.page(color_scheme=scheme) as page:
            read = "getComputedStyle(document.body).backgroundColor"
            backs[scheme] = page.evaluate(read)
            page.evaluate("document.documentElement.dataset.theme = 'dark'")
            dark = page.evaluate(read)
            page.evaluate("document.documentElement.dataset.theme = 'light'")
            assert (page.evaluate(read), dark) == ("rgb(255, 255, 255)", "rgb(16, 17, 20)")
    assert backs == {"light": "rgb(255, 255, 255)", "dark": "rgb(16, 17, 20)"}, backs


def test_print(b):
    with b.page() as page:
        page.emulate_media(media="print")
        assert not page.locator(".open-calendar").is_visible() and page.locator(".tile a").first.is_visible()
        assert len(page.pdf()) > 10000
    with b.page() as page:
        id = open_first(page)
        page.emulate_media(media="print")
        assert page.locator(".details.shown .text").is_visible() and not page.locator(".tile").first.is_visible()
        assert not page.locator(".tools").first.is_visible()


def test_targets_are_24_pixels(b):
    check = """() => [...document.querySelectorAll('a[href], button, input, select')].filter(e => e.checkVisibility() && !e.closest('[inert]') && !e.closest('p:not(.links)') && !e.matches('.skip'))
        .map(e => [e.className || e.textContent, e.getBoundingClientRect()]).filter(([, r]) => r.width < 24 || r.height < 24).map(([n, r]) => [n, r.width, r.height])"""
    for width in (320, 1280):
        with b.page(width=width) as page:
            assert not page.evaluate(check), page.evaluate(check)
            open_first(page)
            assert not page.evaluate(check), page.evaluate(check)
            enlarge(page)
            assert not page.evaluate(check), page.evaluate(check)
            page.keyboard.press("Escape"); page.wait_for_timeout(SETTLE); page.keyboard.press("Escape")
            page.click(".open-calendar")
            wait(page, "document.querySelector('.calendar')?.open")
            assert not page.evaluate(check), page.evaluate(check)


# MARK: Safety

def test_nothing_becomes_markup(b):
    for path in ["index.html"] + ["pages/" + p.name for p in (b.site / "pages").glob("*.html")]:
        with b.page(path) as page:
            found = page.evaluate("""[...document.querySelectorAll('script:not([src]), style, [onerror], [onload], [onclick], [style], iframe, svg, form')]
                .filter(e => !e.matches('[style]') || e.matches('script, style, iframe, svg, form')).map(e => e.outerHTML.slice(0, 90))""")
            bad = page.evaluate("[...document.querySelectorAll('[href], [src]')].map(e => e.getAttribute('href') || e.getAttribute('src')).filter(a => /^\\s*(javascript|data|vbscript):/i.test(a))")
            assert not found and not bad, (path, found, bad)
            assert page.evaluate("[...document.querySelectorAll('a[href^=http]')].every(a => a.relList.contains('noopener') && a.relList.contains('noreferrer'))")


def test_hostile_titles_in_search_stay_text(b):
    rows = [[f"x{n}", page, title, date, title, thumb, 4, 3] for n, (title, page, date, thumb) in enumerate(
        (title, page, date, thumb)
        for title in ["zzz <img src=x onerror=alert(1)>", "zzz <script>alert(1)</script>", "zzz javascript:alert(1)", "zzz \u202e \u2028 {{{x}}}"]
        for page, date, thumb in [("pages/2024-02.html", "2024-02-03", "pictures/x.jpg"), ("javascript:alert(1)", "<b>", "https://evil.example/x.png"),
            ("//evil.example/x", "", "pictures/../../x.png"), ("pages/%2e%2e/%2e%2e/etc/passwd", "2024-99-99", "data:image/png,x"), (None, None, None),
            ("pages/..\\..\\x", "2024-02-03", "pictures/\t../../../x")] for _ in range(9))]
    with b.page(base=b.http, faults=False) as page:
        page.route(re.compile(r"/data/search-\d+\.js"), lambda route: route.fulfill(content_type="text/javascript",
            body="galleryData.search(%s,%s)" % (re.findall(r"search-(\d+)", route.request.url)[0], json.dumps(rows))))
        page.fill("#words", "zzz")
        wait(page, "document.querySelectorAll('.results .tile').length > 20")
        assert not page.evaluate("document.querySelectorAll('.results [onerror], .results script').length")
        addresses = page.evaluate("[...document.querySelectorAll('.results a, .results img')].map(e => e.href || e.src)")
        assert all(address.startswith(b.http) for address in addresses), [a for a in addresses if not a.startswith(b.http)]
        assert not [fault for fault in page.faults if "404" not in fault and "ERR" not in fault], page.faults


def test_policy_holds_over_file_and_http(b):
    for base in (b.file, b.http):
        with b.page(base=base) as page:
            policy = page.get_attribute("meta[http-equiv=Content-Security-Policy]", "content")
            assert "default-src 'none'" in policy and "unsafe" not in policy, policy
            assert page.evaluate("document.documentElement.classList.contains('js') && getComputedStyle(document.querySelector('#pictures')).display === 'flex'")
            assert page.evaluate("document.querySelector('.hero img').naturalWidth") > 0
        with b.page(base=base, faults=False) as page:
            page.evaluate("""() => { const s = document.createElement('script'); s.textContent = 'window.ran = 1'; document.head.append(s);
                const i = new Image(); i.src = 'https://example.org/x.png'; const d = document.createElement('div'); d.innerHTML = '<p style="color:red">'; document.body.append(d); }""")
            page.wait_for_timeout(200)
            assert page.evaluate("window.ran") is None
            assert any("Content Security Policy" in fault for fault in page.faults)
            page.requested[:] = [url for url in page.requested if "example.org" not in url]


def test_every_view_offline_and_no_request_outside(b):
    for base in (b.file, b.http):
        with b.page(base=base) as page:
            page.wait_for_timeout(500)
            open_first(page)
            enlarge(page)
            page.keyboard.press("ArrowRight"); page.wait_for_timeout(SETTLE)
            page.keyboard.press("Escape"); page.wait_for_timeout(SETTLE); page.keyboard.press("Escape")
            page.click(".open-calendar"); wait(page, "document.querySelector('.calendar')?.open"); page.keyboard.press("Escape")
            page.fill("#words", "a"); wait(page, "document.querySelector('.results .tile')")


# MARK: Without the script

def test_without_javascript(b):
    with b.page(java_script_enabled=False) as page:
        assert not page.locator("#words").is_visible() and not page.locator(".open-calendar").is_visible()
        link = page.locator(".tile:not(.missing) a").nth(1)
        id = link.get_attribute("href")[1:]
        link.click()
        article = page.locator(f"[id='{id}']")
        assert article.is_visible() and article.locator("h2").is_visible() and article.locator("img").is_visible()
        assert page.locator(".details:visible").count() == 1
        article.locator(".steps [rel=next]").click()
        assert not article.is_visible() and page.locator(".details:visible").count() == 1
        page.go_back()
        assert article.is_visible()
        article.locator(".close").click()
        assert page.locator(".details:visible").count() == 0
    with b.page("pages/index.html", java_script_enabled=False) as page:
        page.locator(".months-of-year a").first.click()
        assert page.locator(".tile").count() > 0


# MARK: Details and pager

def test_details_open_close_focus_and_scroll(b):
    with b.page() as page:
        page.evaluate("scrollTo(0, 900)")
        page.wait_for_timeout(200)
        id = page.evaluate("[...document.querySelectorAll('.tile:not(.missing) a')].find(a => a.getBoundingClientRect().top > 150).hash.slice(1)")
        top = page.evaluate("scrollY")
        tile(page, id).click()
        assert page.evaluate("location.hash") == "#" + id and shown(page) == id and is_open(page)
        assert page.evaluate(f"document.activeElement.id") == id + "-title"
        assert page.evaluate("document.querySelector('main').inert && document.querySelector('header').inert")
        page.keyboard.press("Escape")
        page.wait_for_timeout(300)
        assert not is_open(page) and page.evaluate("location.hash") == "" and abs(page.evaluate("scrollY") - top) < 2, (page.evaluate("scrollY"), top)
        assert page.evaluate("document.activeElement.hash") == "#" + id
        assert not page.evaluate("document.querySelector('main').inert")


def test_tab_stays_in_the_details(b):
    with b.page() as page:
        open_first(page)
        for _ in range(14):
            page.keyboard.press("Tab")
            assert page.evaluate("document.activeElement === document.body || document.querySelector('.details.shown, .tools').closest('.viewer').contains(document.activeElement) && !document.activeElement.closest('[inert]')")


def test_back_and_forward(b):
    with b.page() as page:
        id = open_first(page)
        page.go_back(); page.wait_for_timeout(200)
        assert not is_open(page)
        page.go_forward(); page.wait_for_timeout(200)
        assert is_open(page) and shown(page) == id
        page.evaluate(f"location.hash = '#{pictured(page)[5]}'"); page.wait_for_timeout(200)
        assert shown(page) == pictured(page)[5]
        page.go_back(); page.wait_for_timeout(200)
        assert shown(page) == id
        page.go_back(); page.wait_for_timeout(200)
        assert not is_open(page)


def test_addresses_of_pictures(b):
    with b.page() as page:
        here = set(pictured(page))
    days = json.loads(re.search(r"\((.*)\)", (b.site / "data/days.js").read_text(), re.S)[1])
    all_days = [f"{m}-{d:02}" for m, entry in days.items() for d in range(1, 32) if entry[0] >> d - 1 & 1]
    elsewhere = [day for day in all_days if day not in here and not (b.site / "index.html").read_text().count(f'id="{day}"')]
    assert elsewhere, "the site has no day beyond the start page"
    for base in (b.file, b.http):
        with b.page("index.html#" + elsewhere[-1], base=base) as page:
            wait(page, "/pages\\/\\d{4}-\\d\\d/.test(location.pathname) && document.querySelector('.details.shown')")
            assert shown(page) == elsewhere[-1]
    second = [f"{m}-{int(d):02}" for m, entry in days.items() if len(entry) > 1 for d in entry[1]]
    if second:
        with b.page("index.html#" + second[-1]) as page:
            wait(page, f"document.querySelector('.details.shown')?.id === '{second[-1]}'")
    with b.page("index.html#1999-01-01") as page:
        wait(page, "/no picture/i.test(document.querySelector('body > .status').textContent)")
        assert not is_open(page)
    with b.page("index.html#" + sorted(here)[-3]) as page:
        wait(page, f"document.querySelector('.details.shown')?.id === '{sorted(here)[-3]}'")
        page.keyboard.press("Escape"); page.wait_for_timeout(200)
        assert not is_open(page) and page.url.endswith("index.html")


def test_arrows_buttons_and_announcements(b):
    with b.page() as page:
        id = open_first(page)
        order = page.evaluate("[...document.querySelectorAll('.details')].map(d => d.id)")
        at = order.index(id)
        page.keyboard.press("ArrowRight")
        wait(page, f"document.querySelector('.details.shown').id === '{order[at + 1]}'")
        assert page.evaluate("location.hash") == "#" + order[at + 1]
        text = page.locator(".status").first.text_content()
        assert page.locator(f"[id='{order[at + 1]}'] h2").text_content() in text and f"{at + 2} of {len(order)}" in text, text
        page.keyboard.press("ArrowLeft")
        wait(page, f"document.querySelector('.details.shown').id === '{id}'")
        page.locator(".viewer .on").click()
        wait(page, f"document.querySelector('.details.shown').id === '{order[at + 1]}'")
        page.locator(".viewer .back").click()
        wait(page, f"document.querySelector('.details.shown').id === '{id}'")
        for _ in range(3):  # faster than the strip scrolls
            page.keyboard.press("ArrowRight")
        wait(page, f"document.querySelector('.details.shown').id === '{order[at + 3]}'")
        page.wait_for_timeout(SETTLE)
        assert shown(page) == order[at + 3]
        page.keyboard.press("Escape"); page.wait_for_timeout(300)
        assert page.evaluate("document.activeElement.hash") == "#" + order[at + 3], "focus goes to the picture that was shown last"


def test_ends_lead_to_other_pages(b):
    with b.page() as page:
        order = page.evaluate("[...document.querySelectorAll('.details')].map(d => d.id)")
        tile(page, order[-1]).click()
        href = page.locator(f"[id='{order[-1]}'] [rel=next]").get_attribute("href")
        assert href.startswith("pages/"), href
        page.keyboard.press("ArrowRight")
        page.wait_for_url(re.compile(re.escape(href.split("/")[-1])))
        wait(page, f"document.querySelector('.details.shown')?.id === {json.dumps(href.split('#')[1])}")
        assert page.locator(".viewer .back").get_attribute("href")


def test_only_neighbours_are_preloaded(b):
    with b.page(base=b.http) as page:
        files = page.evaluate("[...document.querySelectorAll('.details')].map(d => d.querySelector('figure img')?.src)")
        order = page.evaluate("[...document.querySelectorAll('.details')].map(d => d.id)")
        page.wait_for_timeout(500)
        before = {url for url in page.requested if url in files}
        assert len(before) <= 1, before  # the newest picture, which is large
        page.locator(".tile:not(.missing) a").nth(9).click()
        page.wait_for_timeout(SETTLE)
        at = order.index(shown(page))
        asked = {files.index(url) for url in page.requested if url in files} - {0}
        assert asked <= {at - 1, at, at + 1} and at in asked, (asked, at)
        page.keyboard.press("ArrowRight"); page.wait_for_timeout(SETTLE)
        asked = {files.index(url) for url in page.requested if url in files} - {0}
        assert asked <= {at - 1, at, at + 1, at + 2}, (asked, at)


def swipe(client, page, x0, y0, x1, y1, steps=8, pause=16, lift=True):
    client.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": [{"x": x0, "y": y0}]})
    for n in range(1, steps + 1):
        client.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": [{"x": x0 + (x1 - x0) * n / steps, "y": y0 + (y1 - y0) * n / steps}]})
        page.wait_for_timeout(pause)
    if lift:
        client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


PHONE = dict(width=390, height=844, has_touch=True, is_mobile=True, device_scale_factor=2)
RESTS = "(() => { const s = document.querySelector('.strip'); return Math.abs(s.scrollLeft / s.clientWidth - Math.round(s.scrollLeft / s.clientWidth)) < .01 })()"


def test_swipes_and_interrupted_swipes_settle(b):
    with b.page(**PHONE) as page:
        client = page.context.new_cdp_session(page)
        id = open_first(page)
        order = page.evaluate("[...document.querySelectorAll('.details')].map(d => d.id)")
        at = order.index(id)
        swipe(client, page, 330, 300, 60, 300)
        wait(page, f"document.querySelector('.details.shown').id === '{order[at + 1]}'")
        swipe(client, page, 60, 300, 330, 300)
        wait(page, f"document.querySelector('.details.shown').id === '{id}'")
        # A short pull, held, then let go: it settles where it was.
        swipe(client, page, 300, 300, 240, 300, pause=40, lift=False)
        page.wait_for_timeout(300)
        assert page.evaluate("document.querySelector('.strip').scrollLeft % innerWidth") > 5, "the strip does not follow the finger"
        client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        page.wait_for_timeout(SETTLE)
        assert page.evaluate(RESTS) and shown(page) == id
        # A swipe that a second finger or the browser interrupts.
        swipe(client, page, 330, 300, 150, 300, lift=False)
        client.send("Input.dispatchTouchEvent", {"type": "touchCancel", "touchPoints": []})
        page.wait_for_timeout(SETTLE)
        assert page.evaluate(RESTS) and page.evaluate("location.hash.slice(1) === document.querySelector('.details.shown').id")
        # A swipe against one that still moves.
        swipe(client, page, 330, 300, 60, 300, steps=4)
        swipe(client, page, 60, 300, 200, 300, steps=4)
        page.wait_for_timeout(SETTLE)
        assert page.evaluate(RESTS) and page.evaluate("location.hash.slice(1) === document.querySelector('.details.shown').id")


def test_wheel_turns_pictures(b):
    with b.page() as page:
        id = open_first(page, 3)
        order = page.evaluate("[...document.querySelectorAll('.details')].map(d => d.id)")
        at = order.index(id)
        page.mouse.move(400, 400)
        page.mouse.wheel(120, 0)
        page.wait_for_timeout(SETTLE)
        assert page.evaluate(RESTS), "the strip did not settle"
        after = order.index(shown(page))
        assert after == at + 1, (after, at)
        page.mouse.wheel(0, 120)
        page.wait_for_timeout(SETTLE)
        assert order.index(shown(page)) == after + 1
        for _ in range(20):  # a touchpad: small steps, which the browser itself scrolls and snaps
            page.mouse.wheel(45, 0); page.wait_for_timeout(16)
        page.wait_for_timeout(SETTLE)
        assert page.evaluate(RESTS), "the strip did not settle"


def test_resize_keeps_the_slide(b):
    with b.page() as page:
        id = open_first(page, 4)
        for size in ((390, 844), (844, 390), (2000, 900)):
            page.set_viewport_size({"width": size[0], "height": size[1]})
            page.wait_for_timeout(400)
            assert shown(page) == id and page.evaluate(RESTS), size


def test_video_and_failure(b):
    with b.page() as page:
        video = ids(page, ".video")
        if video:
            tile(page, video[0]).click()
            link = page.locator(".details.shown .links a").first
            assert "video" in link.text_content().lower() and "noopener" in link.get_attribute("rel")
            page.keyboard.press("Escape"); page.wait_for_timeout(200)
        failed = ids(page, ".missing")
        assert failed and page.locator(".tile.missing .reason").first.text_content()
        tile(page, failed[0]).click()
        assert page.locator(".details.shown .reason").is_visible() and not page.locator(".details.shown .enlarge").count()


# MARK: Overlay

def test_overlay_opens_from_the_picture(b):
    with b.page() as page:
        id = best_slide(page); tile(page, id).click(); page.wait_for_timeout(400)
        box = page.locator(".details.shown figure img").bounding_box()
        page.evaluate("""() => { const animate = Element.prototype.animate; Element.prototype.animate = function (frames, options) {
            const a = animate.call(this, frames, options); if (this.className === 'frame' && !window.first) { a.pause(); a.currentTime = 0;
            const r = this.getBoundingClientRect(); window.first = [r.x, r.y, r.width, r.height]; a.play(); } return a } }""")
        page.locator(".details.shown .enlarge").focus()
        page.keyboard.press("Enter")
        page.wait_for_timeout(SETTLE)
        first = page.evaluate("window.first")
        assert max(abs(a - c) for a, c in zip(first, (box["x"], box["y"], box["width"], box["height"]))) < 2, (first, box)
        view = page.evaluate(VIEW)
        assert abs(view["x"] + view["width"] / 2 - 640) <= 1 and (abs(view["width"] - 1280) < 2 or abs(view["height"] - 800) < 2), view
        page.keyboard.press("Escape"); page.wait_for_timeout(SETTLE)
        assert not page.evaluate("document.querySelector('.overlay').open") and is_open(page)
        assert page.evaluate("document.activeElement.className") == "enlarge"


GATE = """window.gates = []; const decode = HTMLImageElement.prototype.decode;
HTMLImageElement.prototype.decode = function () { return decode.call(this).then(() => new Promise(go => gates.push(go))) };"""


def test_swaps_do_not_move_anything(b):
    """Screenshots before, during and after each swap, at the size that fits and zoomed: less than half a pixel apart."""
    for size in (dict(width=1280, height=800), dict(width=911, height=633), PHONE):
        with b.page(init=GATE, **size) as page:
            id = best_slide(page, "original") or best_slide(page)
            page.evaluate(f"location.hash = '{id}'")
            wait(page, "document.querySelector('.details.shown figure img').complete")
            enlarge(page)
            for zoomed in (False, True):
                if zoomed:
                    for _ in range(2):
                        page.keyboard.press("+")
                    page.keyboard.press("ArrowLeft"); page.wait_for_timeout(SETTLE)
                clip = {"x": size["width"] / 2 - 130, "y": size["height"] / 2 - 110, "width": 260, "height": 220}
                before, place = image(page, clip), page.evaluate(VIEW)
                wait(page, "gates.length > 0")
                # Frames of the compositor while the swap happens.
                client, cast = page.context.new_cdp_session(page), []
                client.on("Page.screencastFrame", lambda e: (cast.append(e["data"]), client.send("Page.screencastFrameAck", {"sessionId": e["sessionId"]})))
                client.send("Page.startScreencast", {"format": "png", "everyNthFrame": 1})
                page.evaluate("gates.shift()()")
                during = image(page, clip)
                page.wait_for_timeout(300)
                client.send("Page.stopScreencast")
                after, now = image(page, clip), page.evaluate(VIEW)
                assert now["natural"] > place["natural"] and now["layers"] == 1, (place, now)
                assert all(abs(place[k] - now[k]) < .01 for k in ("x", "y", "width", "height")), (place, now)
                spread = ImageStat.Stat(before).stddev[0]
                for name, other in (("during", during), ("after", after)):
                    dx, dy = shift(smooth(before), smooth(other))
                    assert abs(dx) < .5 and abs(dy) < .5, (size, zoomed, name, dx, dy)
                    assert ImageStat.Stat(other).stddev[0] > .4 * spread, f"{name}: a blank frame"
                for n, data in enumerate(cast):
                    frame = Image.open(io.BytesIO(base64.b64decode(data))).convert("L")
                    w, h = frame.size
                    middle = frame.crop((w * 3 // 8, h * 3 // 8, w * 5 // 8, h * 5 // 8))
                    assert ImageStat.Stat(middle).mean[0] > .5 * ImageStat.Stat(before).mean[0] - 4, f"frame {n} of {len(cast)} is blank"
                if not page.evaluate("document.querySelector('.details.shown figure img').dataset.original"):
                    break


def open_overlay(page, id=None):
    id = id or best_slide(page, "original") or best_slide(page)
    page.evaluate(f"location.hash = '{id}'")
    wait(page, f"document.querySelector('.details.shown')?.id === '{id}'")
    enlarge(page)
    return id


def point(page, fx, fy):
    """Where a point of the picture, in fractions, is on the screen."""
    v = page.evaluate(VIEW)
    return v["x"] + fx * v["width"], v["y"] + fy * v["height"]


def fraction(page, x, y):
    v = page.evaluate(VIEW)
    return (x - v["x"]) / v["width"], (y - v["y"]) / v["height"]


def test_wheel_zooms_at_the_pointer_up_to_the_best_pixels(b):
    with b.page() as page:
        open_overlay(page)
        best = page.evaluate("(() => { const d = document.querySelector('.details.shown figure img').dataset; return +(d.originalWidth || d.overlayWidth) })()")
        page.mouse.move(700, 350)
        at = fraction(page, 700, 350)
        page.mouse.wheel(0, -300); page.wait_for_timeout(200)
        x, y = point(page, *at)
        assert abs(x - 700) < 1 and abs(y - 350) < 1, (x, y)
        for _ in range(12):
            page.mouse.wheel(0, -500)
        page.wait_for_timeout(300)
        assert abs(page.evaluate(VIEW)["width"] - best) < 1.5, (page.evaluate(VIEW), best)
        for _ in range(12):
            page.mouse.wheel(0, 500)
        page.wait_for_timeout(300)
        assert page.evaluate(VIEW)["width"] <= 1281
        v = page.evaluate(VIEW)
        if v["x"] > 20:  # beside the picture the wheel does not zoom
            page.mouse.move(5, 400); page.mouse.wheel(0, -400); page.wait_for_timeout(200)
            assert page.evaluate(VIEW) == v


def test_keys_and_buttons_zoom_and_pan_within_limits(b):
    with b.page() as page:
        open_overlay(page)
        fit = page.evaluate(VIEW)
        page.keyboard.press("+"); page.wait_for_timeout(SETTLE)
        one = page.evaluate(VIEW)
        assert one["width"] > fit["width"] * 1.2
        for key, sign in (("ArrowLeft", 1), ("ArrowRight", -1)):
            before = page.evaluate(VIEW)["x"]
            page.keyboard.press(key); page.wait_for_timeout(500)
            assert (page.evaluate(VIEW)["x"] - before) * sign > 0, key
        for _ in range(12):
            page.keyboard.press("ArrowLeft")
        for _ in range(12):
            page.keyboard.press("ArrowUp")
        page.wait_for_timeout(SETTLE)
        v = page.evaluate(VIEW)
        assert abs(v["x"]) < 1 and v["y"] > -1, v
        page.keyboard.press("-"); page.keyboard.press("0"); page.wait_for_timeout(SETTLE)
        assert abs(page.evaluate(VIEW)["width"] - fit["width"]) < .5
        page.locator(".overlay .plus").click(); page.wait_for_timeout(500)
        page.mouse.move(640, 400); page.mouse.down(); page.mouse.move(660, 420); page.mouse.move(760, 460); page.mouse.up(); page.wait_for_timeout(SETTLE)
        moved = page.evaluate(VIEW)
        assert moved["x"] <= .5 and moved["x"] + moved["width"] >= 1279.5, moved
        page.locator(".overlay .minus").click(); page.wait_for_timeout(500)
        assert abs(page.evaluate(VIEW)["width"] - fit["width"]) < .5


def test_double_click_and_double_tap(b):
    with b.page() as page:
        open_overlay(page)
        fit = page.evaluate(VIEW)
        at = fraction(page, 600, 300)
        page.mouse.dblclick(600, 300); page.wait_for_timeout(SETTLE)
        assert page.evaluate(VIEW)["width"] > 1.5 * fit["width"]
        x, y = point(page, *at)
        assert abs(x - 600) < 1.5 and abs(y - 300) < 1.5, (x, y)
        page.mouse.dblclick(600, 300); page.wait_for_timeout(SETTLE)
        assert abs(page.evaluate(VIEW)["width"] - fit["width"]) < .5
    with b.page(**PHONE) as page:
        open_overlay(page)
        fit = page.evaluate(VIEW)
        page.touchscreen.tap(195, 422); page.wait_for_timeout(60); page.touchscreen.tap(196, 423); page.wait_for_timeout(SETTLE)
        assert page.evaluate(VIEW)["width"] > 1.5 * fit["width"]


def test_pinch(b):
    with b.page(**PHONE) as page:
        open_overlay(page)
        client = page.context.new_cdp_session(page)
        at = fraction(page, 200, 420)
        points = lambda d: [{"x": 200 - d, "y": 420, "id": 0}, {"x": 200 + d, "y": 420, "id": 1}]
        client.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": points(40)})
        for d in range(44, 122, 6):
            client.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": points(d)})
        client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        page.wait_for_timeout(SETTLE)
        v = page.evaluate(VIEW)
        assert 2.4 < v["width"] / 390 < 3.2, v
        x, y = point(page, *at)
        assert abs(x - 200) < 3, (x, y)
        # Pinched smaller than the window it springs back.
        client.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": points(150)})
        for d in range(140, 20, -10):
            client.send("Input.dispatchTouchEvent", {"type": "touchMove", "touchPoints": points(d)})
        client.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        page.wait_for_timeout(SETTLE)
        assert abs(page.evaluate(VIEW)["width"] - 390) < 1.5, page.evaluate(VIEW)


def test_overlay_goes_to_neighbours(b):
    with b.page(**PHONE) as page:
        id = open_overlay(page, pictured(page)[2])
        order = pictured(page)
        client = page.context.new_cdp_session(page)
        swipe(client, page, 330, 420, 40, 420); page.wait_for_timeout(SETTLE)
        assert shown(page) == order[3] and page.evaluate("document.querySelectorAll('.frame').length") == 1
        swipe(client, page, 200, 420, 230, 420, pause=60); page.wait_for_timeout(SETTLE)
        assert shown(page) == order[3] and abs(point(page, .5, .5)[0] - 195) < 1.5, "a short pull settles"
        swipe(client, page, 200, 300, 200, 700); page.wait_for_timeout(SETTLE)
        assert not page.evaluate("document.querySelector('.overlay').open"), "a pull down closes"
    with b.page() as page:
        open_overlay(page, pictured(page)[2])
        page.keyboard.press("ArrowRight"); page.wait_for_timeout(SETTLE)
        assert shown(page) == order[3]
        page.keyboard.press("ArrowLeft"); page.wait_for_timeout(SETTLE)
        assert shown(page) == order[2] and page.evaluate("document.querySelector('.overlay').open")


def test_rotation_and_resize_keep_the_centre(b):
    with b.page() as page:
        open_overlay(page)
        for _ in range(3):
            page.keyboard.press("+")
        page.keyboard.press("ArrowLeft"); page.wait_for_timeout(SETTLE)
        at, width = fraction(page, 640, 400), page.evaluate(VIEW)["width"]
        for w, h in ((800, 1000), (1000, 800), (1280, 800)):
            page.set_viewport_size({"width": w, "height": h}); page.wait_for_timeout(400)
            x, y = point(page, *at)
            assert abs(x - w / 2) < 1.5 and abs(y - h / 2) < 1.5, (w, h, x, y)
            assert abs(page.evaluate(VIEW)["width"] - width) < 2, "the size changed"
        page.keyboard.press("0"); page.wait_for_timeout(SETTLE)
        page.set_viewport_size({"width": 700, "height": 900}); page.wait_for_timeout(400)
        v = page.evaluate(VIEW)
        assert v["width"] <= 700.5 and abs(v["x"] + v["width"] / 2 - 350) < 1.5, v


def test_reduced_motion(b):
    init = "window.animated = 0; const a = Element.prototype.animate; Element.prototype.animate = function (...x) { window.animated++; return a.apply(this, x) };"
    with b.page(reduced_motion="reduce", init=init) as page:
        open_first(page, 2)
        page.keyboard.press("ArrowRight"); page.wait_for_timeout(60)
        assert page.evaluate(RESTS)
        page.locator(".details.shown .enlarge").click(); page.wait_for_timeout(100)
        page.keyboard.press("+"); page.keyboard.press("0"); page.keyboard.press("ArrowRight"); page.keyboard.press("Escape"); page.wait_for_timeout(100)
        assert not page.evaluate("document.querySelector('.overlay').open")
        assert page.evaluate("animated") == 0 and page.evaluate("document.getAnimations().length") == 0


def test_back_closes_overlay_and_details(b):
    with b.page() as page:
        open_first(page)
        enlarge(page)
        page.go_back(); page.wait_for_timeout(300)
        assert not is_open(page) and not page.evaluate("document.querySelector('.overlay').open")


# MARK: Calendar and search

def test_calendar(b):
    for base in (b.file, b.http):
        with b.page(base=base) as page:
            page.focus(".open-calendar"); page.keyboard.press("Enter")
            wait(page, "document.querySelector('.calendar')?.open")
            days = json.loads(re.search(r"\((.*)\)", (b.site / "data/days.js").read_text(), re.S)[1])
            active = "document.activeElement.dataset.day || document.activeElement.textContent"
            label = lambda: page.get_attribute(".calendar [role=grid]", "aria-label")
            assert page.evaluate("document.querySelectorAll('.calendar [tabindex=\"0\"]').length") == 1
            month = page.evaluate("[document.querySelector('.calendar select:nth-of-type(2)').value, document.querySelector('.calendar select').value]")
            key = f"{month[0]}-{int(month[1]) + 1:02}"
            links = page.evaluate("[...document.querySelectorAll('.calendar td a[href]')].map(a => +a.textContent)")
            assert links == [d for d in range(1, 32) if days[key][0] >> d - 1 & 1], (links, days[key])
            blocked = page.evaluate("[...document.querySelectorAll('.calendar td a:not([href])')].every(a => a.ariaDisabled === 'true')")
            assert blocked
            day = lambda: int(page.evaluate("document.activeElement.textContent"))
            page.keyboard.press("PageUp")
            name = label()
            page.keyboard.press("Home"); monday = page.evaluate("document.activeElement.closest('td').cellIndex")
            page.keyboard.press("End")
            n = day(); page.keyboard.press("ArrowLeft")
            assert day() == n - 1 or n == 1
            page.keyboard.press("ArrowUp"); page.keyboard.press("ArrowDown"); page.keyboard.press("ArrowRight")
            assert day() == n and label() == name or n <= 7, (day(), n)
            page.keyboard.press("PageDown")
            assert label() != name
            page.keyboard.press("Shift+PageUp"); assert page.evaluate("!!document.activeElement.closest('.calendar td')")
            page.keyboard.press("Escape"); page.wait_for_timeout(100)
            assert page.evaluate("document.activeElement.className") == "open-calendar"
            # A day of another page.
            page.keyboard.press("Enter"); wait(page, "document.querySelector('.calendar').open")
            oldest = min(days)
            page.select_option(".calendar select >> nth=1", oldest[:4]); page.select_option(".calendar select >> nth=0", str(int(oldest[5:]) - 1))
            page.locator(".calendar td a[href]").first.click()
            wait(page, f"document.querySelector('.details.shown')?.id.startsWith('{oldest}')")


def test_search(b):
    for base in (b.file, b.http):
        with b.page(base=base) as page:
            title = page.evaluate("[...document.querySelectorAll('.tile:not(.missing) .title')].map(t => t.textContent).find(t => /^[A-Za-z][a-z]+ [A-Za-z]+/.test(t))")
            word = max(title.split(), key=len)
            page.fill("#words", word[:-1].upper())
            wait(page, "/match/.test(document.querySelector('.results h2')?.textContent)")
            found = page.evaluate("[...document.querySelectorAll('.results .title')].map(t => t.textContent)")
            assert title in found, (title, found[:5])
            assert not page.locator(".grid").is_visible()
            assert "match" in page.locator("body > .status").text_content()
            page.keyboard.press("Escape")
            wait(page, "document.querySelector('.grid').checkVisibility() && !document.querySelector('#words').value")
            page.fill("#words", "qqqxyzzy"); wait(page, "/^No /.test(document.querySelector('.results h2').textContent)")
            page.fill("#words", ""); wait(page, "document.querySelector('.grid').checkVisibility()")
            page.fill("#words", word)
            wait(page, "document.querySelector('.results .tile') && /match/.test(document.querySelector('.results h2').textContent)")
            page.locator(".results .tile a").last.click()
            wait(page, "document.querySelector('.details.shown')")
            assert word.lower() in page.locator(".details.shown h2").text_content().lower() or word.lower() in page.locator(".details.shown .text").text_content().lower()


def test_search_folds_accents(b):
    text = "".join(json.dumps(json.loads(re.search(r"\d,(.*)\)", p.read_text(), re.S)[1]), ensure_ascii=False) for p in (b.site / "data").glob("search-*.js"))
    word = re.search(r"\b(Éclipse|Comète|Zürich)", text)
    assert word, "the site has no title with an accent"
    import unicodedata
    plain = "".join(c for c in unicodedata.normalize("NFD", word[1].lower()) if not unicodedata.combining(c))
    with b.page() as page:
        for query in (plain, word[1].upper()):
            page.fill("#words", query)
            wait(page, "document.querySelector('.results .tile') && /match/.test(document.querySelector('.results h2').textContent)", query)


def test_focus_returns_from_a_search_result(b):
    with b.page() as page:
        page.fill("#words", page.locator(".hero .title, .tile .title").nth(2).text_content()[:6])
        wait(page, "document.querySelector('.results .tile a[href^=\"#\"]') && /match/.test(document.querySelector('.results h2').textContent)")
        link = page.locator(".results .tile a[href^='#']").first
        href = link.get_attribute("href")
        link.click(); page.wait_for_timeout(200)
        page.keyboard.press("Escape"); page.wait_for_timeout(300)
        assert page.evaluate("document.activeElement.closest('.results') !== null && document.activeElement.hash") == href


# MARK: Accessibility

def test_axe_finds_nothing(b):
    def check(page, view):
        found = b.axe.run(page).response["violations"]
        assert not found, (view, [(v["id"], [n["html"][:110] for n in v["nodes"]][:3]) for v in found])
    for scheme in ("light", "dark"):
        for width in (1280, 390):
            with b.page(width=width, height=850, color_scheme=scheme, reduced_motion="reduce", faults=False) as page:
                page.wait_for_timeout(400); check(page, f"grid {scheme}")
                open_first(page); page.wait_for_timeout(400); check(page, f"details {scheme}")
                page.locator(".details.shown .enlarge").click(); page.wait_for_timeout(400); check(page, f"overlay {scheme}")
                page.keyboard.press("Escape"); page.keyboard.press("Escape"); page.wait_for_timeout(300)
                tile(page, ids(page, ".missing")[0]).click(); page.wait_for_timeout(200); check(page, f"failure {scheme}")
                page.keyboard.press("Escape"); page.wait_for_timeout(300)
                page.click(".open-calendar"); wait(page, "document.querySelector('.calendar')?.open"); check(page, f"calendar {scheme}")
                page.keyboard.press("Escape"); page.fill("#words", "a"); wait(page, "/match/.test(document.querySelector('.results h2')?.textContent)"); check(page, f"search {scheme}")
                page.fill("#words", "qqqxyzzy"); wait(page, "/^No /.test(document.querySelector('.results h2').textContent)"); check(page, f"empty search {scheme}")
    for path in ("pages/index.html", "pages/" + sorted(p.name for p in (b.site / "pages").glob("2*.html"))[0]):
        with b.page(path, faults=False) as page:
            check(page, path)


def test_captions_have_contrast(b):
    """axe does not judge text on pictures: here the backdrop's brightest pixel on a white picture counts."""
    with b.page(reduced_motion="reduce") as page:
        page.evaluate("""document.querySelectorAll('.tile img, .tile canvas, .hero img').forEach(i => i.remove());
            document.querySelectorAll('.tile a, .hero a').forEach(a => a.style.background = '#fff');
            document.querySelectorAll('.caption').forEach(c => c.style.color = 'transparent')""")
        for selector in (".hero .title", ".hero time", ".tile:not(.missing) .title", ".tile:not(.missing) time"):
            element = page.locator(selector).first
            element.scroll_into_view_if_needed()
            grey = Image.open(io.BytesIO(element.screenshot())).convert("L").getextrema()[1] / 255
            light = grey / 12.92 if grey <= .04045 else ((grey + .055) / 1.055) ** 2.4
            assert 1.05 / (light + .05) >= 4.5, (selector, 1.05 / (light + .05))


def test_weight(b):
    size = sum((b.site / name).stat().st_size for name in ("style.css", "gallery.js"))
    assert size < 40_000, size


def main():
    if len(sys.argv) < 2:
        print(__doc__.strip())
        return 2
    if not os.path.exists(CHROMIUM):
        print(f"SKIPPED: the gallery's browser tests need Chromium at {CHROMIUM} (scripts/setup --with-browser)")
        return 0
    tests = {name: test for name, test in globals().items() if name.startswith("test_")}
    chosen = sys.argv[2:] or list(tests)
    failures = 0
    with sync_playwright() as playwright:
        bench = Bench(sys.argv[1], playwright)
        for name in chosen:
            start = time.monotonic()
            try:
                tests[name](bench)
                print(f"ok    {name} ({time.monotonic() - start:.1f} s)", flush=True)
            except Exception as error:
                failures += 1
                where = traceback.extract_tb(error.__traceback__)
                line = next((f.lineno for f in reversed(where) if f.filename == __file__), 0)
                print(f"FAIL  {name}, line {line}: {str(error)[:900] or type(error).__name__}", flush=True)
        bench.browser.close()
    print(f"{len(chosen) - failures} of {len(chosen)} passed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
