"""The overlay: opening, replacing files by better files, turning pictures, closing."""

import base64

from PIL import ImageStat

from browser import PHONE, best_slide, enlarge, is_open, open_first, open_overlay, pictured, settle, shown, swipe
from browser import tile, wait, wait_for_slide
from screen import VIEW, grey, image, point, shift, smooth

# Records the frame's rectangle at the start of its first animation.
FIRST = """() => {
    const animate = Element.prototype.animate;
    Element.prototype.animate = function (frames, options) {
        const animation = animate.call(this, frames, options);
        if (this.matches('.frame') && !window.first) {
            animation.pause();
            animation.currentTime = 0;
            const { x, y, width, height } = this.getBoundingClientRect();
            window.first = [x, y, width, height];
            animation.play();
        }
        return animation;
    };
}"""


def test_overlay_grows_out_of_the_picture(b):
    with b.page() as page:
        id = best_slide(page)
        tile(page, id).click()
        settle(page)
        box = page.locator(".details.shown figure img").bounding_box()
        page.evaluate(FIRST)
        page.locator(".details.shown .enlarge").focus()
        page.keyboard.press("Enter")
        settle(page)
        first = page.evaluate("window.first")
        place = (box["x"], box["y"], box["width"], box["height"])
        assert max(abs(a - c) for a, c in zip(first, place)) < 2, (first, place)
        view = page.evaluate(VIEW)
        assert abs(view["x"] + view["width"] / 2 - 640) <= 1, view
        assert abs(view["width"] - 1280) < 2 or abs(view["height"] - 800) < 2, view
        page.keyboard.press("Escape")
        settle(page)
        assert not page.evaluate("document.querySelector('.overlay').open") and is_open(page)
        assert page.evaluate("document.activeElement.className") == "enlarge"


# Holds back each better file until the test calls its gate. `loads` counts the files that still load.
GATE = """window.gates = [];
window.loads = 0;
const decode = HTMLImageElement.prototype.decode;
HTMLImageElement.prototype.decode = function () {
    loads++;
    return decode.call(this).then(() => new Promise(go => { loads--; gates.push(go); }));
};"""


def cast(page):
    """Starts recording. Returns a list of all frames of the compositor as PNG, and a function that stops recording."""
    client, frames = page.context.new_cdp_session(page), []

    def keep(event):
        frames.append(base64.b64decode(event["data"]))
        client.send("Page.screencastFrameAck", {"sessionId": event["sessionId"]})

    client.on("Page.screencastFrame", keep)
    client.send("Page.startScreencast", {"format": "png", "everyNthFrame": 1})
    return frames, lambda: client.send("Page.stopScreencast")


def middle(picture):
    """Returns a quarter of the window around its centre."""
    w, h = picture.size
    return picture.crop((w * 3 // 8, h * 3 // 8, w * 5 // 8, h * 5 // 8))


def contrast(picture):
    return ImageStat.Stat(middle(picture)).stddev[0]


def compared(old, new, size):
    """Returns whether the new picture is not blank, and its shift in pixels. The scale of a recorded frame varies."""
    old, new = (picture.resize((size["width"], size["height"])) for picture in (old, new))
    return contrast(new) > 0.3 * contrast(old), shift(smooth(middle(old)), smooth(middle(new)))


def shows(frame, whole, size):
    """Whether a recorded frame shows the picture of a screenshot in the same place."""
    is_drawn, moved = compared(whole, grey(frame), size)
    return is_drawn and max(map(abs, moved)) < 0.25


def test_replacing_files_does_not_move_the_picture(b):
    """While and after a file is replaced, fitted and zoomed, the picture moves less than half a pixel."""
    for size in (dict(width=1280, height=800), dict(width=911, height=633), PHONE):
        with b.page(init=GATE, **size) as page:
            page.evaluate(f"location.hash = '{best_slide(page)}'")
            wait(page, "document.querySelector('.details.shown figure img').complete")
            enlarge(page)
            replaced = 0
            for presses in (0, 2, 3):
                for _ in range(presses):
                    page.keyboard.press("+")
                if presses:
                    page.keyboard.press("ArrowLeft")
                    settle(page)
                wait(page, "!loads")
                # A file that has enough pixels is not replaced.
                if not page.evaluate("gates.length"):
                    continue
                replaced += 1
                whole, place = image(page), page.evaluate(VIEW)
                frames, end = cast(page)
                # The first frames may lack tiles, or show blurred tiles. A screenshot draws another frame.
                while not frames or not shows(frames[-1], whole, size):
                    image(page)
                before = frames[-1]
                frames.clear()
                page.evaluate("gates.shift()()")
                wait(page, "document.querySelector('.frame').children.length === 1")
                settle(page)
                end()
                after, now = image(page), page.evaluate(VIEW)
                assert now["natural"] > place["natural"] and now["layers"] == 1, (place, now)
                assert all(abs(place[k] - now[k]) < 0.01 for k in ("x", "y", "width", "height")), (place, now)
                pairs = [(f"frame {n} of {len(frames)}", grey(before), grey(data)) for n, data in enumerate(frames)]
                for name, *pair in [("the last screenshot", whole, after), *pairs]:
                    is_drawn, (dx, dy) = compared(*pair, size)
                    assert is_drawn, f"{name} is blank"
                    assert abs(dx) < 0.5 and abs(dy) < 0.5, (size, presses, name, dx, dy)
            assert replaced and page.evaluate(VIEW)["natural"] == 4200, replaced
            assert not page.evaluate("gates.length + loads"), "a file that is not needed was loaded"


def test_swipes_and_keys_turn_pictures_in_the_overlay(b):
    with b.page(**PHONE) as page:
        open_overlay(page, pictured(page)[3])
        slides = pictured(page)
        client = page.context.new_cdp_session(page)
        swipe(client, page, 330, 420, 40, 420)
        settle(page)
        assert shown(page) == slides[4] and page.evaluate("document.querySelectorAll('.frame').length") == 1
        swipe(client, page, 200, 420, 230, 420, pause=60)
        settle(page)
        assert shown(page) == slides[4] and abs(point(page, 0.5, 0.5)[0] - 195) < 1.5, "a short pull settles"
        swipe(client, page, 200, 300, 200, 700)
        settle(page)
        assert not page.evaluate("document.querySelector('.overlay').open"), "a pull down closes"
    with b.page() as page:
        open_overlay(page, pictured(page)[3])
        page.keyboard.press("ArrowRight")
        settle(page)
        assert shown(page) == slides[4]
        page.keyboard.press("ArrowLeft")
        settle(page)
        assert shown(page) == slides[3] and page.evaluate("document.querySelector('.overlay').open")


ANIMATED = """window.animated = 0;
const animate = Element.prototype.animate;
Element.prototype.animate = function (...all) { window.animated++; return animate.apply(this, all); };"""


def test_reduced_motion_disables_animations(b):
    with b.page(reduced_motion="reduce", init=ANIMATED) as page:
        open_first(page, 2)
        page.keyboard.press("ArrowRight")
        # Wait for only two frames: there must be no animation.
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        assert page.evaluate("document.querySelector('.strip').scrollLeft % innerWidth") == 0
        page.locator(".details.shown .enlarge").click()
        settle(page)
        page.keyboard.press("+")
        page.keyboard.press("0")
        page.keyboard.press("ArrowRight")
        page.keyboard.press("Escape")
        settle(page)
        assert not page.evaluate("document.querySelector('.overlay').open")
        assert page.evaluate("animated") == 0 and page.evaluate("document.getAnimations().length") == 0


def test_back_closes_only_the_overlay_then_the_details(b):
    with b.page() as page:
        overlay_is_open = "document.querySelector('.overlay').open"
        open_first(page, 2)
        enlarge(page)
        page.keyboard.press("ArrowRight")
        settle(page)
        turned = page.evaluate("location.hash")
        page.go_back()
        settle(page)
        assert is_open(page) and not page.evaluate(overlay_is_open)
        assert page.evaluate("location.hash") == turned
        assert page.evaluate("document.activeElement.closest('.details').id") == turned[1:]
        page.go_forward()
        settle(page)
        assert page.evaluate(overlay_is_open)
        # Closing the overlay by a key leaves the same steps.
        page.keyboard.press("Escape")
        settle(page)
        assert is_open(page) and not page.evaluate(overlay_is_open)
        page.go_back()
        settle(page)
        assert not is_open(page)
    # Details that an address opened leave no trace of their overlay in the history.
    with b.page() as page:
        first, second = pictured(page)[2:4]
        page.goto(f"{page.base}index.html#{first}")
        wait_for_slide(page, first)
        enlarge(page)
        for _ in range(2):
            page.keyboard.press("Escape")
            settle(page)
        tile(page, second).click()
        wait_for_slide(page, second)
        page.go_back()
        settle(page)
        assert not is_open(page) and page.evaluate("location.hash") == ""


def test_two_quick_escapes_close_overlay_and_details(b):
    with b.page("index.html") as page:
        open_first(page, 2)
        enlarge(page)
        page.keyboard.press("Escape")
        page.keyboard.press("Escape")
        page.wait_for_function("!document.querySelector('.overlay').open")
        settle(page)
        if is_open(page):  # The second key came before the end of the first.
            page.keyboard.press("Escape")
            settle(page)
        assert not is_open(page) and page.evaluate("location.hash") == ""


def test_a_picture_in_the_overlay_has_a_name(b):
    with b.page() as page:
        open_first(page, 2)
        enlarge(page)
        name = page.evaluate("document.querySelector('.overlay').ariaLabel")
        assert name and page.get_by_role("dialog").get_by_role("img", name=name).count() == 1
