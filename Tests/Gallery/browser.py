"""Opens the pages of galleries in a browser, and checks that no page fails or leaves its folder."""

import contextlib
import json
import pathlib
import re
import time

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Error

PHONE = dict(width=390, height=844, has_touch=True, is_mobile=True, device_scale_factor=2)


class Browser:
    """Opens pages of galleries: `site` has pictures of skies; in `hostile`, all texts try to inject markup; `tiles` has
    a large picture; `animations` has two animations, a picture and a movie; `groups` has tags; `empty` has no picture."""

    def __init__(self, process, folder, base):
        """`folder` contains the galleries; `base` is its address, with file: or http:."""
        self.process, self.base, self.axe = process, base, Axe()
        self.site, self.hostile = pathlib.Path(folder) / "site", pathlib.Path(folder) / "hostile"
        self.docs = pathlib.Path(__file__).parents[2] / "docs"
        self.is_served = base.startswith("http")

    @contextlib.contextmanager
    def page(self, path="index.html", gallery="site", width=1280, height=800, init=None, faults=True, **options):
        base = f"{self.base}{gallery}/"
        context = self.process.new_context(viewport={"width": width, "height": height}, **options)
        page = context.new_page()
        page.set_default_timeout(60000)
        page.base, page.requested, page.faults = base, [], []
        is_firefox = self.process.browser_type.name == "firefox"

        def fault(text):
            # Playwright's screenshots add a style sheet, which the pages forbid in Firefox. Firefox also reports a
            # picture that is still loading when a page leads to another page; Chromium reports only damaged pictures.
            if not (is_firefox and ("(style-src-elem)" in text or text == "Image corrupt or truncated.")):
                page.faults.append(text)

        def console(message):
            if message.type == "error" and "favicon" not in message.location["url"]:
                fault(message.text)

        def dialog(dialog):
            page.faults.append("a script ran: " + dialog.message)
            dialog.dismiss()

        page.on("request", lambda request: page.requested.append(request.url))
        page.on("pageerror", lambda error: fault(str(error)))
        page.on("console", console)
        page.on("dialog", dialog)
        page.add_init_script(BUSY + (init or ""))
        if is_firefox:
            # `go_back` and `go_forward` of Playwright wait for a load that does not occur within a page.
            page.go_back, page.go_forward = (
                lambda: page.evaluate("history.back()"),
                lambda: page.evaluate("history.forward()"),
            )
        page.goto(base + path)
        try:
            yield page
            if faults:
                assert not page.faults, page.faults
            outside = [url for url in page.requested if not url.startswith(base) and not url.endswith("/favicon.ico")]
            assert not outside, f"requests left the folder: {outside}"
        finally:
            context.close()

    @contextlib.contextmanager
    def held(self, part, pace=None):
        """Opens the start page and holds requests whose address matches `part`. Yields the page and these requests.
        Animations run at `pace` times their speed."""
        context = self.process.new_context(viewport={"width": 390, "height": 700})
        page = context.new_page()
        page.set_default_timeout(60000)
        asked = []
        page.route(re.compile(part), lambda route: asked.append(route))
        if pace is not None:
            client = context.new_cdp_session(page)
            client.send("Animation.enable")
            client.send("Animation.setPlaybackRate", {"playbackRate": pace})
        try:
            page.goto(self.base + "site/index.html", wait_until="commit")
            yield page, asked
        finally:
            for route in asked:
                route.abort()
            context.close()

    def violations(self, page):
        """Returns the rules of axe that a page violates, each with up to three elements."""
        # By default axe also describes all elements that pass, which takes longer than the checks.
        found = self.axe.run(page, options={"resultTypes": ["violations"]}).response["violations"]
        return [(rule["id"], [node["html"][:110] for node in rule["nodes"]][:3]) for rule in found]

    def pages(self, gallery="site"):
        """Returns the paths of all pages."""
        folder = self.site if gallery == "site" else self.hostile
        return ["index.html"] + ["pages/" + page.name for page in sorted((folder / "pages").glob("*.html"))]

    def data(self, name, gallery="site"):
        """Returns the value in a data file."""
        folder = self.site if gallery == "site" else self.hostile
        text = (folder / "data" / f"{name}.js").read_text(encoding="utf-8")
        return json.loads(re.search(r'^galleryData\("[\w-]+",(.*)\);$', text, re.S)[1])

    def records(self):
        lines = (self.site / "records.ndjson").read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]


# MARK: Waiting


def wait(page, expression, message=None, timeout=60):
    """Waits until an expression is true. `wait_for_function` of Playwright needs eval, which the pages forbid."""
    look = f"try {{ if ({expression}) return done(true); }} catch {{}} if (performance.now() > end) done(false);"
    end = time.monotonic() + timeout
    while (left := end - time.monotonic()) > 0:
        with contextlib.suppress(Exception):  # the page is being replaced
            if page.evaluate(
                f"""() => new Promise(done => {{
                const end = performance.now() + {left * 1000}, look = () => {{ {look} else setTimeout(look, 10); }};
                look();
            }})"""
            ):
                return
            continue
        page.wait_for_timeout(10)
    raise AssertionError(message or f"not true within {timeout} s: {expression}")


# Defines `busy`, which returns whether something is pending: a timer of less than a second, a step in the history, the
# decoding of a picture, or the loading of a visible picture. For a quarter of a second after a wheel or touch event, it
# also returns true, because the browser still scrolls. Counts wheel events, and fingers that are lifted, in `inputs`. If
# `eventTime` is set, all events have this time.
BUSY = """{ const { setTimeout, clearTimeout } = window, timers = new Set();
    const { decode } = HTMLImageElement.prototype;
    const { get: timeOf } = Object.getOwnPropertyDescriptor(Event.prototype, 'timeStamp');
    let steps = 0, decodes = 0, moved = -Infinity;
    Object.defineProperty(Event.prototype, 'timeStamp', { get() { return window.eventTime ?? timeOf.call(this); } });
    window.inputs = 0;
    for (const type of ['wheel', 'touchend', 'touchcancel']) {
        addEventListener(type, () => { inputs++; }, { capture: true, passive: true });
    }
    for (const type of ['wheel', 'pointerdown', 'pointermove', 'pointerup', 'pointercancel']) {
        addEventListener(type, ({ pointerType }) => {
            if (pointerType !== 'mouse') moved = performance.now();
        }, { capture: true, passive: true });
    }
    window.setTimeout = (act, ms, ...rest) => {
        const id = setTimeout(() => { timers.delete(id); act(...rest); }, ms);
        if (!(ms >= 1000)) timers.add(id);
        return id;
    };
    window.clearTimeout = id => { timers.delete(id); clearTimeout(id); };
    for (const name of ['back', 'forward']) {
        const step = History.prototype[name];
        History.prototype[name] = function () { steps++; step.call(this); };
    }
    addEventListener('popstate', () => { steps = 0; });
    HTMLImageElement.prototype.decode = function () {
        decodes++;
        return decode.call(this).finally(() => { decodes--; });
    };
    const isAwaited = image => {
        if (image.complete || !image.checkVisibility()) return false;
        const { left, right, top, bottom } = image.getBoundingClientRect();
        return left < innerWidth && right > 0 && top < innerHeight && bottom > 0;
    };
    window.busy = () => timers.size + steps + decodes > 0 || performance.now() - moved < 250
        || [...document.images].some(isAwaited); }
"""

# Returns nothing after four frames without changes in which the page is not busy, and the last two states of a page
# that still changes after 30 seconds.
STILL = """() => new Promise(done => {
    let last, previous, frames;
    const start = performance.now(), look = () => {
        const frame = document.querySelector('.frame')?.getBoundingClientRect();
        const now = JSON.stringify([scrollX, scrollY, innerWidth, document.querySelector('.strip')?.scrollLeft, frame,
            location.href, document.title, document.querySelector('.details.shown')?.id,
            document.querySelector('dialog[open]')?.className, document.activeElement.outerHTML,
            // Chromium does not end animations in content that is skipped, such as a slide that is not near.
            document.getAnimations().filter(({ effect }) => effect.target.checkVisibility())
                .map(({ currentTime, effect }) => [currentTime, effect.target.className])]);
        const isBusy = window.busy?.();
        if (now !== last || isBusy) frames = 0;
        if (now !== last) [last, previous] = [now, last];
        if (++frames > 4) return done();
        if (performance.now() - start > 30000) return done([isBusy, previous, last]);
        // A browser may draw no frame if nothing changes.
        const request = requestAnimationFrame(next), timer = setTimeout(next, 1000);
        function next() {
            cancelAnimationFrame(request);
            clearTimeout(timer);
            look();
        }
    };
    look();
})"""


def settle(page):
    """Waits until nothing on the page moves or changes."""
    for _ in range(5):
        with contextlib.suppress(Error):  # the page is being replaced
            moving = page.evaluate(STILL)
            assert not moving, f"the page does not settle: {moving}"
            return
    raise AssertionError("the page is replaced again and again")


# MARK: Pictures on a page


def escape(page):
    page.keyboard.press("Escape")
    settle(page)


def ids(page, only=""):
    return page.evaluate(f"[...document.querySelectorAll('.tile{only} a')].map(a => a.hash.slice(1))")


def order(page):
    """Returns the ids of all slides."""
    return page.evaluate("[...document.querySelectorAll('.details')].map(d => d.id)")


def pictured(page):
    """Returns the ids of the slides with a picture, in order."""
    return page.evaluate(
        "[...document.querySelectorAll('.details')].filter(d => d.querySelector('figure img')).map(d => d.id)"
    )


def tile(page, id):
    return page.locator(f"[id='t-{id}'] a")


def shown(page):
    return page.evaluate("document.querySelector('.details.shown')?.id")


def is_open(page):
    return page.evaluate("document.querySelector('.viewer').classList.contains('open')")


def wait_for_slide(page, id):
    wait(page, f"document.querySelector('.details.shown')?.id === {json.dumps(id)}")


def open_first(page, number=0):
    """Opens the details of a picture in the grid, counted from 0, and returns its id."""
    tiles = ids(page, ":not(.missing)")
    id = [one for one in pictured(page) if one in tiles][number]
    tile(page, id).click()
    wait_for_slide(page, id)
    return id


def enlarge(page):
    page.locator(".details.shown .enlarge").click()
    wait(page, "document.querySelector('dialog.overlay')?.open")
    settle(page)


def best_slide(page):
    """Returns the id of the slide whose original is the widest."""
    return page.evaluate(
        """[...document.querySelectorAll('.details')].map(d => [d.id, d.querySelector('figure img')])
        .filter(([, i]) => i?.dataset.original)
        .sort((a, b) => b[1].dataset.originalWidth - a[1].dataset.originalWidth)[0][0]"""
    )


def open_overlay(page, id=None):
    """Opens the overlay for a picture, by default the picture with the widest original, and returns its id."""
    id = id or best_slide(page)
    page.evaluate(f"location.hash = '{id}'")
    wait_for_slide(page, id)
    enlarge(page)
    return id


def open_calendar(page):
    page.click(".open-calendar")
    wait(page, "document.querySelector('.calendar')?.open")


def search(page, words):
    """Searches, and waits for the results."""
    page.evaluate("{ const heading = document.querySelector('.results h2'); if (heading) heading.textContent = ''; }")
    page.fill("#words", words)
    wait(page, "/match/.test(document.querySelector('.results h2')?.textContent)", words)


# MARK: Wheel, mouse and fingers


@contextlib.contextmanager
def event_times(page):
    """Yields a function that sets how much later than the last event the next event occurs, in milliseconds. Pages
    measure pauses and speeds by the times of events, and on a busy machine events of a gesture arrive late."""
    page.evaluate("window.eventTime = performance.now()")
    yield lambda ms: page.evaluate(f"window.eventTime += {ms}")
    page.evaluate("delete window.eventTime")


def wheel(page, x, y):
    """Turns the wheel, and waits until the page has received the event, which the browser sends late."""
    seen = page.evaluate("inputs")
    page.mouse.wheel(x, y)
    wait(page, f"inputs > {seen}")


def touch(client, kind, *points):
    """Sends a touch event with the positions of all fingers."""
    fingers = [{"x": x, "y": y, "id": id} for id, (x, y) in enumerate(points)]
    client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": fingers})


def lift(client, page, kind="touchEnd"):
    """Lifts all fingers, and waits until the page has received the event."""
    seen = page.evaluate("inputs")
    touch(client, kind)
    wait(page, f"inputs > {seen}")


def swipe(client, page, x0, y0, x1, y1, steps=8, pause=16, lifts=True):
    """Moves a finger in steps, with a number of milliseconds between their times."""
    with event_times(page) as after:
        touch(client, "touchStart", (x0, y0))
        for n in range(1, steps + 1):
            after(pause)
            touch(client, "touchMove", (x0 + (x1 - x0) * n / steps, y0 + (y1 - y0) * n / steps))
            page.evaluate("new Promise(done => requestAnimationFrame(done))")  # the page receives moves with a frame
        if lifts:
            lift(client, page)


def double_tap(page, x, y):
    client = page.context.new_cdp_session(page)
    with event_times(page) as after:
        for move in (0, 1):
            touch(client, "touchStart", (x + move, y + move))
            lift(client, page)
            after(150)


def double_click(page, x, y):
    page.mouse.move(x, y)
    with event_times(page) as after:
        for count in (1, 2):
            page.mouse.down(click_count=count)
            page.mouse.up(click_count=count)
            after(150)
