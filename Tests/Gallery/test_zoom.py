"""Zoom and pan: wheel, keys, buttons, clicks, touch, resizing."""

from browser import PHONE, best_slide, double_click, double_tap, event_times, ids, lift, open_overlay, settle, touch
from browser import wait, wait_for_slide, wheel
from screen import VIEW, fraction, point


def test_wheel_zooms_at_the_pointer_up_to_full_resolution(b):
    with b.page() as page:
        open_overlay(page)
        best = page.evaluate("+document.querySelector('.details.shown figure img').dataset.originalWidth")
        assert best == 4200
        page.mouse.move(700, 350)
        at = fraction(page, 700, 350)
        wheel(page, 0, -300)
        settle(page)
        x, y = point(page, *at)
        assert abs(x - 700) < 1 and abs(y - 350) < 1, (x, y)
        for _ in range(12):
            wheel(page, 0, -500)
        settle(page)
        assert abs(page.evaluate(VIEW)["width"] - best) < 1.5, (page.evaluate(VIEW), best)
        for _ in range(12):
            wheel(page, 0, 500)
        settle(page)
        assert page.evaluate(VIEW)["width"] <= 1281
        v = page.evaluate(VIEW)
        if v["x"] > 20:  # beside the picture the wheel does not zoom
            page.mouse.move(5, 400)
            wheel(page, 0, -400)
            settle(page)
            assert page.evaluate(VIEW) == v


def test_keys_and_buttons_zoom_and_pan_within_limits(b):
    with b.page() as page:
        open_overlay(page)
        fit = page.evaluate(VIEW)
        page.keyboard.press("+")
        settle(page)
        one = page.evaluate(VIEW)
        assert one["width"] > fit["width"] * 1.2
        for key, sign in (("ArrowLeft", 1), ("ArrowRight", -1)):
            before = page.evaluate(VIEW)["x"]
            page.keyboard.press(key)
            settle(page)
            assert (page.evaluate(VIEW)["x"] - before) * sign > 0, key
        for _ in range(12):
            page.keyboard.press("ArrowLeft")
        for _ in range(12):
            page.keyboard.press("ArrowUp")
        settle(page)
        v = page.evaluate(VIEW)
        assert abs(v["x"]) < 1 and v["y"] > -1, v
        page.keyboard.press("-")
        page.keyboard.press("0")
        settle(page)
        assert abs(page.evaluate(VIEW)["width"] - fit["width"]) < 0.5
        page.locator(".overlay .plus").click()
        settle(page)
        page.mouse.move(640, 400)
        page.mouse.down()
        page.mouse.move(660, 420)
        page.mouse.move(760, 460)
        page.mouse.up()
        settle(page)
        moved = page.evaluate(VIEW)
        assert moved["x"] <= 0.5 and moved["x"] + moved["width"] >= 1279.5, moved
        page.locator(".overlay .minus").click()
        settle(page)
        assert abs(page.evaluate(VIEW)["width"] - fit["width"]) < 0.5


def test_double_click_and_double_tap_zoom(b):
    with b.page() as page:
        open_overlay(page)
        fit = page.evaluate(VIEW)
        at = fraction(page, 600, 300)
        double_click(page, 600, 300)
        settle(page)
        assert page.evaluate(VIEW)["width"] > 1.5 * fit["width"]
        x, y = point(page, *at)
        assert abs(x - 600) < 1.5 and abs(y - 300) < 1.5, (x, y)
        double_click(page, 600, 300)
        settle(page)
        assert abs(page.evaluate(VIEW)["width"] - fit["width"]) < 0.5
    with b.page(**PHONE) as page:
        open_overlay(page)
        fit = page.evaluate(VIEW)
        double_tap(page, 195, 422)
        settle(page)
        assert page.evaluate(VIEW)["width"] > 1.5 * fit["width"]


def test_the_second_click_of_a_double_click_does_not_stop_the_zoom(b):
    with b.page() as page:
        open_overlay(page)
        page.mouse.click(600, 300)
        settle(page)
        width = page.evaluate(VIEW)["width"]
        page.keyboard.press("0")
        settle(page)
        with event_times(page) as after:
            page.mouse.click(600, 300)
            page.evaluate("document.getAnimations().forEach(a => { a.pause(); a.currentTime = 60; })")
            after(150)
            page.mouse.click(600, 300)
        settle(page)
        assert abs(page.evaluate(VIEW)["width"] - width) < 0.5, (page.evaluate(VIEW), width)


def pinch(client, page, x, y, distances, look=lambda distance: None):
    """Moves two fingers, which have these distances from a point, and calls `look` after each step."""
    for n, d in enumerate(distances):
        touch(client, "touchMove" if n else "touchStart", (x - d, y), (x + d, y))
        look(d)
    lift(client, page)


def test_pinch_zooms_and_springs_back(b):
    with b.page(**PHONE) as page:
        open_overlay(page)
        client = page.context.new_cdp_session(page)
        at = fraction(page, 200, 420)
        pinch(client, page, 200, 420, [40, *range(44, 122, 6)])
        settle(page)
        v = page.evaluate(VIEW)
        assert 2.4 < v["width"] / 390 < 3.2, v
        x, y = point(page, *at)
        assert abs(x - 200) < 3, (x, y)
        # A picture pinched below its fitted size springs back.
        pinch(client, page, 200, 420, range(150, 20, -10))
        settle(page)
        assert abs(page.evaluate(VIEW)["width"] - 390) < 1.5, page.evaluate(VIEW)


def test_rotation_and_resize_keep_the_centre(b):
    with b.page() as page:
        open_overlay(page)
        for _ in range(3):
            page.keyboard.press("+")
        page.keyboard.press("ArrowLeft")
        settle(page)
        at, width = fraction(page, 640, 400), page.evaluate(VIEW)["width"]
        for w, h in ((800, 1000), (1000, 800), (1280, 800)):
            page.set_viewport_size({"width": w, "height": h})
            settle(page)
            x, y = point(page, *at)
            assert abs(x - w / 2) < 1.5 and abs(y - h / 2) < 1.5, (w, h, x, y)
            assert abs(page.evaluate(VIEW)["width"] - width) < 2, "the size changed"
        page.keyboard.press("0")
        settle(page)
        page.set_viewport_size({"width": 700, "height": 900})
        settle(page)
        v = page.evaluate(VIEW)
        assert v["width"] <= 700.5 and abs(v["x"] + v["width"] / 2 - 350) < 1.5, v


def test_two_fingers_on_the_details_open_the_overlay_under_them(b):
    with b.page(**PHONE) as page:
        id = best_slide(page)
        page.evaluate(f"location.hash = '{id}'")
        wait_for_slide(page, id)
        settle(page)
        box = page.locator(".details.shown figure img").bounding_box()
        x, y = box["x"] + box["width"] / 2 + 20, box["y"] + box["height"] / 2 - 10
        at = (x - box["x"]) / box["width"], (y - box["y"]) / box["height"]
        widths = []

        def look(distance):
            if distance not in (56, 116):
                return
            wait(page, "document.querySelector('dialog.overlay')?.open")
            settle(page)
            place = fraction(page, x, y)
            assert abs(place[0] - at[0]) < 0.01 and abs(place[1] - at[1]) < 0.01, (distance, place, at)
            # The overlay shows the file of the details until it has loaded a better file.
            view = page.evaluate(VIEW)
            assert view["natural"] > 0
            widths.append(view["width"])

        pinch(page.context.new_cdp_session(page), page, x, y, [40, *range(44, 122, 6)], look)
        assert widths[-1] > 2.4 * box["width"], (widths, box)
        settle(page)
        assert abs(page.evaluate(VIEW)["width"] - widths[-1]) < 2, "a better file changed the zoom"
        assert page.evaluate("visualViewport.scale") == 1


def test_wheel_with_ctrl_on_the_details_zooms_in_the_overlay(b):
    with b.page() as page:
        id = best_slide(page)
        page.evaluate(f"location.hash = '{id}'")
        wait_for_slide(page, id)
        settle(page)
        page.mouse.move(450, 400)
        page.keyboard.down("Control")
        wheel(page, 0, -60)
        page.keyboard.up("Control")
        wait(page, "document.querySelector('dialog.overlay')?.open")
        settle(page)
        assert page.evaluate(VIEW)["width"] > 1280 and page.evaluate("visualViewport.scale") == 1


def test_small_pictures_zoom_to_three_times_their_size(b):
    with b.page("pages/undated.html") as page:
        id = ids(page)[0]
        open_overlay(page, id)
        fit = page.evaluate(VIEW)["width"]
        for _ in range(6):
            page.keyboard.press("+")
        settle(page)
        assert abs(page.evaluate(VIEW)["width"] - 3 * fit) < 1, (fit, page.evaluate(VIEW))


def test_a_click_zooms_and_a_click_beside_the_picture_does_not(b):
    with b.page() as page:
        open_overlay(page)
        fit = page.evaluate(VIEW)
        page.mouse.click(5, 400)
        settle(page)
        assert fit["x"] > 20 and page.evaluate(VIEW)["width"] == fit["width"]
        at = fraction(page, 600, 300)
        page.mouse.click(600, 300)
        settle(page)
        x, y = point(page, *at)
        assert page.evaluate(VIEW)["width"] > 1.5 * fit["width"] and abs(x - 600) < 1.5 and abs(y - 300) < 1.5, (x, y)
        width = page.evaluate(VIEW)["width"]
        page.mouse.click(600, 300)
        settle(page)
        assert page.evaluate(VIEW)["width"] == width, "a click on a zoomed picture zooms"


def test_a_style_sheet_lets_double_taps_close_the_overlay(b):
    with b.page(**PHONE) as page:
        page.evaluate("document.documentElement.style.setProperty('--double-tap', 'close')")
        open_overlay(page)
        double_tap(page, 195, 422)
        settle(page)
        assert not page.evaluate("document.querySelector('.overlay').open")


def test_overlay_loads_the_file_that_its_size_needs(b):
    for scale, expected in ((1, 1024), (2, 1024), (3, 2048)):
        with b.page(**PHONE | {"device_scale_factor": scale}) as page:
            open_overlay(page)
            files = {url.split("-")[-1].split(".")[0] for url in page.requested if "/pictures/" in url}
            assert "original" not in files and page.evaluate(VIEW)["natural"] == expected, (scale, files)
            page.touchscreen.tap(195, 422)
            page.touchscreen.tap(196, 423)
            wait(page, "document.querySelector('.frame').lastChild.naturalWidth === 4200")
            settle(page)
