import Options
import Records
import Support

@testable import Commands

extension ToolContext {
    /// Parses the words of a command line for a command that has these options, and creates its context.
    init(
        _ words: [String] = [], options: [AnyOption], environment: Environment = Environment(),
        configuration: Configuration = .empty, log: Log = .silent
    ) throws {
        let command = Command(
            "tool", summary: "Test.", operands: .init("WORD", "words"), options: { [options] }
        ) { _ in 0 }
        guard case .run(_, let arguments) = try command.request(words) else { throw UsageFailure("does not run") }
        self.init(arguments, environment: environment, configuration: configuration, log: log)
    }
}
