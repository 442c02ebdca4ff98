"""Compares the speed of img-downsample with libvips on the same pictures.

  peers.py TOOL WORK RUNS PICTURE...

TOOL is img-downsample, WORK a folder for outputs. Each picture is shrunk to several widths as a JPEG of quality 82: by
TOOL, by vipsthumbnail if it is installed, and by the libvips of the package pyvips-binary. The programs run in turn.
TOOL and vipsthumbnail are timed from start to exit. The libvips of pyvips-binary is newer, and it is called in this
process without any start-up time, so it is the harder competitor. `scripts/bench shrink` calls this script.
"""
import math, os, resource, shutil, statistics, subprocess, sys, time

import pyvips

TOOL, WORK, RUNS, PICTURES = sys.argv[1], sys.argv[2], int(sys.argv[3]), sys.argv[4:]
WIDTHS = [320, 512, 1024]
# Without this, libvips would return the result of an earlier equal call from its cache.
pyvips.cache_set_max(0)


def process(arguments):
    """Runs a command. Returns its wall time and its CPU time in milliseconds."""
    begin = time.perf_counter()
    child = subprocess.Popen(arguments, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - begin
    if status != 0:
        sys.exit(f"peers.py: the command failed: {' '.join(arguments)}")
    return wall * 1000, (usage.ru_utime + usage.ru_stime) * 1000


def within(picture, width, output):
    """Shrinks a picture in this process. Returns the wall time and the CPU time in milliseconds."""
    before = resource.getrusage(resource.RUSAGE_SELF)
    begin = time.perf_counter()
    pyvips.Image.thumbnail(picture, width, height=10_000_000).jpegsave(output, Q=82)
    wall = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_SELF)
    return wall * 1000, (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def peak(arguments):
    """Returns the peak memory of a command in MB, or None without GNU time."""
    if not os.access("/usr/bin/time", os.X_OK):
        return None
    done = subprocess.run(["/usr/bin/time", "-f", "%M", *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    return int(done.stderr.split()[-1]) / 1024


def geometric(values):
    return math.exp(sum(map(math.log, values)) / len(values))


newest = ".".join(str(pyvips.version(part)) for part in range(3))
peers = {f"libvips {newest}": lambda picture, width, output: within(picture, width, output)}
installed = shutil.which("vipsthumbnail")
if installed:
    version = subprocess.run([installed, "--version"], capture_output=True, text=True).stdout.split()[0]
    peers[f"vipsthumbnail {version.removeprefix('vips-')}"] = lambda picture, width, output: process(
        [installed, picture, "-s", f"{width}x", "-o", f"{output}[Q=82]"])


def shrink(picture, width, output):
    return [TOOL, picture, "--width", str(width), "--quality", "82", "-o", output]


rows = [(picture, width) for picture in PICTURES for width in WIDTHS]
samples = {row: {name: [] for name in ["img-downsample", *peers]} for row in rows}
for index in range(RUNS + 1):
    for row in rows:
        picture, width = row
        output = f"{WORK}/{os.path.basename(picture)}-{width}.jpg"
        found = {"img-downsample": process(shrink(picture, width, output))}
        for name, run in peers.items():
            found[name] = run(picture, width, output)
        # The first round loads libraries and files.
        if index > 0:
            for name, times in found.items():
                samples[row][name].append(times)


def median(row, name, part):
    return statistics.median(times[part] for times in samples[row][name])


print(f"Shrinking to a JPEG of quality 82, medians of {RUNS} runs: milliseconds (wall / CPU), and how many times as long")
print(f"{'':<24} {'img-downsample':>17}" + "".join(f" {name:>32}" for name in peers))
for row in rows:
    wall, cpu = (median(row, "img-downsample", part) for part in range(2))
    line = f"{os.path.basename(row[0])} {row[1]}"
    line = f"{line:<24} {wall:>8.1f} / {cpu:>6.1f}"
    for name in peers:
        theirs = [median(row, name, part) for part in range(2)]
        line += f"  {theirs[0]:>8.1f} / {theirs[1]:>6.1f} {theirs[0] / wall:>5.2f}x /{theirs[1] / cpu:>5.2f}x"
    print(line)
for part, kind in enumerate(["wall", "CPU"]):
    for name in peers:
        ratios = [median(row, name, part) / median(row, "img-downsample", part) for row in rows]
        print(f"{name}, {kind}: geometric mean {geometric(ratios):.2f}x, worst {min(ratios):.2f}x")
for picture in PICTURES:
    output = f"{WORK}/peak.jpg"
    ours = peak(shrink(picture, 512, output))
    theirs = peak([installed, picture, "-s", "512x", "-o", f"{output}[Q=82]"]) if installed else None
    if ours:
        other = f", vipsthumbnail {theirs:.1f} MB" if theirs else ""
        print(f"peak, {os.path.basename(picture)} to 512: img-downsample {ours:.1f} MB{other}")
