import Testing

@testable import Support

/// The choice of a progress style.
struct ProgressStyleTests {
    private func style(
        _ wish: ProgressStyle.Choice = .auto, terminal: Bool = true, quiet: Bool = false, format: Log.Format = .plain,
        in environment: Environment = ["TERM": "xterm"]
    ) -> ProgressStyle {
        ProgressStyle(wish, isTerminal: terminal, isQuiet: quiet, logFormat: format, environment: environment)
    }

    @Test func progressIsDrawnOnlyOnATerminal() {
        #expect(style() == .drawn(hasColour: true))
        #expect(style(terminal: false) == .hidden)
        #expect(style(quiet: true) == .hidden)
        #expect(style(.plain, quiet: true) == .hidden)
        #expect(style(.none) == .hidden)
        #expect(style(.plain, terminal: false) == .lines)
        #expect(style(format: .json) == .lines)
        #expect(style(terminal: false, format: .json) == .lines)
        #expect(style(.none, format: .json) == .hidden && style(quiet: true, format: .json) == .hidden)
        #expect(style(.plain, format: .json) == .lines)
    }

    @Test func environmentSelectsLinesAndColours() {
        #expect(style(in: ["TERM": "dumb"]) == .lines)
        #expect(style(in: [:]) == .lines)
        #expect(style(in: ["TERM": "xterm", "NO_COLOR": "1"]) == .drawn(hasColour: false))
        #expect(style(in: ["TERM": "xterm", "CLICOLOR": "0"]) == .drawn(hasColour: false))
        #expect(style(in: ["TERM": "xterm", "CLICOLOR": "0", "CLICOLOR_FORCE": "1"]) == .drawn(hasColour: true))
        #expect(style(in: ["TERM": "xterm", "NO_COLOR": "1", "CLICOLOR_FORCE": "1"]) == .drawn(hasColour: false))
    }

    @Test(arguments: [
        (true, ["TERM": "xterm"], true), (false, ["TERM": "xterm"], false), (true, [:], false),
        (true, ["TERM": "dumb"], false),
        (true, ["TERM": "xterm", "NO_COLOR": "1"], false), (true, ["TERM": "xterm", "CLICOLOR": "0"], false),
        (false, ["CLICOLOR_FORCE": "1"], true), (false, ["CLICOLOR_FORCE": "0"], false),
        (false, ["CLICOLOR_FORCE": "1", "NO_COLOR": "1"], false),
    ])
    func colourDependsOnTerminalAndEnvironment(isTerminal: Bool, variables: [String: String], expected: Bool) {
        #expect(Terminal.hasColour(isTerminal: isTerminal, environment: Environment(variables)) == expected)
    }

    @Test func wrappedLineIsClearedFromItsFirstRow() {
        #expect(StandardError.clearing(columns: 60, width: 80) == "\r\u{1B}[K")
        #expect(StandardError.clearing(columns: 80, width: 80) == "\r\u{1B}[K")
        #expect(StandardError.clearing(columns: 79, width: 30) == "\r\u{1B}[2A\u{1B}[J")
        #expect(StandardError.clearing(columns: 10, width: 0) == "\r\u{1B}[K")
    }
}
