import Support

extension Record {
    /// Notes in the field `error` that `tool` failed on this record.
    public mutating func setError(_ failure: any Failure, tool: String) {
        set(
            "error",
            .object([
                "tool": .string(tool), "code": .string(failure.code),
                "message": .string(AddressSecrets.concealed(in: failure.message).showingForeignBytes),
                "transient": .bool(failure.isTransient), "exit": .integer(Int(failure.exitCode.rawValue)),
            ]))
    }

    /// Whether a tool failed on this record earlier.
    public var bearsError: Bool { has("error") }

    /// Whether `tool` itself failed on this record earlier, in a way that may pass.
    func bearsTransientError(of tool: String) -> Bool {
        string("error.tool") == tool && bool("error.transient") == true
    }

    /// What the failure noted in `error` adds to a run's exit code; 65 where the field does not say.
    func addError(to tally: inout ExitTally) {
        let exit = integer("error.exit").flatMap(Int32.init(exactly:)) ?? 0
        tally.add(
            exit: (1...255).contains(exit) ? exit : ExitCode.data.rawValue,
            isTransient: bool("error.transient") ?? false)
    }
}
