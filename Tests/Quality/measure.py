"""Compares the visual quality and size of img-downsample's files with those of other programs.

  measure.py TOOL CORPUS WORK

TOOL is img-downsample, CORPUS a folder with the pictures below in images/photos and images/gif, WORK an empty folder.
In the output, "score" is the SSIMULACRA2 score of a file (100: identical, 90 and above: no visible difference, 70:
good). The PSNR of luma is printed too. Sizes at an equal score are interpolated between the measured qualities.
`scripts/bench quality` calls this script.
"""
import io, math, os, shutil, statistics, subprocess, sys, time
from concurrent.futures import ThreadPoolExecutor

import numpy
import oxipng
import ssimulacra2
from PIL import Image

TOOL, CORPUS, WORK = sys.argv[1:4]
PHOTOS = [
    "MW_2mass.jpg", "astronaut-5250-progressive.jpg", "default_apod_image.jpg", "exoplanet-diagram-4k.png",
    "flower_cropped.jpg", "hubble_deep_field.jpg", "m31-andromeda.png", "mars-map.jpg", "phone-12mp-display-p3.jpg",
    "shadedrelief.jpg",
]
DRAWINGS = ["IndexedPNG.png", "p3.png", "scan-1bit-2809.png", "indexed.png", "exoplanet-diagram-4k.png"]
QUALITIES = [50, 60, 70, 82, 90, 95]


def run(*arguments):
    """Runs a command. Returns its duration in seconds."""
    begin = time.perf_counter()
    subprocess.run([str(argument) for argument in arguments], check=True, capture_output=True)
    return time.perf_counter() - begin


def geometric(values):
    values = list(values)
    return math.exp(sum(map(math.log, values)) / len(values)) if values else float("nan")


class Picture:
    """A picture reduced to 640 pixels, stored losslessly."""

    def __init__(self, name):
        self.name = name.split(".")[0]
        self.path = f"{WORK}/{self.name}.png"
        run(TOOL, f"{CORPUS}/images/photos/{name}", "--width", 640, "--format", "png", "-o", self.path)
        with Image.open(self.path) as image:
            self.image = image.convert("RGB")
        self.image.save(self.path)

    def score(self, path):
        """Returns the SSIMULACRA2 score of a file, and the PSNR of its luma in dB."""
        shown = f"{path}.png"
        with Image.open(path) as image:
            image = image.convert("RGB")
        image.save(shown)
        ours, theirs = (numpy.asarray(i.convert("L"), dtype=float) for i in (image, self.image))
        error = float(((ours - theirs) ** 2).mean())
        return ssimulacra2.compute_ssimulacra2(self.path, shown), 10 * math.log10(255**2 / max(error, 1e-6))


class Encoder:
    """An encoder that writes a picture at a given quality."""

    def __init__(self, name, kind, write):
        self.name, self.kind, self.write = name, kind, write

    def points(self, picture):
        """Returns the SSIMULACRA2 score, PSNR, bytes and seconds for each quality."""
        points = []
        for quality in QUALITIES:
            path = f"{WORK}/{picture.name}-{self.name.replace(' ', '-')}-{quality}.{self.kind}"
            seconds = self.write(picture, quality, path)
            points.append((*picture.score(path), os.path.getsize(path), seconds))
        return points


def ours(kind, *options):
    return lambda picture, quality, path: run(TOOL, picture.path, "--quality", quality, *options, "-o", path)


def libjpeg(picture, quality, path):
    begin = time.perf_counter()
    picture.image.save(path, "JPEG", quality=quality, subsampling=2)
    return time.perf_counter() - begin


def cwebp(*options):
    return lambda picture, quality, path: run("cwebp", "-quiet", "-q", quality, *options, picture.path, "-o", path)


def ratio_at_equal_score(points, base):
    """Returns the mean size relative to `base` at equal SSIMULACRA2 scores, over the scores that both reach."""
    def line(points):
        points = sorted((score, math.log(size)) for score, _, size, _ in points)
        return [score for score, _ in points], [size for _, size in points]
    (scores, sizes), (base_scores, base_sizes) = line(points), line(base)
    common = [
        (float(numpy.interp(score, scores, sizes)), size)
        for score, size in zip(base_scores, base_sizes) if scores[0] <= score <= scores[-1]
    ]
    return math.exp(statistics.mean(size - base for size, base in common)) if common else float("nan")


def compare(title, pictures, encoders):
    """Prints each encoder's size relative to the first encoder at equal scores, and its results at quality 82."""
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        tasks = {(encoder.name, p.name): pool.submit(encoder.points, p) for encoder in encoders for p in pictures}
        points = {key: task.result() for key, task in tasks.items()}
    print(f"\n{title}")
    columns = f"{'worst':>7} {'at 82: bytes':>13} {'score':>6} {'PSNR-Y':>7} {'ms':>6}"
    print(f"{'':24} {'bytes at equal score':>20} {columns}")
    usual = QUALITIES.index(82)
    for encoder in encoders:
        ratios = [
            ratio_at_equal_score(points[encoder.name, p.name], points[encoders[0].name, p.name]) for p in pictures
        ]
        ratios = [ratio for ratio in ratios if not math.isnan(ratio)]
        at = [points[encoder.name, p.name][usual] for p in pictures]
        print(
            f"{encoder.name:24} {geometric(ratios):20.3f} {max(ratios, default=math.nan):7.3f}"
            f" {sum(size for _, _, size, _ in at):13} {statistics.mean(a[0] for a in at):6.1f}"
            f" {statistics.mean(a[1] for a in at):7.1f} {statistics.median(a[3] for a in at) * 1e3:6.0f}")
    return points


def print_scores(points, pictures, names):
    print("\nMean score (SSIMULACRA2) of each quality")
    print(f"{'':24}" + "".join(f"{quality:7}" for quality in QUALITIES))
    for name in names:
        means = [statistics.mean(points[name, p.name][place][0] for p in pictures) for place in range(len(QUALITIES))]
        print(f"{name:24}" + "".join(f"{mean:7.1f}" for mean in means))


def few_colours():
    print("\nPNGs of few colours, bytes")
    print(f"{'':34}{'source':>9}{'effort 0':>9}{'3':>9}{'9':>9}{'oxipng -o 2':>12}")
    ratios = []
    for name in DRAWINGS:
        path, out = f"{CORPUS}/images/photos/{name}", f"{WORK}/drawing.png"
        if not os.path.exists(path):
            continue
        sizes = []
        for effort in (0, 3, 9):
            run(TOOL, path, "--effort", effort, "-o", out)
            sizes.append(os.path.getsize(out))
        with open(path, "rb") as file:
            other = len(oxipng.optimize_from_memory(file.read(), level=2, strip=oxipng.StripChunks.all()))
        ratios.append(sizes[-1] / other)
        print(f"{name:34}{os.path.getsize(path):9}" + "".join(f"{size:9}" for size in sizes) + f"{other:12}")
    print(f"effort 9 takes {geometric(ratios):.3f} of oxipng's bytes")


def animations():
    folder = f"{CORPUS}/images/gif"
    sums = {"source": 0, "gif, effort 3": 0, "gif, effort 9": 0, "webp, effort 3": 0, "gifsicle -O3": 0}
    for name in sorted(os.listdir(folder)):
        path = f"{folder}/{name}"
        if not name.endswith(".gif"):
            continue
        try:
            sizes = {"source": os.path.getsize(path)}
            for kind, effort in (("gif", 3), ("gif", 9), ("webp", 3)):
                run(TOOL, path, "--effort", effort, "-o", f"{WORK}/animation.{kind}")
                sizes[f"{kind}, effort {effort}"] = os.path.getsize(f"{WORK}/animation.{kind}")
            if shutil.which("gifsicle"):
                # gifsicle optimises our own file, so both show the same pixels.
                run("gifsicle", "-O3", f"{WORK}/animation.gif", "-o", f"{WORK}/other.gif")
                sizes["gifsicle -O3"] = os.path.getsize(f"{WORK}/other.gif")
        except subprocess.CalledProcessError:
            continue
        for key, size in sizes.items():
            sums[key] += size
    print("\nGIFs, bytes of all")
    for key, size in sums.items():
        print(f"{key:24}{size:10}")


if __name__ == "__main__":
    pictures = [Picture(name) for name in PHOTOS if os.path.exists(f"{CORPUS}/images/photos/{name}")]
    efforts = [0, 3, 6, 9]
    jpegs = [Encoder("jpeg, libjpeg-turbo", "jpg", libjpeg)]
    jpegs += [Encoder(f"jpeg, effort {effort}", "jpg", ours("jpg", "--effort", effort)) for effort in efforts]
    points = compare("JPEG", pictures, jpegs)
    webps = [Encoder("webp, chroma 420", "webp", ours("webp", "--effort", 0, "--chroma", 420))]
    webps += [Encoder(f"webp, effort {effort}", "webp", ours("webp", "--effort", effort)) for effort in efforts]
    if shutil.which("cwebp"):
        webps.append(Encoder("cwebp -m 6 -sharp_yuv", "webp", cwebp("-m", 6, "-sharp_yuv")))
    points |= compare("WebP", pictures, webps)
    avifs = [Encoder("avif, chroma 420", "avif", ours("avif", "--chroma", 420)), Encoder("avif", "avif", ours("avif"))]
    points |= compare("AVIF", pictures, avifs)
    print_scores(points, pictures, ["jpeg, libjpeg-turbo", "jpeg, effort 3", "webp, effort 3", "avif"])
    few_colours()
    animations()
