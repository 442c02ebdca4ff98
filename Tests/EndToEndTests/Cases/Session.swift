import TestSupport

/// Commands in a row, each with what it must print, as a case's file `session` has them.
struct Session {
    struct Step {
        /// What bash runs.
        var command: String
        var output = ""
        var errors = ""
        var status: Int32 = 0
    }

    private(set) var steps: [Step] = []

    /// Reads a session: `$ ` begins a command, which `> ` continues; `! ` begins a line of its standard error, `? ` its
    /// status, and all other lines are its standard output. Throws `BrokenClaim` if it begins otherwise.
    init(_ text: String) throws {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast(text.hasSuffix("\n") ? 1 : 0)
        {
            if line.hasPrefix("$ ") {
                steps.append(Step(command: String(line.dropFirst(2))))
                continue
            }
            try claim(!steps.isEmpty, "a session begins with a command, not with \"\(line)\"")
            let last = steps.count - 1
            if line.hasPrefix("> ") {
                steps[last].command += "\n" + line.dropFirst(2)
            } else if line.hasPrefix("! ") {
                steps[last].errors += line.dropFirst(2) + "\n"
            } else if line.hasPrefix("? "), let status = Int32(line.dropFirst(2)) {
                steps[last].status = status
            } else {
                steps[last].output += line + "\n"
            }
        }
    }

    /// Runs the commands, and returns what is wrong with the first one that does not do as the session says; nil if all
    /// do.
    ///
    /// - Parameter schema: what all records on standard output must fit.
    func run(in home: ToolHome, _ schema: RecordSchema?) throws -> String? {
        for step in steps {
            let output = try home.shell(Self.functions + step.command)
            if let fault = try schema?.fault(ofLinesIn: output.stdoutBytes) {
                return "$ \(step.command)\nprints a record that docs/record.schema.json does not describe: \(fault)"
            }
            let isRight =
                output.status == step.status && LinePattern.fits(output.stdout, step.output)
                && LinePattern.fits(output.stderr, step.errors)
            if !isRight {
                return "$ \(step.command)\nshould end with \(step.status), print\n\(step.output)and on standard error\n"
                    + "\(step.errors)but: \(output)"
            }
        }
        return nil
    }

    /// What commands may call besides programs: `ask METHOD PATH` asks the case's service and prints its answer, head
    /// and all, and `requests PATH` prints how often it was asked for a path, `requests total` how often in all.
    private static let functions = #"""
        ask() {
            exec 3<> "/dev/tcp/127.0.0.1/${SERVER##*:}"
            printf '%s %s HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n' "$1" "$2" >&3
            cat <&3
        }
        requests() {
            ask GET '/requests?format=text' |
                awk -F '\t' -v path="$1" '$2 == path { count = $1 } END { print count + 0 }'
        }

        """#
}
