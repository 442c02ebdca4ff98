"""Hostile texts and addresses, the content security policy, requests, and pages without JavaScript."""

import json
import re

from browser import enlarge, escape, open_calendar, open_first, search, settle

# Elements and attributes that no page of a gallery has.
MARKUP = """[...document.querySelectorAll('script:not([src]), style, iframe, svg, form, base, object, embed,'
    + '[onerror], [onload], [onclick], [srcdoc], meta[http-equiv=refresh]')].map(e => e.outerHTML.slice(0, 90))"""

ADDRESSES = """[...document.querySelectorAll('[href], [src]')]
    .map(e => e.getAttribute('href') ?? e.getAttribute('src'))"""

LOADED = """[...document.querySelectorAll('img, script, link:not([rel=alternate]), source, video, audio')]
    .map(e => e.src || e.href)"""

UNGUARDED = """[...document.querySelectorAll('a[href^=http]')]
    .filter(a => !a.relList.contains('noopener') || !a.relList.contains('noreferrer')).map(a => a.outerHTML)"""


def test_200_hostile_records_inject_no_markup(b):
    seen = set()
    for gallery in ("site", "hostile"):
        for path in b.pages(gallery):
            with b.page(path, gallery) as page:
                assert not page.evaluate(MARKUP), (path, page.evaluate(MARKUP))
                bad = [a for a in page.evaluate(ADDRESSES) if re.match(r"\s*(javascript|data|vbscript|//)", a, re.I)]
                assert not bad, (path, bad)
                assert not page.evaluate(UNGUARDED), (path, page.evaluate(UNGUARDED))
                # Addresses outside the gallery may only be links.
                outside = [url for url in page.evaluate(LOADED) if not url.startswith(page.base)]
                assert not outside, (path, outside)
                if gallery == "hostile" and path != "pages/index.html":
                    titles = page.evaluate("[...document.querySelectorAll('.details h2')].map(h => h.textContent)")
                    seen |= {number for title in titles for number in re.findall(r"zzz(\d+)$", title)}
    assert len(seen) == 200, len(seen)


def test_hostile_records_stay_text_in_every_view(b):
    with b.page(gallery="hostile") as page:
        titles = page.evaluate("[...document.querySelectorAll('.details h2')].map(h => h.textContent)")
        assert any("<script>alert(1)</script> zzz" in title for title in titles), titles[:9]
        # Titles also appear in announcements, the overlay, the window title and the pager.
        for number in range(b.is_served, 6, 2):
            open_first(page, number)
            page.keyboard.press("ArrowRight")
            settle(page)
            escape(page)
        open_first(page, 2)
        enlarge(page)
        escape(page)
        escape(page)
        search(page, "zzz")
        found = page.evaluate("[...document.querySelectorAll('.results .title')].map(t => t.textContent)")
        assert len(found) == 60 and any("<script>" in title for title in found), found[:9]
        assert not page.evaluate(MARKUP), page.evaluate(MARKUP)
        open_calendar(page)


def test_hostile_data_files_inject_no_markup_and_no_addresses(b):
    if not b.is_served:
        return  # Playwright cannot replace responses of file://
    titles = ["zzz <img src=x onerror=alert(1)>", "zzz <script>alert(1)</script>", "zzz \u202e \u2028 {{{x}}}"]
    places = [
        (2, "2024-02-03", "pictures/x.jpg"),
        ("javascript:alert(1)", "<b>", "https://evil.example/x.png"),
        ("//evil.example/x", "", "pictures/../../x.png"),
        ("../../etc/passwd", "2024-99-99", "data:image/png,x"),
        (None, None, None),
        ("..\\..\\x", "2024-02-03", "pictures/\t../../../x"),
    ]
    rows = [
        [n, date, title, page, thumb, 4, 3]
        for n, (title, (page, date, thumb)) in enumerate((title, place) for title in titles for place in places * 9)
    ]

    # `days` contains a run of 99 pictures: from each picture to the next, the number increases by 1 and the day by 0.
    index = {"shards": 0, "days": [1, 0, 99], "keys": [], "recent": {n: row[2] for n, row in enumerate(rows)}}

    def answer(route):
        name = re.search(r"search|rows-\d+", route.request.url)[0]
        value = index if name == "search" else rows
        route.fulfill(content_type="text/javascript", body=f'galleryData("{name}",{json.dumps(value)})')

    with b.page(faults=False) as page:
        page.route(re.compile(r"/data/(search|rows-\d+)\.js"), answer)
        search(page, "zzz")
        assert page.locator(".results .tile").count() == 60
        assert not page.evaluate("document.querySelectorAll('.results [onerror], .results script').length")
        addresses = page.evaluate(
            "[...document.querySelectorAll('.results a, .results img')].map(e => e.href || e.src)"
        )
        assert all(address.startswith(page.base) for address in addresses if address), addresses
        assert not [fault for fault in page.faults if "404" not in fault and "ERR" not in fault], page.faults


FORBIDDEN = """() => {
    const script = document.createElement('script'), box = document.createElement('div');
    script.textContent = 'window.ran = 1';
    document.head.append(script);
    new Image().src = 'https://example.org/x.png';
    box.innerHTML = '<p style="color:red">';
    document.body.append(box);
}"""


def test_policy_blocks_inline_scripts_styles_and_requests(b):
    with b.page() as page:
        policy = page.get_attribute("meta[http-equiv=Content-Security-Policy]", "content")
        assert "default-src 'none'" in policy and "unsafe" not in policy, policy
        assert page.evaluate("document.documentElement.classList.contains('js')")
        assert page.evaluate("getComputedStyle(document.querySelector('.grid ul')).display") == "flex"
        assert page.evaluate("document.querySelector('.hero img').naturalWidth") > 0
    with b.page(faults=False) as page:
        page.evaluate(FORBIDDEN)
        settle(page)
        assert page.evaluate("window.ran") is None
        assert page.evaluate("getComputedStyle(document.querySelector('div p')).color") != "rgb(255, 0, 0)"
        assert sum("Content Security Policy" in fault for fault in page.faults) >= 3, page.faults
        page.requested[:] = [url for url in page.requested if "example.org" not in url]


def test_views_request_only_files_of_the_gallery(b):
    # With file:, the browser is offline.
    with b.page() as page:
        page.context.set_offline(not b.is_served)
        settle(page)
        for kind in (".video", ".missing", ":not(.missing)"):
            page.locator(f".tile{kind} a").first.click()
            settle(page)
            escape(page)
        open_first(page, 2)
        enlarge(page)
        page.keyboard.press("ArrowRight")
        settle(page)
        escape(page)
        page.keyboard.press("Escape")
        open_calendar(page)
        page.keyboard.press("Escape")
        search(page, "a")
        assert page.locator(".results .tile").count()
        assert len(page.requested) > 20 and all(url.startswith(page.base) for url in page.requested)
        assert not page.evaluate("document.cookie || localStorage.length || sessionStorage.length")


def test_pages_work_without_javascript(b):
    with b.page(java_script_enabled=False) as page:
        assert not page.locator("#words").is_visible() and not page.locator("button:visible").count()
        link = page.locator(".tile:not(.missing) a").nth(1)
        id = link.get_attribute("href")[1:]
        link.click()
        article = page.locator(f"[id='{id}']")
        assert article.is_visible() and article.locator("h2").is_visible() and article.locator("img").is_visible()
        assert not page.locator("button:visible").count()
        assert page.locator(".details:visible").count() == 1
        article.locator(".steps [rel=next]").click()
        assert not article.is_visible() and page.locator(".details:visible").count() == 1
        page.go_back()
        assert article.is_visible()
        article.locator(".close").click()
        assert page.locator(".details:visible").count() == 0
    with b.page("pages/index.html", java_script_enabled=False) as page:
        page.locator(".year a").first.click()
        # The click does not wait for the page that it opens.
        page.locator(".tile").first.wait_for()
        assert page.locator(".tile").count() > 0
