"""Compares resized animations with gifsicle's: bytes, SSIM and time.

  animations.py TOOL CORPUS WORK [RUNS]

TOOL is img-downsample, CORPUS a folder with animations in images/gif, WORK an empty folder. Resizes each animation, and
a drawn camera's view, to 50 % and to 180 pixels. The SSIM of a frame is measured on luma in windows of 7 x 7 pixels and
averaged over two references: the source's frame reduced with a box filter, which favours gifsicle, and with Lanczos's,
which favours img-downsample. Times are medians of RUNS (3). `scripts/bench animations` calls this script.
"""
import bisect, math, os, re, statistics, subprocess, sys, time

import numpy
from PIL import Image, ImageSequence

TOOL, CORPUS, WORK = sys.argv[1:4]
RUNS = int(sys.argv[4]) if len(sys.argv) > 4 else 3
SMALLEST = 64


def run(*arguments):
    """Runs a command. Returns its duration in seconds."""
    begin = time.perf_counter()
    subprocess.run([str(argument) for argument in arguments], check=True, capture_output=True)
    return time.perf_counter() - begin


def camera(path):
    """Draws a camera's view: a noisy street, whose noise changes in few pixels of each frame, and a moving square."""
    random = numpy.random.default_rng(1)
    y, x = numpy.mgrid[0:176, 0:1000]
    view = 110 + 50 * numpy.sin(x / 90) + 0.3 * y + 25 * (x // 60 % 3 == 0) + random.normal(0, 10, y.shape)
    frames = []
    for step in range(120):
        noisy = random.random(y.shape) < 0.02
        view[noisy] += random.normal(0, 8, int(noisy.sum()))
        frame = numpy.stack([view, view * 0.95, view * 0.85 + 10], axis=-1)
        frame[90:120, 5 * step : 5 * step + 40] = (180, 60, 50)
        frames.append(Image.fromarray(numpy.clip(frame, 0, 255).astype(numpy.uint8)))
    palette = frames[0].quantize(128)
    frames = [frame.quantize(palette=palette, dither=Image.Dither.NONE) for frame in frames]
    frames[0].save(path, save_all=True, append_images=frames[1:], duration=40, loop=0)


def frames(path):
    """Returns the frames on gray, and the start of each in milliseconds."""
    pictures, starts, now = [], [], 0
    with Image.open(path) as image:
        for frame in ImageSequence.Iterator(image):
            picture = Image.new("RGBA", frame.size, (128, 128, 128, 255))
            picture.alpha_composite(frame.convert("RGBA"))
            pictures.append(picture.convert("RGB"))
            starts.append(now)
            now += frame.info.get("duration", 0)
    return pictures, starts


def luma(picture):
    return numpy.asarray(picture, dtype=float) @ numpy.array([0.299, 0.587, 0.114])


def window_means(values, side):
    sums = numpy.pad(values.cumsum(0).cumsum(1), ((1, 0), (1, 0)))
    return (sums[side:, side:] - sums[:-side, side:] - sums[side:, :-side] + sums[:-side, :-side]) / side**2


def ssim(a, b):
    side = min(7, *a.shape)
    mean_a, mean_b = window_means(a, side), window_means(b, side)
    variance_a = window_means(a * a, side) - mean_a**2
    variance_b = window_means(b * b, side) - mean_b**2
    covariance = window_means(a * b, side) - mean_a * mean_b
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    return float(
        ((2 * mean_a * mean_b + c1) * (2 * covariance + c2)
         / ((mean_a**2 + mean_b**2 + c1) * (variance_a + variance_b + c2))).mean())


class Source:
    def __init__(self, path):
        self.path = path
        self.frames, self.starts = frames(path)
        self.bytes = os.path.getsize(path)
        self.references = {}

    def reference(self, size, number):
        key = size, number
        if key not in self.references:
            filters = Image.Resampling.BOX, Image.Resampling.LANCZOS
            self.references[key] = [luma(self.frames[number].resize(size, filter)) for filter in filters]
        return self.references[key]

    def ssim(self, path):
        """Returns the mean SSIM of a file's frames. Finds frames by time if equal frames are merged."""
        shown, starts = frames(path)
        sums = []
        for number, start in enumerate(self.starts):
            place = number if len(shown) == len(self.frames) else max(bisect.bisect_right(starts, start) - 1, 0)
            picture = luma(shown[place])
            sums += [ssim(picture, reference) for reference in self.reference(shown[place].size, number)]
        return statistics.mean(sums)


def geometric(values):
    return math.exp(statistics.mean(map(math.log, values)))


def sources():
    drawn = f"{WORK}/camera.gif"
    camera(drawn)
    folder = f"{CORPUS}/images/gif"
    for path in [drawn] + [f"{folder}/{name}" for name in sorted(os.listdir(folder)) if name.endswith(".gif")]:
        try:
            with Image.open(path) as image:
                if getattr(image, "n_frames", 1) < 2 or min(image.size) < SMALLEST:
                    continue
            yield Source(path)
        except (OSError, EOFError, SyntaxError):
            continue


def main():
    version = subprocess.run(["gifsicle", "--version"], capture_output=True, text=True).stdout.splitlines()[0]
    print(f"{version}: -O3 --resize-width W --resize-method mix --resize-colors 256")
    print(f"{'':28}{'':>6}{'':>8}|{'gifsicle':^23}|{'gif':^32}|{'webp':^23}")
    columns = f"{'bytes':>9}{'SSIM':>8}{'ms':>6}"
    print(f"{'':28}{'width':>6}{'source':>8}|{columns}|{columns}{'ratio':>9}|{columns}")
    ratios, losses, times, worse = [], [], [], 0
    only = re.compile(os.environ.get("BENCH_ONLY", ""))
    for source in sources():
        name = os.path.basename(source.path)
        if not only.search(name):
            continue
        width = source.frames[0].size[0]
        for target in [(width + 1) // 2] + ([180] if width > 180 else []):
            out = {kind: f"{WORK}/{name}-{target}-{kind}" for kind in ("gifsicle.gif", "ours.gif", "ours.webp")}
            commands = {
                "gifsicle.gif": (
                    "gifsicle", "-w", "-O3", "--resize-width", target, "--resize-method", "mix", "--resize-colors", 256,
                    source.path, "-o", out["gifsicle.gif"]),
                **{kind: (TOOL, source.path, "--width", target, "-o", out[kind]) for kind in ("ours.gif", "ours.webp")},
            }
            seconds = {kind: [] for kind in out}
            try:
                for _ in range(RUNS):
                    for kind, command in commands.items():
                        seconds[kind].append(run(*command))
                rows = [
                    (os.path.getsize(out[kind]), source.ssim(out[kind]), statistics.median(seconds[kind]) * 1e3)
                    for kind in out
                ]
            except subprocess.CalledProcessError as error:
                print(f"{name:28}{target:6} fails: {error.stderr.decode(errors='replace').strip()[:80]}")
                continue
            theirs, ours, webp = rows
            ratios.append(ours[0] / theirs[0])
            losses.append(ours[1] - theirs[1])
            times.append(ours[2] / theirs[2])
            worse += ours[0] > theirs[0] or ours[1] < theirs[1]
            cells = ["%9d%8.4f%6.0f" % row for row in rows]
            cells[1] += f"{ratios[-1]:9.3f}"
            print(f"{name[:27]:28}{target:6}{source.bytes:8}|" + "|".join(cells), flush=True)
    print(
        f"{len(ratios)} rows: bytes {geometric(ratios):.3f} of gifsicle's, SSIM {statistics.mean(losses):+.4f},"
        f" time {geometric(times):.2f}, at most {max(times):.2f}; {worse} rows with more bytes or a lower SSIM")


if __name__ == "__main__":
    main()
