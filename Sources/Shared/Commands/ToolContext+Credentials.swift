import HTTP
import Options
import Support

extension ToolContext {
    /// Returns the headers of the command line and the configuration, each with its origin. Headers without an origin
    /// get the origin of `addresses`.
    ///
    /// - Parameter addresses: the addresses of the command line, or nil if records name addresses. If it is nil, a
    ///   header without an origin is an error, or is ignored with a warning if it comes from the configuration, because
    ///   a record must not choose the receiver of a secret.
    ///
    /// Throws `UsageFailure` for a header that is invalid or has no origin, and `ConfigurationFailure` if a file cannot
    /// be read.
    public func headers(for addresses: [WebURL]?) throws -> UserHeaders {
        var given = try userHeaders()
        var configured = try configuredHeaders(givesAuthorization: given.authorizes)
        if addresses == nil {
            guard !given.needOrigin else {
                throw UsageFailure(
                    "--header and --bearer-file name no server, and records must not choose who receives a secret; put "
                        + "the server before the header or the file, as in --header 'https://example.org Name: value'")
            }
            if configured.needOrigin {
                log.warning(
                    "headers without a server in header_file and bearer_file are not sent, since records must not "
                        + "choose who receives a secret; put the server first, as in https://example.org Name: value")
                configured.removeAllWithoutOrigin()
            }
        }
        given.add(missing: configured)
        try given.assign(to: addresses ?? [])
        return given
    }

    private func userHeaders() throws -> UserHeaders {
        var given = UserHeaders()
        for text in arguments.all(.header) {
            if text.hasPrefix("@") {
                let path = String(text.dropFirst())
                try given.add(file: secretFile(path, holding: "the headers"), path: path)
            } else {
                given.add(try HeaderLine(text, source: "--header"))
            }
        }
        for file in arguments.all(.bearerFile) {
            try given.add(bearer: secret(file: file.path, name: "token"), for: file.origin)
        }
        return given
    }

    /// Returns the headers from the files that the configuration names. Ignores the header file if the option `--header
    /// @FILE` is given, and the token file if `--bearer-file` is given or a header sets `Authorization`.
    private func configuredHeaders(givesAuthorization: Bool) throws -> UserHeaders {
        var configured = UserHeaders()
        let namesFile = arguments.all(.header).contains { $0.hasPrefix("@") }
        if !namesFile, let path = try value(.headerFile) {
            try configured.add(file: secretFile(path, holding: "the headers"), path: path)
        }
        if !arguments.isGiven(.bearerFile), !givesAuthorization, !configured.authorizes,
            let file = try value(.bearerFile)
        {
            try configured.add(bearer: secret(file: file.path, name: "token"), for: file.origin)
        }
        return configured
    }

    /// Returns the user names and passwords from `~/.netrc` if `netrc` is set, otherwise from the file that
    /// `netrc_file` names. Returns nil if neither is set. Throws `ConfigurationFailure` if the file cannot be read.
    public func passwords() throws -> Netrc? {
        var path = try value(.netrcFile)
        if try value(.netrc) {
            guard let home = environment["HOME"] else {
                throw ConfigurationFailure("cannot find ~/.netrc without HOME; name the file in APOD_TOOLS_NETRC_FILE")
            }
            path = home + "/.netrc"
        }
        return try path.map { Netrc(try secretFile($0, holding: "user names and passwords")) }
    }

    /// Returns the key for a service from a file or the environment, without surrounding white space, or nil. There is
    /// no option for the key itself, because other users can read arguments. Throws `ConfigurationFailure` if the file
    /// cannot be read, or if its content is not a key.
    public func secret(_ file: Option<String>, _ variable: Option<String>) throws -> String? {
        if let file = try value(file) { return try secret(file: file) }
        guard let variable = variable.variable, let text = environment[variable] else { return nil }
        // Some schedulers set a variable to an empty text in order to unset it.
        return text.utf8.allSatisfy { $0 <= 0x20 } ? nil : try Self.word(in: Array(text.utf8), from: variable)
    }

    /// - Parameter name: the word for the secret in messages.
    private func secret(file: String, name: String = "key") throws -> String {
        try Self.word(in: try secretFile(file, holding: "the \(name)", byteLimit: 4096), from: file, name: name)
    }

    private static func word(in bytes: [UInt8], from source: String, name: String = "key") throws -> String {
        let words = bytes.split { $0 <= 0x20 }
        guard words.count == 1, words[0].allSatisfy({ $0 < 0x7F }) else {
            throw ConfigurationFailure(
                "\(source) does not contain a valid \(name); a \(name) is a single word on one line")
        }
        return String(decoding: words[0], as: UTF8.self)
    }

    /// Returns the bytes of a file with secrets. Warns if other users can access the file. Throws
    /// `ConfigurationFailure` if it cannot be read, or if it has more than `byteLimit` bytes.
    func secretFile(_ path: String, holding what: String, byteLimit: Int = 1 << 20) throws -> [UInt8] {
        if path == "-" {
            throw ConfigurationFailure("cannot read \(what) from standard input, which contains records; name a file")
        }
        let bytes: [UInt8]
        do {
            let file = try File.openInput(path)
            bytes = try file.contents(atMost: byteLimit + 1)
            // Do not check a pipe, such as `<(pass show token)`: the shell sets its permissions, and no other process
            // can read it after the run.
            if file.isRegular, file.status.mode & 0o077 != 0 {
                log.warning("\(path) contains \(what), but other users can read or change it; run chmod 600 on it")
            }
        } catch {
            throw ConfigurationFailure("cannot read \(what): \(failure(of: error).message)")
        }
        guard bytes.count <= byteLimit else {
            throw ConfigurationFailure("cannot read \(what): \(path) is larger than \(byteLimit) bytes")
        }
        return bytes
    }
}
