import Support

extension Record {
    public mutating func setError(_ failure: any Failure, tool: String) {
        set(
            "error",
            .object([
                "tool": .string(tool), "code": .string(failure.code),
                "message": .string(AddressSecrets.concealed(in: failure.message).showingForeignBytes),
                "transient": .bool(failure.isTransient), "exit": .integer(Int(failure.exitCode.rawValue)),
            ]))
    }

    /// Whether an earlier tool failed on this record.
    public var hasError: Bool { has("error") }

    /// Whether an earlier run of `tool` failed on this record and a retry may succeed.
    func hasTransientError(of tool: String) -> Bool { string("error.tool") == tool && bool("error.transient") == true }

    /// Adds the exit status in `error` to `tally`, or 65 if `error` has no valid status.
    func addError(to tally: inout ExitTally) {
        let exit = integer("error.exit").flatMap(Int32.init(exactly:)) ?? 0
        tally.add(
            exit: (1...255).contains(exit) ? exit : ExitCode.data.rawValue,
            isTransient: bool("error.transient") ?? false)
    }
}
