"""The slideshow of the overlay."""

from browser import enlarge, escape, open_first, open_overlay, pictured, settle, shown, wait, wait_for_slide, wheel

# Collects the slideshow's timers. If `held` is set, also delays each image that the slideshow waits for.
TICKS = """window.ticks = [];
window.gates = [];
const later = window.setTimeout, decode = HTMLImageElement.prototype.decode;
window.setTimeout = (act, ms, ...rest) => ms === 5000 ? ticks.push(act) : later(act, ms, ...rest);
HTMLImageElement.prototype.decode = function () {
    return decode.call(this).then(() => window.held && !this.isConnected && new Promise(go => gates.push(go)));
};
window.animated = 0;
const animate = Element.prototype.animate;
Element.prototype.animate = function (...all) { window.animated++; return animate.apply(this, all); };"""
TICK = "ticks.splice(0).forEach(act => act())"
PLAYER = ".overlay .player"


def plays(page):
    """Returns whether the visible button offers to pause."""
    assert page.locator(PLAYER).is_visible()
    name = page.get_attribute(PLAYER, "aria-label")
    assert name == page.get_attribute(PLAYER, "title") and name in ("Pause the slideshow", "Start the slideshow"), name
    return name == "Pause the slideshow"


def tick(page):
    """Lets the time of a picture pass."""
    wait(page, "ticks.length")
    page.evaluate(TICK)


STARTS = {
    "a key in the details": lambda page: page.keyboard.press("s"),
    "a button in the details": lambda page: page.click(".details.shown .player"),
    "a key in the overlay": lambda page: (enlarge(page), page.keyboard.press("s")),
    "a button in the overlay": lambda page: (enlarge(page), page.click(PLAYER)),
    "the keyboard on the button": lambda page: (enlarge(page), page.focus(PLAYER), page.keyboard.press("Enter")),
}
PAUSES = {
    "a key": lambda page: page.keyboard.press("s"),
    "the button": lambda page: page.click(PLAYER),
    "the keyboard on the button": lambda page: (page.focus(PLAYER), page.keyboard.press("Space")),
}


def test_slideshow_starts_and_pauses_by_keys_and_buttons(b):
    # The run with file: tests half of the ways to start, and the run with http: the other half.
    for number, (way, start) in list(enumerate(STARTS.items()))[b.is_served :: 2]:
        with b.page(init=TICKS) as page:
            slides = pictured(page)
            at = slides.index(open_first(page, 2))
            start(page)
            wait(page, "document.querySelector('.overlay')?.open && ticks.length", way)
            assert plays(page) and shown(page) == slides[at], way
            for step in (1, 2):
                tick(page)
                wait_for_slide(page, slides[at + step])
            assert page.url.endswith("#" + slides[at + 2])
            end, pause = list(PAUSES.items())[number % len(PAUSES)]
            wait(page, "ticks.length")
            pause(page)
            assert not plays(page), end
            page.evaluate(TICK)
            settle(page)
            assert shown(page) == slides[at + 2] and not page.evaluate("ticks.length"), (way, end)


STOPS = {
    "an arrow key": lambda page: page.keyboard.press("ArrowRight"),
    "zoom": lambda page: page.keyboard.press("+"),
    "Tab": lambda page: page.keyboard.press("Tab"),
    "the list of keys": lambda page: (page.keyboard.press("?"), escape(page)),
    "a click on the picture": lambda page: page.mouse.click(640, 400),
    "the wheel": lambda page: (page.mouse.move(640, 400), wheel(page, 0, -100)),
    "another button": lambda page: page.click(".overlay .copy"),
    "closing": lambda page: (escape(page), enlarge(page)),
}


def test_slideshow_stops_at_any_interaction(b):
    with b.page(init=TICKS) as page:
        open_overlay(page, pictured(page)[3])
        for kind, stop in list(STOPS.items())[b.is_served :: 2]:
            page.keyboard.press("0")
            page.keyboard.press("s")
            assert plays(page), kind
            stop(page)
            settle(page)
            assert not plays(page), kind
            page.evaluate(TICK)
        # Entering and leaving full screen does not pause the slideshow.
        page.keyboard.press("s")
        page.keyboard.press("f")
        wait(page, "document.fullscreenElement")
        page.click(".overlay .full")
        wait(page, "!document.fullscreenElement")
        assert plays(page)


def test_slideshow_waits_until_the_next_picture_is_loaded(b):
    with b.page(init=TICKS) as page:
        slides = pictured(page)
        open_overlay(page, slides[3])
        page.evaluate("window.held = true")
        page.keyboard.press("s")
        wait(page, "gates.length")
        tick(page)
        settle(page)
        assert shown(page) == slides[3] and plays(page)
        page.evaluate("held = false; gates.forEach(go => go())")
        wait_for_slide(page, slides[4])
        # A file that cannot be loaded does not stop the slideshow.
        page.evaluate("HTMLImageElement.prototype.decode = () => Promise.reject(new Error()); 0")
        for slide in slides[5:7]:
            tick(page)
            wait_for_slide(page, slide)


def test_first_picture_follows_the_last(b):
    with b.page(init=TICKS) as page:
        slides = pictured(page)
        open_overlay(page, slides[-1])
        page.keyboard.press("s")
        for slide in slides[:2]:
            tick(page)
            wait_for_slide(page, slide)
        assert plays(page) and page.evaluate("document.querySelector('.overlay').open")


def test_slideshow_honours_reduced_motion(b):
    for calm in ("reduce", "no-preference"):
        with b.page(init=TICKS, reduced_motion=calm) as page:
            slides = pictured(page)
            open_overlay(page, slides[3])
            page.evaluate("animated = 0")
            page.keyboard.press("s")
            tick(page)
            wait_for_slide(page, slides[4])
            settle(page)
            assert (page.evaluate("animated") > 0) == (calm == "no-preference"), calm
            assert page.evaluate("document.querySelectorAll('.frame').length") == 1


def test_one_picture_has_no_slideshow(b):
    with b.page("pages/2021-03.html", init=TICKS) as page:
        open_first(page)
        assert not page.locator(".details.shown .player").count()
        page.keyboard.press("s")
        enlarge(page)
        page.keyboard.press("s")
        assert not page.locator(PLAYER).is_visible() and not page.evaluate("ticks.length")
