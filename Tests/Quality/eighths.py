"""Measures the quality that a scaled decode of JPEGs loses, in img-downsample and in libvips.

  eighths.py TOOL CORPUS WORK

TOOL is img-downsample, CORPUS a folder with the pictures below in images/photos, WORK an empty folder. A JPEG decoder
can reduce a picture by N/8 while it decodes, which is fast but not a good filter. Each picture, 1,800 pixels wide, is
shrunk by the factors 1 to 8.5 to a JPEG of quality 89, once with the scaled decode that the program chooses and once
from the full decode. The table has the mean SSIMULACRA2 scores against a reduction of the full picture in linear light
with Lanczos's filter, and the mean and the worst loss by the scaled decode. `scripts/bench eighths` calls this script.
"""
import os, statistics, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

import pyvips
import ssimulacra2

TOOL, CORPUS, WORK = sys.argv[1:4]
PHOTOS = [
    "MW_2mass.jpg", "astronaut-5250-progressive.jpg", "default_apod_image.jpg", "exoplanet-diagram-4k.png",
    "flower_cropped.jpg", "hubble_deep_field.jpg", "m31-andromeda.png", "mars-map.jpg", "phone-12mp-display-p3.jpg",
    "shadedrelief.jpg",
]
WIDTH = 1800
# From quality 90 on, img-downsample uses a scaled decode only if it is at least 4 times as large as the output.
QUALITY = 89
FACTORS = [1 + step / 2 for step in range(16)] + [5.3]


def ours(decoder):
    def write(source, width, height, path):
        size = ["--width", str(width), "--height", str(height), "--content-mode", "force"]
        options = ["--quality", str(QUALITY), "--allow-path", WORK, "-o", path]
        environment = os.environ | {"APOD_TOOLS_DECODER": decoder}
        subprocess.run([TOOL, source, *size, *options], check=True, capture_output=True, env=environment)

    return write


def libvips_scaled(source, width, height, path):
    pyvips.Image.thumbnail(source, width, height=height, size="force").jpegsave(path, Q=QUALITY)


def libvips_full(source, width, height, path):
    # A copy in memory has no loader that could scale during the decode.
    picture = pyvips.Image.new_from_file(source).copy_memory()
    picture.thumbnail_image(width, height=height, size="force").jpegsave(path, Q=QUALITY)


PROGRAMS = {
    "img-downsample": (ours("auto"), ours("full")),
    f"libvips {'.'.join(str(pyvips.version(part)) for part in range(3))}": (libvips_scaled, libvips_full),
}


def prepared(name):
    """Writes a photo as a JPEG of WIDTH pixels, and returns its path."""
    path = f"{WORK}/{name.split('.')[0]}.jpg"
    picture = pyvips.Image.thumbnail(f"{CORPUS}/images/photos/{name}", WIDTH, height=10_000_000)
    picture.flatten().jpegsave(path, Q=92, keep="none")
    return path


def scores(source, factor):
    """Returns the scores with the scaled and with the full decode of each program."""
    picture = pyvips.Image.new_from_file(source)
    width, height = round(picture.width / factor), round(picture.height / factor)
    stem = f"{source.removesuffix('.jpg')}-{factor}"
    light = picture.colourspace("scrgb").resize(width / picture.width, vscale=height / picture.height)
    light.colourspace("srgb").cast("uchar").pngsave(f"{stem}-reference.png")
    found = {}
    for name, writers in PROGRAMS.items():
        found[name] = []
        for place, write in enumerate(writers):
            path = f"{stem}-{name.split()[0]}-{place}"
            write(source, width, height, f"{path}.jpg")
            pyvips.Image.new_from_file(f"{path}.jpg").colourspace("srgb").pngsave(f"{path}.png")
            found[name].append(ssimulacra2.compute_ssimulacra2(f"{stem}-reference.png", f"{path}.png"))
    return found


with ThreadPoolExecutor(os.cpu_count()) as pool:
    sources = list(pool.map(prepared, PHOTOS))
    tasks = {(source, factor): pool.submit(scores, source, factor) for factor in FACTORS for source in sources}
    results = {key: task.result() for key, task in tasks.items()}

print(f"SSIMULACRA2 of JPEGs of quality {QUALITY}, {len(PHOTOS)} pictures")
print("factor" + "".join(f"{name:>20}: scaled   full   loss  worst" for name in PROGRAMS))
for factor in sorted(FACTORS):
    line = f"{factor:6.1f}"
    for name in PROGRAMS:
        pairs = [results[source, factor][name] for source in sources]
        scaled, full = (statistics.mean(pair[place] for pair in pairs) for place in (0, 1))
        worst = max(full - scaled for scaled, full in pairs)
        line += f"{'':20}  {scaled:6.2f} {full:6.2f} {full - scaled:6.2f} {worst:6.2f}"
    print(line)
