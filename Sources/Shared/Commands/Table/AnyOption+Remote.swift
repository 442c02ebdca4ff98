import Options
import Remote
import Store
import Support

/// Options and settings of the remote.
extension AnyOption {
    public static let remote = Option<RemoteAddress>(
        "remote", form: .value("URL"), expected: "an address such as https://cache.example.org/pictures",
        group: .cache,
        field: "remote",
        summary: "Share with other machines: http, https, redis, file.",
        manual: """
            Pictures and variants are shared. An http or https server must know GET, HEAD and PUT; a redis address \
            may name a user, a password and a database; a file address names a folder of a shared mount. Whatever \
            goes wrong there never fails a run. Every machine that can write to it is trusted, unless \
            remote_key_file names a key.
            """,
        read: { try RemoteAddress($0) })

    public static let remoteMode = Option<RemoteSettings.Mode>.case(
        "remote-mode", "MODE", .cache, summary: "What to do with the remote: read, write or both."
    ).asSetting().defaulting(to: .both)

    public static let remoteScopes = Option<RemoteScopes>(
        "remote-scopes", form: .value("SCOPES"), expected: "names with commas between them, or *", group: .cache,
        summary: "The scopes that are shared; * for all.", read: { try RemoteScopes($0) }
    ).asSetting().defaulting(to: .standard)

    public static let remoteTimeout = Option.time(
        "remote-timeout", .cache, such: "250ms", isPositive: true,
        summary: "How long to wait for a connection to the remote.",
        manual: """
            The first byte may take 4 times as long (1 s). All records of a run together wait 16 times as long (4 s) \
            for answers that bring nothing, and 100 times as long (25 s) for other machines. Then the \
            run continues without the remote.
            """
    ).asSetting().defaulting(to: .milliseconds(250))

    public static let remoteWait = Option.time(
        "remote-wait", .cache, such: "5s", summary: "How long the end of a run waits for uploads."
    ).asSetting().defaulting(to: .seconds(5))

    public static let remoteHeaderFile = Option.path(
        "remote-header-file", .cache,
        summary: "Send the headers in this file to the remote: 'Name: value', one per line."
    ).asSetting()

    public static let remoteKeyFile = Option.path(
        "remote-key-file", .cache,
        summary: "Sign documents with the key in this file, and ignore all that are not signed with it."
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
