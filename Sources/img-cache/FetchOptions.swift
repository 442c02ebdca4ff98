import ArgumentParser
import Commands

/// Options of all commands that may open a connection: see `FetchArguments`.
///
/// It has the network's options itself rather than a group of them, which would cost each cold start one more.
struct FetchOptions: ParsableArguments, FetchArguments {
    @Option(help: .timeout) var timeout: String?
    @Option(help: .retries) var retries: String?
    @Option(help: .allowPrivate) var allowPrivate: String?
    @Option(help: .cacert) var cacert: String?

    @Option(help: ArgumentHelp("Send 'Name: value' to the one server of the arguments.", valueName: "header"))
    var header: [String] = []

    @Option(help: ArgumentHelp("Send 'Name: value' to this server alone.", valueName: "origin header"))
    var headerFor: [String] = []

    @Option(help: ArgumentHelp("Send this file's headers: one a line, perhaps behind an origin.", valueName: "file"))
    var headerFile: String?

    @Option(help: ArgumentHelp("Send this file's token to the one server of the arguments.", valueName: "file"))
    var bearerFile: String?

    @Option(help: ArgumentHelp("Send a file's token to this server alone.", valueName: "origin file"))
    var bearerFor: [String] = []

    @Flag(help: .netrc)
    var netrc = false

    @Option(help: .netrcFile)
    var netrcFile: String?

    @Option(help: ArgumentHelp("Download no more than this in a second, such as 500KB.", valueName: "size"))
    var rate: String?

    @Option(help: ArgumentHelp("How many downloads to run at once from one host (6).", valueName: "n"))
    var jobsPerHost: String?

    @Flag(help: "Follow redirects from https to http.")
    var allowInsecureRedirects = false

    @Option(help: ArgumentHelp("Refuse larger pictures (256MB).", valueName: "size"))
    var maxBytes: String?

    @Flag(help: "Never open a connection.")
    var offline = false

    @Flag(help: "Ask the server also for what has not expired.")
    var refresh = false

    @Flag(inversion: .prefixedNo, help: "Use an expired picture where its server cannot be reached.")
    var stale = true

    @Option(
        help: ArgumentHelp(
            "How long a definite failure is remembered: 0 for not at all (2m to 1h, by its kind).", valueName: "time"))
    var negativeTtl: String?

    @Flag(help: "Let Cache-Control and Expires shorten how long a picture is fresh, and keep none that says no-store.")
    var respectCacheControl = false
}
