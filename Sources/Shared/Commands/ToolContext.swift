import Support

/// What a command takes from the world around it: environment, configuration, log, and the way to be stopped.
public struct ToolContext: Sendable {
    public let tool: String
    public let environment: Environment
    public let configuration: Configuration
    public let log: Log
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
    ///   - parse: gives nil for a bad value.
    ///
    /// Throws `UsageFailure` (64) for a bad option, `ConfigurationFailure` (78) for the two others.
    public func setting<Value>(
        _ name: String, option: String?, variable: String? = nil, expected: String, parse: (String) throws -> Value?
    ) throws -> Value? {
        if let option {
            guard let value = try parse(option) else {
                throw UsageFailure("--\(name) takes \(expected), not \"\(option)\"")
            }
            return value
        }
        if let variable, let text = environment[variable] {
            guard let value = try parse(text) else {
                throw ConfigurationFailure("\(variable) takes \(expected), not \"\(text)\"")
            }
            return value
        }
        let field = String(name.map { $0 == "-" ? "_" : $0 })
        guard let text = try configuration.text(field) else { return nil }
        guard let value = try parse(text) else {
            throw ConfigurationFailure("\(configuration.describes(field)) takes \(expected), not \"\(text)\"")
        }
        return value
    }

    /// A key for a service: from a file or the environment, never from an argument. Blanks and line ends around it do
    /// not count. Throws `ConfigurationFailure` for a file that cannot be read or holds no key.
    public func secret(file: String?, variable: String) throws -> String? {
        guard let file else { return environment[variable] }
        let bytes: [UInt8]
        do {
            let source = try File.openInput(file)
            bytes = try source.bytes(0..<min(source.count, 4096))
        } catch {
            throw ConfigurationFailure("cannot read the key: \(failure(of: error).message)")
        }
        let key = bytes.split { $0 <= 0x20 }
        guard key.count == 1, key[0].allSatisfy({ $0 < 0x7F }) else {
            throw ConfigurationFailure("\(file) does not hold a key: one word on one line is expected")
        }
        return String(decoding: key[0], as: UTF8.self)
    }
}
