"""The calendar and the search."""

import re
import unicodedata

from browser import open_calendar, order, search, settle, wait


def day(page):
    return int(page.evaluate("document.activeElement.textContent"))


def label(page):
    return page.get_attribute(".calendar [role=grid]", "aria-label")


def test_calendar_shows_which_days_have_pictures(b):
    days = b.data("days")
    with b.page() as page:
        open_calendar(page)
        assert page.evaluate("document.querySelectorAll('.calendar [tabindex=\"0\"]').length") == 1
        for key in sorted(days, reverse=True):
            page.select_option(".calendar [aria-label=Year]", key[:4])
            page.select_option(".calendar [aria-label=Month]", str(int(key[5:]) - 1))
            links = page.evaluate("[...document.querySelectorAll('.calendar td a[href]')].map(a => +a.textContent)")
            assert links == [d for d in range(1, 32) if days[key] >> d - 1 & 1], (links, days[key])
            others = page.evaluate(
                """[...document.querySelectorAll('.calendar td a:not([href])')]
                .map(a => a.ariaDisabled === 'true' && /no picture/.test(a.ariaLabel))"""
            )
            assert all(others), key
            assert page.evaluate("document.querySelectorAll('.calendar td a').length") in (28, 29, 30, 31)


def test_calendar_works_by_keyboard(b):
    with b.page() as page:
        page.focus(".open-calendar")
        page.keyboard.press("Enter")
        wait(page, "document.querySelector('.calendar')?.open")
        page.keyboard.press("PageUp")
        assert label(page) == "February 2024"
        assert label(page) in page.evaluate("document.activeElement.ariaLabel")
        page.keyboard.press("Home")
        assert page.evaluate("document.activeElement.closest('td').cellIndex") == 0
        page.keyboard.press("End")
        assert page.evaluate("document.activeElement.closest('td').cellIndex") == 6
        page.keyboard.press("ArrowUp")
        number = day(page)
        page.keyboard.press("ArrowLeft")
        assert day(page) == number - 1
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowDown")
        assert day(page) == number + 7
        page.keyboard.press("PageDown")
        assert label(page) == "March 2024"
        for _ in range(4):  # the fourth year back is before the first month
            page.keyboard.press("Shift+PageUp")
        assert label(page) == "March 2021" and page.evaluate("!!document.activeElement.closest('.calendar td')")
        page.keyboard.press("Escape")
        settle(page)
        assert page.evaluate("document.activeElement.className") == "open-calendar"
        page.keyboard.press("Enter")
        wait(page, "document.querySelector('.calendar').open")
        page.keyboard.press("PageUp")
        page.keyboard.press("Home")
        here = page.evaluate("document.activeElement.getAttribute('href')")
        page.keyboard.press("Enter")
        wait(page, "document.querySelector('.details.shown')")
        assert page.url.endswith(here[here.index("#") :])


def test_calendar_leads_to_a_day_on_another_page(b):
    oldest = min(b.data("days"))
    with b.page() as page:
        open_calendar(page)
        page.select_option(".calendar [aria-label=Year]", oldest[:4])
        page.select_option(".calendar [aria-label=Month]", str(int(oldest[5:]) - 1))
        page.locator(".calendar td a[href]").first.click()
        wait(page, f"document.querySelector('.details.shown')?.id.startsWith('{oldest}')")
        assert f"/pages/{oldest}.html" in page.url


def test_search_finds_titles_and_texts(b):
    record = next(r for r in b.records() if "explanation" in r and re.match(r"[A-Za-z]+ [A-Za-z]+ ", r["title"]))
    with b.page() as page:
        # Search for the beginnings of the title's words, in upper case and in reverse order.
        search(page, " ".join(word[:4].upper() for word in reversed(record["title"].split())))
        found = page.evaluate("[...document.querySelectorAll('.results .title')].map(t => t.textContent)")
        assert record["title"] in found, (record["title"], found[:5])
        assert not page.locator(".grid").is_visible() and not page.locator(".hero").is_visible()
        assert "match" in page.locator("body > .status").text_content()
        page.keyboard.press("Escape")
        wait(page, "document.querySelector('.grid').checkVisibility() && !document.querySelector('#words').value")
        search(page, "qqqxyzzy")
        assert page.locator(".results h2").text_content() == "No picture matches “qqqxyzzy”"
        page.locator(".results button", has_text="Show all pictures").click()
        wait(page, "document.querySelector('.grid').checkVisibility()")
        assert page.evaluate("document.activeElement.id") == "words" and not page.locator(".results").is_visible()
        sentence = record["explanation"].split(".")[1]
        search(page, sentence)
        page.locator(".results .tile a").last.click()
        wait(page, "document.querySelector('.details.shown')")
        text = page.locator(".details.shown .text").text_content()
        assert all(word.strip(",:;").lower() in text.lower() for word in sentence.split())


def test_search_finds_pictures_on_other_pages(b):
    with b.page() as page:
        here = set(order(page))
        search(page, "undated 29")
        link = page.locator(".results .tile a")
        assert link.count() == 1
        id = link.evaluate("a => a.hash.slice(1)")
        assert id not in here
        link.click()
        wait(page, f"document.querySelector('.details.shown')?.id === '{id}'")
        # Going back shows the results and their words again.
        page.go_back()
        wait(page, "document.querySelector('.results .tile')")
        assert page.input_value("#words") == "undated 29"


def test_search_loads_only_the_files_of_its_words_and_results(b):
    assert b.data("search")["shards"] == 64, "the gallery has too few pictures for this test"
    with b.page() as page:
        loaded = lambda: re.findall(r"/data/([a-z]+)", " ".join(page.requested))
        search(page, "qqqxyzzy")
        assert sorted(loaded()) == ["search", "words"], loaded()
        search(page, "undated 29")
        assert page.locator(".results .tile").count() == 1
        # Also loads the words of `undated` and of `29`, and the row of the only result.
        assert sorted(loaded()) == ["rows", "search", "words", "words", "words"], loaded()


def test_search_loads_no_files_of_the_pictures_that_it_hides(b):
    with b.page() as page:
        settle(page)
        before = len(page.requested)
        search(page, "qqqxyzzy")
        settle(page)
        assert not [url for url in page.requested[before:] if "/pictures/" in url], page.requested[before:]
        # Hidden tiles cannot have the focus.
        assert not page.locator(".grid").is_visible()
        page.locator("#words").focus()
        page.keyboard.press("Tab")
        assert page.evaluate("!document.activeElement.closest('.grid')")


def test_show_more_adds_results(b):
    with b.page() as page:
        search(page, "sky")
        assert page.locator(".results .tile").count() == 60
        assert page.locator(".results h2").text_content() == "The first 60 pictures that match"
        page.locator(".results > button").focus()
        page.keyboard.press("Enter")
        wait(page, "document.querySelectorAll('.results .tile').length > 60")
        settle(page)
        # The first new result has the focus.
        assert page.evaluate(
            "[...document.querySelectorAll('.results .tile a')].indexOf(document.activeElement)"
        ) == 60
        found = page.locator(".results .tile").count()
        assert page.locator(".results h2").text_content() == f"{found} pictures match"
        assert not page.locator(".results > button").count()


def test_a_failed_search_can_be_repeated(b):
    if not b.is_served:
        return  # Playwright cannot replace responses of file://
    with b.page(faults=False) as page:
        page.route("**/data/search.js", lambda route: route.abort())
        page.fill("#words", "sky")
        wait(page, "/cannot be loaded/.test(document.querySelector('.results h2').textContent)")
        page.unroute("**/data/search.js")
        page.locator(".results button", has_text="Try again").click()
        wait(page, "document.querySelectorAll('.results .tile').length === 60")


def test_search_ignores_accents_and_case(b):
    with b.page() as page:
        apart = unicodedata.normalize("NFD", "Éclipse Zürich")
        for words in ("Éclipse Zürich", "ÉCLIPSE", "eclipse zurich", apart):
            search(page, words)
            assert "Éclipse over Zürich" in page.evaluate(
                "[...document.querySelectorAll('.results .title')].map(t => t.textContent)"
            ), words


def test_focus_returns_to_the_search_result(b):
    with b.page() as page:
        search(page, page.locator(".tile .title").nth(2).text_content()[:6])
        link = page.locator(".results .tile a[href^='#']").first
        href = link.get_attribute("href")
        link.click()
        settle(page)
        page.keyboard.press("Escape")
        settle(page)
        assert page.evaluate("document.activeElement.closest('.results') && document.activeElement.hash") == href
        # Another picture of the page has no visible tile.
        link.click()
        settle(page)
        page.keyboard.press("ArrowRight")
        settle(page)
        page.keyboard.press("Escape")
        settle(page)
        assert page.evaluate("document.activeElement.closest('.results, search') !== null")
