/// The version of all tools of this package, as `--version` and the `User-Agent` field give it.
public let toolsVersion = "0.1.0"

/// The day of that version, as the manuals give it.
public let toolsDate = "November 22, 2026"
