import HTTP
import Support

extension ToolContext {
    /// The values of the options that give headers.
    public struct HeaderOptions: Sendable {
        /// `--header`.
        public var plain: [String]
        /// `--header-for`: an origin, a blank and a header each.
        public var addressed: [String]
        /// `--header-file`.
        public var file: String?
        /// `--bearer-file`.
        public var bearerFile: String?
        /// `--bearer-for`: an origin, a blank and a file each.
        public var bearers: [String]

        public init(
            plain: [String] = [], addressed: [String] = [], file: String? = nil, bearerFile: String? = nil,
            bearers: [String] = []
        ) {
            self.plain = plain
            self.addressed = addressed
            self.file = file
            self.bearerFile = bearerFile
            self.bearers = bearers
        }
    }

    /// The headers of options and of files, those that the configuration names among them, each for its origin. Those
    /// without one are for the origin of `arguments`.
    ///
    /// - Parameter arguments: the addresses of the command line; nil if records name others, which must not choose who
    ///   gets a secret. A header without an origin is then refused, or left out with a warning if the configuration
    ///   has it.
    ///
    /// Throws `UsageFailure` for a bad header, wherever it stands, and for one whose server is not known;
    /// `ConfigurationFailure` for a file that cannot be read.
    public func headers(_ options: HeaderOptions, for arguments: [WebURL]?) throws -> GivenHeaders {
        var given = try headers(of: options)
        var configured = try configuredHeaders(beside: options, givesAuthorization: given.authorizes)
        if arguments == nil {
            guard !given.needOrigin else {
                throw UsageFailure(
                    "--header, --header-file and --bearer-file name no server, and a record must not choose who gets "
                        + "a secret; use --header-for ORIGIN 'Name: value', --bearer-for ORIGIN FILE, or lines of the "
                        + "file such as https://example.org Name: value")
            }
            if configured.needOrigin {
                log.warning(
                    "headers of header_file and bearer_file that name no server are not sent, as a record must not "
                        + "choose who gets a secret; write lines such as https://example.org Name: value")
                configured.removeAllWithoutOrigin()
            }
        }
        given.add(missing: configured)
        try given.assign(to: arguments ?? [])
        return given
    }

    private func headers(of options: HeaderOptions) throws -> GivenHeaders {
        var given = GivenHeaders()
        for text in options.plain {
            let line = try HeaderLine(text, source: "--header")
            if line.origin != nil { throw UsageFailure("--header takes no origin; --header-for does") }
            given.add(line)
        }
        for text in options.addressed {
            let line = try HeaderLine(text, source: "--header-for")
            if line.origin == nil {
                throw UsageFailure("--header-for takes an origin such as https://example.org, then 'Name: value'")
            }
            given.add(line)
        }
        if let file = options.file, let path = try path("header-file", option: file) {
            try given.add(file: secretFile(path, holding: "the headers"), path: path)
        }
        if let file = options.bearerFile, let path = try path("bearer-file", option: file) {
            try given.add(bearer: secret(file: path))
        }
        for text in options.bearers {
            let words = text.split(separator: " ", maxSplits: 1)
            guard words.count == 2, let origin = WebURL.Origin(String(words[0])) else {
                throw UsageFailure("--bearer-for takes an origin such as https://example.org, then a file")
            }
            try given.add(bearer: secret(file: String(words[1])), for: origin)
        }
        return given
    }

    /// The headers of the files that the configuration names and no option replaces. Its token gives way to an
    /// `Authorization`.
    private func configuredHeaders(beside options: HeaderOptions, givesAuthorization: Bool) throws -> GivenHeaders {
        var configured = GivenHeaders()
        if options.file == nil, let path = try path("header-file", option: nil) {
            try configured.add(file: secretFile(path, holding: "the headers"), path: path)
        }
        if options.bearerFile == nil, !givesAuthorization, !configured.authorizes,
            let path = try path("bearer-file", option: nil)
        {
            try configured.add(bearer: secret(file: path))
        }
        return configured
    }

    /// The user names and passwords of a `.netrc` file: that of the home folder, of an option, or of the configuration;
    /// nil where none is wanted. Throws `ConfigurationFailure` where it cannot be read.
    public func passwords(usesHome: Bool, file: String?) throws -> Netrc? {
        if usesHome && file != nil { throw UsageFailure("--netrc and --netrc-file cannot be combined") }
        var path = try path("netrc-file", option: file)
        if usesHome {
            guard let home = environment["HOME"] else {
                throw ConfigurationFailure("there is no ~/.netrc without HOME; name the file with --netrc-file")
            }
            path = home + "/.netrc"
        }
        return try path.map { Netrc(try secretFile($0, holding: "user names and passwords")) }
    }

    private func path(_ name: String, option: String?) throws -> String? {
        try setting(name, option: option, expected: "a file") { $0.isEmpty ? nil : $0 }
    }
}
