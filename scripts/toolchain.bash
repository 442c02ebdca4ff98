# Sourced by the scripts in this folder. Defines paths of the package, and functions that find Swift and call SwiftPM.
# shellcheck shell=bash disable=SC2034

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
TOOLS=(apod-fetch img-cache img-downsample gif-cache)
BIN=$ROOT/.build/release
TESTING=$ROOT/.build/testing

# Prints a message with the name of the script on standard error.
say() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

# Prints a message and exits with $STATUS, or 1.
die() {
    say "$@"
    exit "${STATUS:-1}"
}

# Finds Swift 6.2 or newer in the usual folders and adds its folder to PATH. Returns false if no such Swift is found.
find_swift() {
    local folder
    for folder in "" "$ROOT/.build/swift/usr/bin" "${HOME:-/nonexistent}/.local/share/swiftly/bin" \
        "${HOME:-/nonexistent}/.swiftly/bin" /opt/swift/usr/bin /usr/local/swift/usr/bin /usr/share/swift/usr/bin \
        /usr/libexec/swift/bin; do
        if [[ -z $folder ]]; then
            command -v swift >/dev/null 2>&1 || continue
        else
            [[ -x $folder/swift ]] || continue
        fi
        if is_new_enough "$(PATH=${folder:+$folder:}$PATH swift --version 2>/dev/null || true)"; then
            [[ -z $folder ]] || PATH=$folder:$PATH
            export PATH
            return 0
        fi
    done
    return 1
}

# Returns whether the output of `swift --version` names version 6.2 or newer.
is_new_enough() {
    [[ $1 =~ Swift\ version\ ([0-9]+)\.([0-9]+) ]] || return 1
    ((BASH_REMATCH[1] > 6 || (BASH_REMATCH[1] == 6 && BASH_REMATCH[2] >= 2)))
}

require_swift() {
    find_swift && return 0
    cat >&2 <<'TEXT'
Swift 6.2 or newer is needed, and was not found.

  Linux, macOS:  https://www.swift.org/install  (swiftly, or an archive to unpack into /opt/swift)
  macOS:         or Xcode 26 or newer from the App Store

Then run this script again.
TEXT
    exit 1
}

# Runs a `swift` command such as `build`. If the home folder is missing or not writable, SwiftPM's caches are placed in
# the build folder.
swift_package() {
    local command=$1
    shift
    local where=()
    if [[ -z ${HOME-} || ! -d ${HOME-} || ! -w ${HOME-} ]]; then
        local caches=$ROOT/.build/caches
        mkdir -p "$caches/home"
        where=(--cache-path "$caches/swiftpm" --config-path "$caches/config" --security-path "$caches/security")
        HOME=$caches/home swift "$command" --package-path "$ROOT" "${where[@]}" "$@"
    else
        swift "$command" --package-path "$ROOT" "$@"
    fi
}
