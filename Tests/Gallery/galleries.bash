# Sourced by Tests/Gallery/run: makes the galleries `site`, `hostile`, `tiles`, `animations`, `groups` and `empty` in the
# folder $public.
# shellcheck shell=bash disable=SC2154

mkdir -p "$public" "$work/home" "$work/drawn"
coproc service { exec "$bin/sample-service" --size 1500x1000; }
read -r address <&"${service[0]}"

make_records() { "$python" "$ROOT/Tests/Gallery/records.py" "$@"; }

# tool NAME ARGUMENT...: runs a tool with the home folder $work/home, and appends its messages to $work/log.
tool() {
    HOME=$work/home APOD_TOOLS_CACHE_DIR=$work/cache APOD_TOOLS_ALLOW_PRIVATE=1 \
        APOD_SCIENCE_URL=$address/wp-json/wp/v2/apod-basic "$bin/$1" "${@:2}" 2>>"$work/log"
}

make_gallery() {
    tool img-downsample gallery --output-dir "$public/$1" --allow-path "$work/drawn" "${@:2}" \
        <"$work/$1.ndjson" >/dev/null || true
    [[ -s $public/$1/index.html ]] || { cat "$work/log" >&2; die "the gallery $1 was not made"; }
}

# Failures are expected: some days have no picture, and the stills of some videos cannot be loaded here.
tool apod-fetch --date 2023-12-20..2024-03-13 >"$work/days.ndjson" || true
make_records strange <"$work/days.ndjson" >"$work/strange.ndjson"
APOD_TOOLS_RETRIES=0 tool img-cache put <"$work/strange.ndjson" >"$work/cached.ndjson" || true
for picture in large:4200x2800 second:600x400 tiled:6300x4100; do
    "$bin/sample-service" --size "${picture#*:}" --draw "${picture%:*}.jpg" </dev/null >"$work/drawn/${picture%:*}.jpg"
done
{
    make_records public "$address" <"$work/cached.ndjson"
    make_records drawn "$work/drawn"
} >"$work/site.ndjson"
make_records hostile "$work/drawn/second.jpg" >"$work/hostile.ndjson"
printf '{"path":"%s","title":"A mosaic"}\n' "$work/drawn/tiled.jpg" >"$work/tiles.ndjson"
make_records animated "$work/drawn" >"$work/animations.ndjson"
make_records tagged "$work/drawn" >"$work/groups.ndjson"
: >"$work/empty.ndjson"
make_gallery tiles --originals
make_gallery animations
make_gallery empty
APOD_TOOLS_PAGE_SIZE=4 make_gallery groups --group-field tags
APOD_TOOLS_PAGE_SIZE=24 make_gallery site --title "Pictures of the day" --originals
make_gallery hostile --title "</title><script>alert(1)</script>" --base-url https://example.org/ \
    --group-field tags
