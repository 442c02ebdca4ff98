"""Measures a gallery in Chromium.

    python3 measure.py ADDRESS RUNS SAMPLES

Appends lines NAME<TAB>microseconds to the file SAMPLES, and prints the frames per second while the page scrolled. The
environment variable CHROMIUM is the path of the browser.
"""

import json
import os
import pathlib
import sys
import tempfile

from playwright.sync_api import sync_playwright

from browser import wait

FIRST = """document.addEventListener('load', ({ target }) => {
    if (!target.matches?.('.hero img') || window.first) return;
    requestAnimationFrame(() => requestAnimationFrame(() => { window.first = performance.now(); }));
}, true);"""

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


def main():
    address, runs, samples = sys.argv[1], int(sys.argv[2]), open(sys.argv[3], "a")
    frames = []
    with sync_playwright() as playwright:
        for _ in range(runs):
            # Start a new browser, whose caches are empty.
            chromium = playwright.chromium.launch(executable_path=os.environ["CHROMIUM"], args=["--no-sandbox"])
            page = chromium.new_page(viewport={"width": 1280, "height": 800})
            page.add_init_script(FIRST)
            page.goto(address + "/index.html")
            wait(page, "window.first", timeout=60)
            times = {"first picture": page.evaluate("first")}
            wait(page, "document.readyState === 'complete'")
            frames.append(scroll(chromium, page))
            times["calendar, with its data"] = page.evaluate(CALENDAR)
            page.keyboard.press("Escape")
            times["search, found at once"] = page.evaluate(SEARCH.replace("WORDS", "sky"))
            times["search, found nowhere"] = page.evaluate(SEARCH.replace("WORDS", "qqqxyzzy"))
            for name, milliseconds in times.items():
                print(f"{name}\t{milliseconds * 1000:.0f}", file=samples)
            chromium.close()
    for rate, dropped, seconds, length in frames:
        print(f"scrolled {length} pixels in {seconds:.1f} s: {rate:.1f} frames per second, {dropped} dropped")


if __name__ == "__main__":
    main()
