import HTTP
import Options
import Remote
import Support

extension ToolContext {
    /// Returns the settings of the remote, or nil without a remote or with `--offline`. Reads the files that contain
    /// its headers and its key. Throws `ConfigurationFailure` for an invalid setting, and `UsageFailure` for an invalid
    /// header.
    public func remoteSettings() throws -> RemoteSettings? {
        guard let address = try value(.remote), !arguments[.offline] else { return nil }
        var settings = RemoteSettings(
            address, mode: try value(.remoteMode), scopes: try value(.remoteScopes), connect: try value(.remoteTimeout),
            wait: try value(.remoteWait))
        settings.byteLimit = try value(.maxBytes)
        settings.certificates = try value(.remoteCacert)
        settings.key = try value(.remoteKeyFile).map { path in
            let key = try secretFile(path, holding: "the key of the remote", byteLimit: 4096)
            guard key.count >= RemoteSettings.leastKey else {
                throw ConfigurationFailure(
                    "\(path) has \(key.count) bytes, but a remote key needs at least \(RemoteSettings.leastKey); "
                        + "create one with head -c 32 /dev/urandom")
            }
            return key
        }
        if let path = try value(.remoteHeaderFile) { settings.headers = try remoteHeaders(path, for: address) }
        return settings
    }

    private func remoteHeaders(_ path: String, for address: RemoteAddress) throws -> [HTTPHeader] {
        guard case .http(let url) = address else {
            throw UsageFailure("remote_header_file requires an http or https remote")
        }
        var given = GivenHeaders()
        try given.add(file: secretFile(path, holding: "the headers of the remote"), path: path)
        try given.assign(to: [url])
        return given.headers(for: url)
    }

    /// Creates the remote, or returns nil without settings. Opens no connection and loads no library.
    public func remote(_ settings: RemoteSettings?) -> Remote? {
        settings.map {
            Remote($0, environment: environment, log: log, metrics: metrics, interruption: interruption)
        }
    }
}
