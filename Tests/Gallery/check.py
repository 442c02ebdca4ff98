"""Tests the pages of galleries in a browser.

    python3 check.py FOLDER BASE [test_name …]

FOLDER contains the galleries `site` and `hostile`, made by Tests/Gallery/run. BASE is the folder's address, with file:
or http:. The environment variable CHROMIUM is the path of the browser. If FIREFOX is set instead, only tests of
FIREFOX_MODULES run. Without test names, tests that do not depend on the scheme run with one scheme only.
"""

import gc
import importlib
import os
import pathlib
import signal
import sys
import time
import traceback

from greenlet import greenlet
from playwright.sync_api import sync_playwright

from browser import Browser

HERE = pathlib.Path(__file__).parent
# The limit of a test in seconds. The longest test takes 131 seconds at a load of 20.
TEST_SECONDS = 1200
FIREFOX_MODULES = ("test_start", "test_details", "test_overlay", "test_search")
# Modules and tests that run with only one scheme of the address, because markup, styles, gestures and pictures do not
# depend on it: ONLY_SERVED with http:, because they replace responses or compare loading times, and ONLY_FILES with
# file:.
ONLY_SERVED = ("test_overlay", "test_pager", "test_start")
ONLY_FILES = ("test_access", "test_animation", "test_tiles", "test_zoom", "test_200_hostile_records_inject_no_markup")
# Tests of FIREFOX_MODULES that need a feature of Chromium: layout shifts, touches, frames of the compositor, PDF, a mouse
# without a window, and the emulation of media features.
CHROMIUM_ONLY = {
    "test_tiles_load_after_the_large_picture",
    "test_scrolling_causes_no_layout_shift",
    "test_swipes_and_keys_turn_pictures_in_the_overlay",
    "test_replacing_files_does_not_move_the_picture",
    "test_printed_pages_have_no_controls",
    "test_captions_of_tiles_appear_on_hover_and_focus",
    "test_themes_set_the_background",
    "test_reduced_motion_disables_animations",
}


def launch(playwright, firefox):
    if not firefox:
        return playwright.chromium.launch(executable_path=os.environ["CHROMIUM"], args=["--no-sandbox"])
    # firefox.py runs in the Python environment of this process.
    path = f"{pathlib.Path(sys.executable).parent}:{os.environ['PATH']}"
    return playwright.firefox.launch(
        channel="moz-firefox", executable_path=HERE / "firefox.py", env=dict(os.environ, PATH=path)
    )


def stop(*_):
    """Prints what the current test waits for, and ends the process as failed."""
    for waiting in gc.get_objects():
        if isinstance(waiting, greenlet) and waiting.gr_frame:
            traceback.print_stack(waiting.gr_frame)
    os._exit(1)


def main():
    if len(sys.argv) < 3:
        print(__doc__.strip())
        return 64
    folder, base, *chosen = sys.argv[1:]
    firefox = os.environ.get("FIREFOX")
    modules = [importlib.import_module(path.stem) for path in sorted(HERE.glob("test_*.py"))]
    if firefox:
        modules = [module for module in modules if module.__name__ in FIREFOX_MODULES]
    others = () if firefox or chosen else ONLY_FILES if base.startswith("http") else ONLY_SERVED
    modules = [module for module in modules if module.__name__ not in others]
    tests = {
        name: test
        for module in modules
        for name, test in vars(module).items()
        if name.startswith("test_") and name not in others
    }
    names = chosen or list(tests)
    if firefox:
        names = [name for name in names if name in tests and name not in CHROMIUM_ONLY]
    failures = 0
    # Playwright waits for some answers of the browser without a limit.
    signal.signal(signal.SIGALRM, stop)
    with sync_playwright() as playwright:
        process = launch(playwright, firefox)
        browser = Browser(process, folder, base)
        where = "firefox" if firefox else "http" if browser.is_served else "file"
        for name in names:
            start = time.monotonic()
            signal.alarm(TEST_SECONDS)
            try:
                tests[name](browser)
                print(f"ok    {where} {name} ({time.monotonic() - start:.1f} s)", flush=True)
            except Exception as error:
                failures += 1
                lines = [f.lineno for f in traceback.extract_tb(error.__traceback__) if "/test_" in f.filename]
                reason = str(error)[:3000] or type(error).__name__
                print(f"FAIL  {where} {name}, line {lines[-1] if lines else 0}: {reason}", flush=True)
        process.close()
    total = len(names)
    print(f"{where}: {total - failures} of {total} passed", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
