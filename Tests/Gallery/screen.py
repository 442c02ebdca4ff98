"""Screenshots, positions in the enlarged picture, and shifts between screenshots."""

import io

from PIL import Image, ImageFilter

VIEW = """(() => {
    const frame = document.querySelector('.frame'), { x, y, width, height } = frame.getBoundingClientRect();
    return { x, y, width, height, layers: frame.children.length,
        natural: Math.max(...[...frame.children].map(image => image.naturalWidth)) };
})()"""


def point(page, fx, fy):
    """Returns the screen position of a point of the enlarged picture, given as fractions of width and height."""
    view = page.evaluate(VIEW)
    return view["x"] + fx * view["width"], view["y"] + fy * view["height"]


def fraction(page, x, y):
    """Returns the point of the enlarged picture at a screen position, as fractions of width and height."""
    view = page.evaluate(VIEW)
    return (x - view["x"]) / view["width"], (y - view["y"]) / view["height"]


def image(page, clip=None):
    """Returns a grey screenshot of the window or of a part."""
    return grey(page.screenshot(clip=clip) if clip else page.screenshot())


def grey(png):
    return Image.open(io.BytesIO(png)).convert("L")


def smooth(picture):
    return picture.filter(ImageFilter.GaussianBlur(2))


def shift(a, b):
    """Returns the shift from a to b in pixels: the translation that best explains the difference (Lucas and Kanade)."""
    width, height = a.size
    pa, pb = a.load(), b.load()
    xx = xy = yy = xt = yt = 0
    for y in range(1, height - 1, 2):
        for x in range(1, width - 1, 2):
            gx = (pa[x + 1, y] - pa[x - 1, y]) / 2
            gy = (pa[x, y + 1] - pa[x, y - 1]) / 2
            t = pb[x, y] - pa[x, y]
            xx, xy, yy = xx + gx * gx, xy + gx * gy, yy + gy * gy
            xt, yt = xt + gx * t, yt + gy * t
    det = xx * yy - xy * xy
    if det <= 0:
        return 0.0, 0.0
    return (xy * yt - yy * xt) / det, (xy * xt - xx * yt) / det
