import Options
import Remote

extension AnyOption {
    public static let remote = Option<RemoteAddress>(
        "remote", form: .value("URL"), group: .cache, field: "remote",
        summary: "Share pictures by an http, https, redis or file URL.",
        manual: """
            Pictures and variants are shared. An http or https server must support GET, HEAD and PUT. A redis address \
            may contain a user, a password and a database. A file address names a folder on a shared mount. If the \
            remote fails, only img-cache push and pull fail. All machines that can write to the remote are trusted, \
            unless remote_key_file names a key.
            """, read: { try RemoteAddress($0) })

    public static let remoteMode = Option<RemoteSettings.Mode>.case(
        "remote-mode", "MODE", .cache, summary: "Read from the remote, write to it, or both."
    ).asSetting().defaulting(to: .both)

    public static let remoteScopes = Option<RemoteScopes>(
        "remote-scopes", form: .value("SCOPES"), group: .cache,
        summary: "Share these scopes; * shares all.", read: { try RemoteScopes($0) }
    ).asSetting().defaulting(to: .standard)

    public static let remoteTimeout = Option.time(
        "remote-timeout", .cache, such: "250ms", isPositive: true,
        summary: "How long to wait for a connection to the remote.",
        manual: """
            Other limits are multiples of this time. The first byte may take 4 times as long (1 s). Once a run has \
            waited 16 times as long in total (4 s) for lookups that failed or found nothing, it stops reading from \
            the remote. It waits for the leases of other machines at most 100 times as long (25 s).
            """
    ).asSetting().defaulting(to: .milliseconds(250))

    public static let remoteWait = Option.time(
        "remote-wait", .cache, such: "5s", summary: "How long to wait for uploads at the end of a run."
    ).asSetting().defaulting(to: .seconds(5))

    public static let remoteHeaderFile = Option.path(
        "remote-header-file", .cache,
        summary: "Send the headers in this file to the remote: 'Name: value', one per line."
    ).asSetting()

    public static let remoteKeyFile = Option.path(
        "remote-key-file", .cache,
        summary: "Sign documents with the key in this file, and ignore documents without its signature."
    ).asSetting()

    public static let remoteCacert = Option.path(
        "remote-cacert", .cache,
        summary: "Trust the certificates in this PEM file for the remote instead of the system's."
    ).asSetting()
}

extension [AnyOption] {
    /// The options of every command that may share downloads or variants.
    public static let sharing: [AnyOption] = [
        .remote, .remoteMode, .remoteScopes, .remoteTimeout, .remoteWait, .remoteHeaderFile, .remoteKeyFile,
        .remoteCacert,
    ]
}
