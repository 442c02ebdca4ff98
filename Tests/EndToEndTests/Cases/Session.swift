import TestSupport

/// The commands of a case's `session` file, each with its expected output.
struct Session {
    struct Step {
        /// A bash command.
        var command: String
        var output = ""
        var errors = ""
        var status: Int32 = 0
    }

    private(set) var steps: [Step] = []

    /// Parses a session. `$ ` starts a command, and `> ` continues it; `! ` starts an expected line of standard error,
    /// `? ` the expected exit status; all other lines are expected standard output. Throws `BrokenClaim` if the first
    /// line is not a command.
    init(_ text: String) throws {
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast(text.hasSuffix("\n") ? 1 : 0)
        {
            if line.hasPrefix("$ ") {
                steps.append(Step(command: String(line.dropFirst(2))))
                continue
            }
            try claim(!steps.isEmpty, "a session must begin with a command, not with \"\(line)\"")
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

    /// Runs the commands. Returns a description of the first command with an unexpected result; nil if all results are
    /// as expected.
    ///
    /// - Parameter schema: the schema of all records on standard output.
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

    /// Shell functions for sessions: `ask METHOD PATH` prints the response of the case's service including its headers,
    /// `requests PATH` prints the number of requests for a path, and `requests total` the total.
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
