"""Measures a gallery in Chromium.

    python3 measure.py FOLDER RUNS SAMPLES [ADDRESS]

Measures the gallery in a folder as files, and prints the frames per second while the page scrolled. With the address of
a web server that serves the folder, measures instead the largest contentful paint and a search with a slow network, and
the memory of the renderer. Appends lines NAME<TAB>VALUE<TAB>LIMIT to the file SAMPLES; without a limit, the last column
is omitted. A value is in thousandths of the unit in its name, by default milliseconds. The environment variable
CHROMIUM is the path of the browser.
"""

import contextlib
import json
import os
import pathlib
import re
import sys
import tempfile
import time

from playwright.sync_api import sync_playwright

from browser import enlarge, pictured, tile, wait, wait_for_slide

DESKTOP = dict(viewport={"width": 1280, "height": 800})
PHONE = dict(viewport={"width": 390, "height": 844}, device_scale_factor=3, is_mobile=True, has_touch=True)

# 1.6 Mbit/s and 150 ms are "slow 4G" of Lighthouse. The unit of the throughput is bytes per second.
SLOW = dict(offline=False, latency=150, downloadThroughput=1.6e6 / 8, uploadThroughput=0.75e6 / 8)

FIRST = """document.addEventListener('load', ({ target }) => {
    if (!target.matches?.('.hero img') || window.first) return;
    requestAnimationFrame(() => requestAnimationFrame(() => { window.first = performance.now(); }));
}, true);"""

LARGEST = """new PerformanceObserver(list => { window.largest = list.getEntries().at(-1).startTime; })
    .observe({ type: 'largest-contentful-paint', buffered: true });"""

# Whether all pictures in the window are loaded, also pictures that are not displayed yet.
LOADED = """[...document.images].every(image => image.complete || !image.parentElement.checkVisibility()
    || image.parentElement.getBoundingClientRect().top >= innerHeight)"""

# The milliseconds from an event until the search or the calendar shows its result.
SINCE = """(start, found) => new Promise(done => {
    const began = performance.now(), look = () => found() ? done(performance.now() - began) : setTimeout(look, 4);
    start();
    look();
})"""
SEARCH = f"""({SINCE})(() => {{
    const words = document.querySelector('#words'), heading = document.querySelector('.results h2');
    if (heading) heading.textContent = '';
    words.value = 'WORDS';
    words.dispatchEvent(new Event('input'));
}}, () => /match/.test(document.querySelector('.results h2')?.textContent))"""
CALENDAR = f"""({SINCE})(() => document.querySelector('.open-calendar').click(),
    () => document.querySelector('.calendar')?.open)"""


def scroll(chromium, page):
    """Scrolls from top to end at 1500 pixels a second. Returns frames per second, dropped frames, seconds, pixels."""
    client = page.context.new_cdp_session(page)
    length = page.evaluate("document.documentElement.scrollHeight - innerHeight")
    with tempfile.TemporaryDirectory() as folder:
        trace = pathlib.Path(folder) / "trace.json"
        categories = ["disabled-by-default-devtools.timeline.frame", "devtools.timeline.frame", "devtools.timeline"]
        chromium.start_tracing(page=page, path=str(trace), categories=categories)
        client.send(
            "Input.synthesizeScrollGesture",
            {"x": 600, "y": 400, "yDistance": -length, "speed": 1500, "gestureSourceType": "mouse"},
        )
        chromium.stop_tracing()
        events = json.loads(trace.read_text())["traceEvents"]
    times = sorted(event["ts"] for event in events if event["name"] == "DrawFrame")
    dropped = sum(event["name"] == "DroppedFrame" for event in events)
    seconds = (times[-1] - times[0]) / 1e6
    return len(times) / seconds, dropped, seconds, length


def measure_files(chromium, folder):
    """Yields the figures of a gallery that is opened as files."""
    page = chromium.new_page(**DESKTOP)
    page.add_init_script(FIRST)
    page.goto(folder.as_uri() + "/index.html")
    wait(page, "window.first", timeout=60)
    yield "first picture", page.evaluate("first"), 1000
    wait(page, "document.readyState === 'complete'")
    rate, dropped, seconds, length = scroll(chromium, page)
    print(f"scrolled {length} pixels in {seconds:.1f} s: {rate:.1f} frames per second, {dropped} dropped")
    yield "calendar, with its data", page.evaluate(CALENDAR)
    page.keyboard.press("Escape")
    yield "search, found at once", page.evaluate(SEARCH.replace("WORDS", "sky"))
    yield "search, found nowhere", page.evaluate(SEARCH.replace("WORDS", "qqqxyzzy"))


def measure_visits(chromium, folder, address):
    """Yields the figures of a gallery on a server. The first visit of each kind has empty caches."""
    for device, options in {"desktop": DESKTOP, "phone": PHONE}.items():
        with visit(chromium, address, SLOW, **options) as (page, _):
            yield f"largest paint, {device}", page.evaluate("largest"), 2500
    # A gallery of fewer than 64 pictures has no files of words.
    if not (word := worst_word(folder)):
        return
    for kind, letters, limit in ("found", word, ()), ("found nowhere", word[:2] + "qqxyzzy", (1000,)):
        with visit(chromium, address, SLOW, **DESKTOP) as (page, client):
            data = data_bytes(client)
            # Readers focus the field before they type.
            page.focus("#words")
            wait(page, "performance.getEntriesByName(new URL('data/search.js', document.baseURI)).length")
            yield f"first search, {kind}", page.evaluate(SEARCH.replace("WORDS", letters)), *limit
            yield f"first search, {kind} (kB)", sum(data) / 1000, 1000


def measure_memory(chromium, folder, address):
    """Yields the memory of the renderer after 100 slides, if the start page has as many and the system is Linux.
    Decoded pictures are a cache, which the browser releases under memory pressure."""
    for place, is_shown in SHOWN.items():
        with visit(chromium, address, **DESKTOP) as (page, client):
            slides = pictured(page)[:100]
            if len(slides) < 100 or sys.platform != "linux":
                return
            tile(page, slides[0]).click()
            wait_for_slide(page, slides[0])
            if place == "overlay":
                enlarge(page)
            for id in slides[1:]:
                page.keyboard.press("ArrowRight")
                wait_for_slide(page, id)
                wait(page, is_shown)
            for state in "", ", released":
                if state:
                    client.send("Memory.simulatePressureNotification", {"level": "critical"})
                    client.send("Memory.forciblyPurgeJavaScriptMemory")
                private, resident, heap = settled_memory(chromium, client)
                yield f"100 slides, {place}{state}: private (MB)", private, 200
                yield f"100 slides, {place}{state}: resident (MB)", resident
                yield f"100 slides, {place}{state}: scripts (MB)", heap


# Whether the picture of a slide is shown, and the previous picture has left.
SHOWN = {
    "details": "document.querySelector('.details.shown figure img').complete",
    "overlay": """document.querySelector('.frame:only-child > img:only-child[src$="-overlay.jpg"]').complete""",
}


@contextlib.contextmanager
def visit(chromium, address, network=None, **options):
    """Opens the start page with empty caches, and waits until all pictures in the window are loaded. Yields the page
    and a session of the DevTools protocol."""
    with contextlib.closing(chromium.new_context(**options)) as context:
        page = context.new_page()
        page.set_default_timeout(120000)
        client = context.new_cdp_session(page)
        client.send("Network.enable")
        client.send("Performance.enable")
        if network:
            client.send("Network.emulateNetworkConditions", network)
        page.add_init_script(LARGEST)
        page.goto(address + "/index.html")
        wait(page, LOADED)
        yield page, client


def data_bytes(client):
    """Returns a list that receives the size of each data file that the page loads, with its header and compressed."""
    names, sizes = {}, []

    def finished(event):
        if "/data/" in names.get(event["requestId"], ""):
            sizes.append(event["encodedDataLength"])

    client.on("Network.requestWillBeSent", lambda event: names.update({event["requestId"]: event["request"]["url"]}))
    client.on("Network.loadingFinished", finished)
    return sizes


def worst_word(folder):
    """Returns a word whose search loads most: from the largest file of words, the word that has the number of pictures
    nearest to 60. The page shows 60 results, and pictures with a rare word are in as many files of rows. Returns None
    if the gallery has no file of words."""
    largest = max((folder / "data").glob("words-*.js"), key=lambda path: path.stat().st_size, default=None)
    if not largest:
        return None
    words = json.loads(re.search(r",(.*)\);$", largest.read_text(encoding="utf-8"), re.S)[1])
    # A digit below 45 ends a number; their codes are at most 80 (`addNumbers` in gallery.js).
    return min(words, key=lambda word: abs(sum(ord(digit) <= 80 for digit in words[word]) - 60))


def memory(chromium, client):
    """Returns the private and the resident memory and the JavaScript heap of the renderer in MB."""
    session = chromium.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    # Chromium keeps a spare renderer, which is small.
    private, resident = max(resident_memory(one["id"]) for one in processes if one["type"] == "renderer")
    metrics = {one["name"]: one["value"] for one in client.send("Performance.getMetrics")["metrics"]}
    return private, resident, metrics["JSHeapUsedSize"] / 1e6


def resident_memory(pid):
    """Returns the private and the resident memory of a process in MB."""
    text = pathlib.Path(f"/proc/{pid}/smaps_rollup").read_text()
    total = lambda name: sum(int(kib) for kib in re.findall(rf"^{name}:\s+(\d+) kB", text, re.M)) * 1024 / 1e6
    return total(r"Private_\w+"), total("Rss")


def settled_memory(chromium, client):
    """Returns the memory once it has not changed by more than 1 MB for a second: memory is released gradually."""
    end, since, before = time.monotonic() + 30, time.monotonic(), memory(chromium, client)
    while time.monotonic() < min(end, since + 1):
        time.sleep(0.1)
        now = memory(chromium, client)
        if abs(now[0] - before[0]) > 1:
            since, before = time.monotonic(), now
    return before


def main():
    folder, runs, samples, *address = sys.argv[1:]
    measures = [measure_visits if address else measure_files] * int(runs)
    # 100 slides take minutes.
    measures += [measure_memory] if address else []
    with sync_playwright() as playwright, open(samples, "a") as file:
        for measure in measures:
            # Start a new browser, whose caches are empty.
            chromium = playwright.chromium.launch(executable_path=os.environ["CHROMIUM"], args=["--no-sandbox"])
            for name, value, *limit in measure(chromium, pathlib.Path(folder), *address):
                print(name, round(value * 1000), *limit, sep="\t", file=file, flush=True)
            chromium.close()


if __name__ == "__main__":
    main()
