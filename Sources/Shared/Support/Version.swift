/// The version of all tools, for `--version` and the `User-Agent` field.
public let toolsVersion = "1.0.0"

/// The date of the version, for the manuals.
public let toolsDate = "November 24, 2026"
