import HTTP
import Support

extension ToolContext {
    /// The headers of options and of files, those that the configuration names among them.
    ///
    /// - Parameters:
    ///   - plain: values of `--header`.
    ///   - addressed: values of `--header-for`: an origin, a blank and a header each.
    ///   - file: value of `--header-file`.
    ///   - bearerFile: value of `--bearer-file`; one that the configuration names gives way to an `Authorization`.
    ///
    /// Throws `UsageFailure` for a bad header, wherever it stands, `ConfigurationFailure` for a file that cannot be
    /// read.
    public func headers(
        _ plain: [String], addressed: [String], file: String?, bearerFile: String?
    ) throws -> GivenHeaders {
        var given = GivenHeaders()
        for text in plain {
            let line = try HeaderLine(text, source: "--header")
            if line.origin != nil { throw UsageFailure("--header takes no origin; --header-for does") }
            given.add(line)
        }
        for text in addressed {
            let line = try HeaderLine(text, source: "--header-for")
            if line.origin == nil {
                throw UsageFailure("--header-for takes an origin such as https://example.org, then 'Name: value'")
            }
            given.add(line)
        }
        if let path = try path("header-file", option: file) {
            try given.add(file: secretFile(path, holding: "the headers"), path: path)
        }
        if bearerFile != nil || !given.authorizes, let path = try path("bearer-file", option: bearerFile) {
            try given.add(bearer: secret(file: path))
        }
        return given
    }

    /// The user names and passwords of a `.netrc` file: that of the home folder, of an option, or of the configuration;
    /// nil where none is wanted. Throws `ConfigurationFailure` where it cannot be read.
    public func passwords(usesHome: Bool, file: String?) throws -> Netrc? {
        if usesHome && file != nil { throw UsageFailure("--netrc and --netrc-file exclude each other") }
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
