"""Writes records for the galleries of the tests.

    python3 records.py strange < DAYS        the days, some with unusual or hostile titles
    python3 records.py public ADDRESS < DAYS the days, with a public host instead of ADDRESS
    python3 records.py drawn FOLDER          records of unusual pictures, which it draws in FOLDER
    python3 records.py tagged FOLDER         records of some of these pictures with tags, and a failure
    python3 records.py animated FOLDER       a large and a small animation, which it draws in FOLDER, a picture and a
                                             movie
    python3 records.py hostile PICTURE       200 records whose texts all try to inject markup
"""

import json
import pathlib
import sys

from PIL import Image, ImageDraw

SCRIPT = "<script>alert(1)</script>"
TITLES = [
    "</script>" + SCRIPT,
    "<img src=x onerror=alert(1)>",
    '" onload="alert(1)',
    "'-alert(1)-'",
    "{{title}} {{{head}}} ${1}",
    "javascript:alert(1)",
    "\u05dc\u05d9\u05dc\u05d4 \u05d8\u05d5\u05d1 \u05d9\u05e8\u05d7",
    "\u00c9clipse over Z\u00fcrich",
    "A title that goes on and on " * 8,
    "&lt;b&gt; &amp;",
]
# The texts of the hostile gallery.
ATTACKS = TITLES + [
    "--><!--" + SCRIPT,
    "]]>" + SCRIPT,
    "</title>" + SCRIPT,
    "</article></section></main>" + SCRIPT,
    "<svg/onload=alert(1)>",
    "<iframe srcdoc='&lt;script&gt;alert(1)&lt;/script&gt;'>",
    "<style>*{display:none}</style>",
    "<base href=https://evil.example/>",
    "<meta http-equiv=refresh content='0;url=https://evil.example/'>",
    '");alert(1);("',
    "\u2028alert(1)\u2029",
    "\\u003cscript\\u003ealert(1)",
    "\u202e<gmi>\u202c",
    "`${alert(1)}`",
    "<a href=javascript:alert(1)>x</a>",
]
ADDRESSES = [
    "javascript:alert(1)",
    "data:text/html," + SCRIPT,
    "https://example.org/\" onclick=\"alert(1)",
    "vbscript:x",
    "java\nscript:alert(1)",
    "https://user:word@example.org/",
    "//evil.example/x",
    "https://example.org/'><script>alert(1)</script>",
]


def write(record):
    print(json.dumps(record, ensure_ascii=False))


def strange():
    for number, line in enumerate(sys.stdin):
        record = json.loads(line)
        if number % 4 == 1 and "title" in record:
            record["title"] = TITLES[number // 4 % len(TITLES)]
        write(record)


def public(address):
    # Galleries omit private addresses, but the tests need links.
    for line in sys.stdin:
        print(line.replace(address, "https://apod.example.org"), end="")


def drawn(folder):
    folder = pathlib.Path(folder).resolve()
    clear = Image.new("RGBA", (900, 600), (0, 0, 0, 0))
    ImageDraw.Draw(clear).ellipse((300, 150, 600, 450), fill=(10, 10, 10, 255))
    clear.save(folder / "clear.png")
    write({"path": str(folder / "clear.png"), "title": "A dark disc", "date": "2024-03-12"})
    # Second pictures of two days. The first day is on the start page; the other is on the second page of its month.
    write({"path": str(folder / "large.jpg"), "title": "The largest", "date": "2024-03-06"})
    write({"path": str(folder / "second.jpg"), "title": "The second of its day", "date": "2024-01-28"})
    # The same month and day as the largest picture, three years earlier. The page of this month has no other picture.
    write({"path": str(folder / "second.jpg"), "id": "earlier", "title": "Three years earlier", "date": "2021-03-06"})
    for number in range(30):
        size = [(320, 200), (900, 180), (160, 420), (700, 466)][number % 4]
        picture = Image.linear_gradient("L").resize(size)
        colours = Image.merge("RGB", [picture.rotate(90 * number), picture, picture.point(lambda v: 255 - v)])
        colours.save(folder / f"undated-{number}.jpg")
        write({"path": str(folder / f"undated-{number}.jpg"), "title": f"Undated {number}"})


def tagged(folder):
    tags = [["Moon", "sky over mountains"], ["Moon"], ["Moon", "\u05d9\u05e8\u05d7", "w" * 100]]
    for number, names in enumerate(tags * 2):
        path = pathlib.Path(folder).resolve() / f"undated-{number}.jpg"
        write({"path": str(path), "title": f"Tagged {number}", "date": f"2024-0{number + 1}-05", "tags": names})
    error = {"tool": "x", "code": "not-found", "message": "gone", "transient": False, "exit": 69}
    write({"title": "A failure", "date": "2024-08-05", "tags": "Moon", "error": error})


def animated(folder):
    folder = pathlib.Path(folder).resolve()
    for number, size in enumerate([(1600, 1000), (300, 200)]):
        # The first frame is blue, the others are red. Without `loop`, the animation ends with the last frame.
        frames = [Image.new("RGB", size, colour) for colour in ("#2040c0", "#c02020", "#d03030")]
        path = folder / f"animation-{number}.gif"
        frames[0].save(path, save_all=True, append_images=frames[1:], duration=[20, 200, 200])
        write({"path": str(path), "title": f"Animation {number}", "date": f"2024-05-0{3 - number}"})
    write({"path": str(folder / "second.jpg"), "title": "A picture", "date": "2024-05-01"})
    movie = {"url": "https://movies.example/a.webm", "media_type": "video", "explanation": "A comet rises."}
    write({"title": "A movie", "date": "2024-04-01", **movie})


def hostile(picture):
    for number in range(200):
        attack, address = ATTACKS[number % len(ATTACKS)], ADDRESSES[number % len(ADDRESSES)]
        record = {
            "path": str(pathlib.Path(picture).resolve()),
            # Distinguishes the records of the same file.
            "url": f"https://example.org/{number}.jpg",
            "title": f"{attack} zzz{number}",
            "explanation": f"{attack} {attack}\n\n{attack}",
            "credit": attack,
            "copyright": attack,
            "license": attack,
            "alt": attack,
            "permalink": address,
            "tags": [attack, f"{attack} {number}", "../../x", "x" * 256],
            "apod": {"marks": [{"start": 0, "end": 4, "href": address}]},
            "media_type": attack if number % 3 else "video",
        }
        if number % 2:
            record["date"] = f"2024-0{number % 9 + 1}-{number % 28 + 1:02}"
        if number % 5 == 0:
            del record["path"]
            record["error"] = {"tool": "x", "code": attack, "message": attack, "transient": False, "exit": 69}
        write(record)


if __name__ == "__main__":
    {"strange": strange, "public": public, "drawn": drawn, "tagged": tagged, "animated": animated, "hostile": hostile}[sys.argv[1]](*sys.argv[2:])
