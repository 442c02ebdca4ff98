import Support

/// What a command takes from the world around it: environment, configuration, log, who is told of the work, and the way
/// to be stopped.
public struct ToolContext: Sendable {
    public let tool: String
    public let environment: Environment
    public let configuration: Configuration
    public let log: Log
    public var metrics = Metrics.silent
    public var progress = Progress.none
    /// Whether the process gives up what it does not need: see `confine`.
    public var isConfined = true
    public let interruption: Interruption

    public init(
        tool: String, environment: Environment, configuration: Configuration = .empty, log: Log,
        interruption: Interruption = Interruption()
    ) {
        self.tool = tool
        self.environment = environment
        self.configuration = configuration
        self.log = log
        self.interruption = interruption
    }

    /// Finds one setting: the option beats the environment beats the configuration file; nil where none of them has it.
    ///
    /// - Parameters:
    ///   - name: the option's long name without dashes; the field of the file has `_` for `-`.
    ///   - variable: the environment variable, if the setting has one.
    ///   - expected: what a good value looks like, for the message about a bad one.
    ///   - parse: gives nil, or throws, for a bad value.
    ///
    /// Throws `UsageFailure` (64) for a bad option, `ConfigurationFailure` (78) for the two others.
    public func setting<Value>(
        _ name: String, option: String?, variable: String? = nil, expected: String, parse: (String) throws -> Value?
    ) throws -> Value? {
        func read(_ text: String, of source: String, else refusal: (String) -> any Failure) throws -> Value {
            do {
                if let value = try parse(text) { return value }
            } catch {
                throw refusal("\(source): \(failure(of: error).message)")
            }
            throw refusal("\(source) takes \(expected), not \"\(text)\"")
        }
        if let option { return try read(option, of: "--\(name)") { UsageFailure($0) } }
        if let variable, let text = environment[variable] {
            return try read(text, of: variable) { ConfigurationFailure($0) }
        }
        let field = String(name.map { $0 == "-" ? "_" : $0 })
        guard let text = try configuration.text(field) else { return nil }
        return try read(text, of: configuration.describes(field)) { ConfigurationFailure($0) }
    }

    /// Returns whether to wait until written files are on the disk: `--sync`, or `sync` in the configuration file.
    /// Throws `ConfigurationFailure`.
    public func synchronizes(option: Bool) throws -> Bool {
        try option || setting("sync", option: nil, expected: "true or false", parse: Bool.init) == true
    }

    /// A key for a service: from a file or the environment, never from an argument. Blanks and line ends around it do
    /// not count. Throws `ConfigurationFailure` for a file that cannot be read, and where there is something else than
    /// a key.
    public func secret(file: String?, variable: String) throws -> String? {
        if let file { return try secret(file: file) }
        guard let text = environment[variable] else { return nil }
        // An empty variable is how some schedulers unset one.
        return text.utf8.allSatisfy { $0 <= 0x20 } ? nil : try Self.word(in: Array(text.utf8), from: variable)
    }

    /// The one word that a file holds, blanks and line ends around it left out. Throws as above.
    func secret(file: String) throws -> String {
        try Self.word(in: try secretFile(file, holding: "the key", byteLimit: 4096), from: file)
    }

    private static func word(in bytes: [UInt8], from source: String) throws -> String {
        let words = bytes.split { $0 <= 0x20 }
        guard words.count == 1, words[0].allSatisfy({ $0 < 0x7F }) else {
            throw ConfigurationFailure("\(source) does not hold a key: one word on one line is expected")
        }
        return String(decoding: words[0], as: UTF8.self)
    }

    /// The bytes of a file with secrets; warns if others may read it. Throws `ConfigurationFailure` if it cannot be
    /// read, or has more than `byteLimit`.
    public func secretFile(_ path: String, holding what: String, byteLimit: Int = 1 << 20) throws -> [UInt8] {
        if path == "-" {
            throw ConfigurationFailure("cannot read \(what) from standard input, which is for records; name a file")
        }
        let bytes: [UInt8]
        do {
            let file = try File.openInput(path)
            bytes = try file.contents(atMost: byteLimit + 1)
            // A pipe (`<(pass show token)`) has the rights that the shell gave it, and is gone with the run.
            if file.isRegular, file.isOpenToOthers {
                log.warning("\(path) holds \(what), and others may read or change it; run chmod 600 on it")
            }
        } catch {
            throw ConfigurationFailure("cannot read \(what): \(failure(of: error).message)")
        }
        guard bytes.count <= byteLimit else {
            throw ConfigurationFailure("cannot read \(what): \(path) has more than \(byteLimit) bytes")
        }
        return bytes
    }
}
