"""The details of a picture: content, opening, closing, addresses."""

import json
import re

from browser import ids, is_open, order, open_first, pictured, settle, shown, tile, wait, wait_for_slide


def test_details_show_all_fields_of_a_record(b):
    record = next(r for r in b.records() if "apod" in r and "credit" in r and "permalink" in r and "variants" in r)
    with b.page("index.html#" + record["gallery"]["id"]) as page:
        wait_for_slide(page, record["gallery"]["id"])
        slide = page.locator(".details.shown")
        assert slide.locator("h2").text_content() == record["title"]
        assert slide.locator("time").get_attribute("datetime") == record["date"]
        text = slide.locator(".text > p:not(.when)").all_text_contents()
        assert re.sub(r"\s", "", "".join(text)) == re.sub(r"\s", "", record["explanation"]), text
        assert any(record["credit"] in credit for credit in slide.locator(".credit").all_text_contents())
        # The links in the text, and the link to the picture's page.
        marks = [mark["href"] for mark in record["apod"]["marks"]]
        links = page.evaluate("[...document.querySelectorAll('.details.shown .text p a')].map(a => a.href)")
        assert marks and set(marks) <= set(links) and record["permalink"] in links, (marks, links)
        assert slide.locator("img").get_attribute("alt")


def test_closing_details_restores_focus_and_scroll_position(b):
    with b.page() as page:
        page.evaluate("scrollTo(0, 900)")
        settle(page)
        id = page.evaluate(
            """[...document.querySelectorAll('.tile:not(.missing) a')]
            .find(a => a.getBoundingClientRect().top > 150).hash.slice(1)"""
        )
        top = page.evaluate("scrollY")
        # Playwright's `click` may scroll the page in Firefox.
        box = tile(page, id).bounding_box()
        page.mouse.click(box["x"] + 20, box["y"] + 20)
        assert page.evaluate("location.hash") == "#" + id and shown(page) == id and is_open(page)
        assert page.evaluate("document.activeElement.id") == id + "-title"
        assert page.evaluate("document.querySelector('main').inert && document.querySelector('header').inert")
        page.keyboard.press("Escape")
        settle(page)
        assert not is_open(page) and page.evaluate("location.hash") == ""
        assert abs(page.evaluate("scrollY") - top) < 2, (page.evaluate("scrollY"), top)
        assert page.evaluate("document.activeElement.hash") == "#" + id
        assert not page.evaluate("document.querySelector('main').inert")


def test_tab_stays_in_the_details(b):
    with b.page() as page:
        open_first(page)
        for _ in range(14):
            page.keyboard.press("Tab")
            assert page.evaluate(
                """document.activeElement === document.body
                || document.querySelector('.viewer').contains(document.activeElement)
                && !document.activeElement.closest('[inert]')"""
            )


def test_back_and_forward_close_and_open_details(b):
    with b.page() as page:
        id = open_first(page)
        page.go_back()
        settle(page)
        assert not is_open(page)
        page.go_forward()
        settle(page)
        assert is_open(page) and shown(page) == id
        other = pictured(page)[5]
        page.evaluate(f"location.hash = '#{other}'")
        settle(page)
        assert shown(page) == other
        page.go_back()
        settle(page)
        assert shown(page) == id
        page.go_back()
        settle(page)
        assert not is_open(page)


def test_addresses_lead_to_pictures_on_other_pages(b):
    with b.page() as page:
        here = set(order(page))
    records = [record for record in b.records() if record["gallery"]["id"] not in here]
    undated = [record["gallery"]["id"] for record in records if "date" not in record]
    dated = [record["gallery"]["id"] for record in records if "date" in record]
    second = [id for id in dated if len(id) > 10]
    later = [days for page, days in b.data("names-9").items() if page.count(".") == 2]
    crowded = [day for days in later for day in days if day not in here]
    assert len(undated) == 30 and second and crowded
    # The oldest day, a day on a later page of its month, the second picture of a day, and the first and the last
    # picture without a day, which are on different pages.
    for id in [min(dated), crowded[0], second[0], undated[0], undated[-1]]:
        with b.page("index.html#" + id) as page:
            wait_for_slide(page, id)
            assert "/pages/" in page.url and page.url.endswith("#" + id), page.url
    # The first page of a month leads to a picture on another page of the month.
    with b.page(f"pages/{second[0][:7]}.html#{second[0]}") as page:
        wait_for_slide(page, second[0])


def test_unknown_address_is_announced(b):
    for id in ("1999-01-01", "p-000000000000", "../../x", "%3Cb%3E", "2024-13-45"):
        with b.page("index.html#" + id, faults=False) as page:
            wait(page, "/no picture/i.test(document.querySelector('body > .status').textContent)", id)
            assert not is_open(page)
            # Requests for data files that do not exist fail.
            assert not [fault for fault in page.faults if "404" not in fault and "ERR" not in fault], page.faults


def test_a_day_whose_first_picture_is_gone_shows_the_second(b):
    record = next(r for r in b.records() if len(r["gallery"]["id"]) > 10 and r.get("date") == "2024-03-06")
    script = "document.getElementById('2024-03-06').remove(); document.getElementById('t-2024-03-06').remove();"
    init = f"document.addEventListener('readystatechange', () => {{ {script} }}, {{ once: true }})"
    with b.page("index.html#2024-03-06", init=init) as page:
        wait_for_slide(page, record["gallery"]["id"])


def test_details_opened_by_an_address_can_be_closed(b):
    with b.page() as page:
        id = pictured(page)[-3]
    with b.page("index.html#" + id) as page:
        wait_for_slide(page, id)
        page.keyboard.press("Escape")
        settle(page)
        assert not is_open(page) and page.url.endswith("index.html")


def test_last_picture_of_a_page_leads_to_the_next_page(b):
    with b.page() as page:
        last = order(page)[-1]
        tile(page, last).click()
        href = page.locator(f"[id='{last}'] [rel=next]").get_attribute("href")
        assert href.startswith("pages/"), href
        page.keyboard.press("ArrowRight")
        page.wait_for_url(re.compile(re.escape(href.split("/")[-1])))
        wait(page, f"document.querySelector('.details.shown')?.id === {json.dumps(href.split('#')[1])}")
        assert page.locator(".viewer .back").get_attribute("href")


def test_a_video_day_shows_its_still_and_a_link(b):
    with b.page() as page:
        video = ids(page, ".video:not(.missing)")[0]
        tile(page, video).click()
        settle(page)
        assert page.evaluate("document.querySelector('.details.shown figure img').naturalWidth") > 100
        link = page.locator(".details.shown .links a").first
        assert "video" in link.text_content().lower() and "noopener" in link.get_attribute("rel")
        assert not page.locator("iframe, video").count()
        mark, still = (page.locator(f".details.shown {part}").bounding_box() for part in (".play", "figure"))
        for start, length in (("x", "width"), ("y", "height")):
            assert abs(mark[start] + mark[length] / 2 - still[start] - still[length] / 2) < 1.5, (mark, still)


def test_a_player_is_loaded_only_after_a_click(b):
    with b.page("pages/2024-01.html") as page:
        policy = page.get_attribute("meta[http-equiv=Content-Security-Policy]", "content")
        assert "; frame-src https://www.youtube-nocookie.com" in policy, policy
        page.route("https://www.youtube*/**", lambda route: route.fulfill(content_type="text/html", body="A video"))
        id = ids(page, ".video.missing")[0]
        tile(page, id).click()
        wait_for_slide(page, id)
        settle(page)
        play = page.locator(".details.shown .play")
        link = play.get_attribute("href")
        assert link.startswith("https://www.youtube.com/watch?v=sample"), link
        assert link in page.evaluate("[...document.querySelectorAll('.details.shown .links a')].map(a => a.href)")
        assert not page.locator("iframe").count() and not [url for url in page.requested if "youtube" in url]
        play.click()
        if b.is_served:
            frame = page.locator(".details.shown figure iframe")
            assert frame.get_attribute("sandbox") == "allow-scripts allow-same-origin"
            assert frame.get_attribute("src").startswith("https://www.youtube-nocookie.com/embed/sample")
            assert page.frame_locator("iframe").locator("body").text_content() == "A video"
            page.locator(".viewer .back").click()
            settle(page)
            assert not page.locator("iframe").count(), "a player stays in a slide that is not shown"
        else:
            page.wait_for_url(link)
        page.requested[:] = [url for url in page.requested if "youtube" not in url]
    with b.page("pages/undated.html") as page:
        assert "frame-src" not in page.get_attribute("meta[http-equiv=Content-Security-Policy]", "content")


def test_a_landscape_phone_shows_picture_and_text_side_by_side(b):
    with b.page(width=740, height=360, has_touch=True, is_mobile=True) as page:
        open_first(page, 2)
        picture, text = (page.locator(f".details.shown {part}").bounding_box() for part in ("figure", ".text"))
        assert picture["x"] + picture["width"] <= text["x"] + 1 and abs(picture["y"] - text["y"]) < 1, (picture, text)
        assert picture["width"] > 400 and text["width"] > 280, (picture, text)


def test_text_does_not_scroll_below_the_buttons_of_a_phone(b):
    with b.page(width=390, height=844) as page:
        open_first(page, 2)
        bar, slide = (page.locator(part).bounding_box() for part in (".viewer .tools", ".details.shown"))
        assert slide["y"] >= bar["y"] + bar["height"] - 1, (bar, slide)
        alpha = page.evaluate("getComputedStyle(document.querySelector('.viewer .tools')).backgroundColor")
        assert alpha == "rgb(11, 12, 14)", alpha


def test_a_failure_shows_its_reason(b):
    with b.page() as page:
        failed = ids(page, ".missing:not(.video)")
        words = page.locator(f"[id='t-{failed[0]}'] .reason").text_content()
        assert words == "This picture could not be loaded", words
        reason = next(r["error"]["message"] for r in b.records() if r["gallery"]["id"] == failed[0])
        tile(page, failed[0]).click()
        settle(page)
        slide = page.locator(".details.shown")
        assert slide.locator(".reason").text_content() == words + reason and not slide.locator(".enlarge").count()
        # No button covers the text.
        assert page.evaluate(
            """(() => {
            const range = document.createRange();
            range.selectNodeContents(document.querySelector('.details.shown .reason'));
            const words = [...range.getClientRects()];
            return [...document.querySelectorAll('.tools > *')].filter(e => e.checkVisibility()).every(e => {
                const a = e.getBoundingClientRect();
                return words.every(b => a.right < b.left || b.right < a.left || a.bottom < b.top || b.bottom < a.top);
            });
        })()"""
        )
