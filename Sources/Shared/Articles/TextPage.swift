import Support

/// Formats text for a terminal or a file of limited width.
public struct TextPage: Sendable, Equatable {
    /// The maximum width. Longer lines are hard to read, even on a wide terminal.
    private static let widest = 80
    /// The minimum width. In narrower lines, many words would be broken.
    private static let narrowest = 20

    let columns: Int
    let hasColour: Bool

    /// - Parameters:
    ///   - isTerminal: whether the output is a terminal.
    ///   - width: the width of the terminal in columns. The variable `COLUMNS` overrides it.
    public init(isTerminal: Bool, width: Int, environment: Environment) {
        let wanted = environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        columns = max(Self.narrowest, min(wanted ?? (isTerminal ? width : Self.widest), Self.widest))
        hasColour = Terminal.hasColour(isTerminal: isTerminal, environment: environment)
    }

    public static func standardOutput(environment: Environment = .ofProcess()) -> TextPage {
        TextPage(isTerminal: Terminal.isTerminal(1), width: Terminal.width(of: 1), environment: environment)
    }

    /// Formats the title, day and credits, the explanation with numbered links, and the list of links. Addresses are
    /// not wrapped, because a wrapped address could not be clicked.
    func text(_ caption: Caption) -> String {
        let head =
            wrapped(caption.title).map { styled($0, .bold) } + wrapped(caption.day).map { styled($0, .faint) }
            + caption.credits.flatMap { wrapped($0) }.map { styled($0, .faint) }
        var links: [(label: String, address: String)] = []
        if let media = caption.media { links.append((caption.mediaLabel, media)) }
        if caption.isVideo, let still = caption.shown { links.append(("Still", still)) }
        if let page = caption.page, page != caption.media { links.append(("Page", page)) }
        let notes = Footnotes(caption.paragraphs)
        let parts =
            [head] + notes.paragraphs.map { wrapped($0) }
            + [
                links.map { styled("\($0.label): ", .faint) + $0.address },
                notes.addresses.enumerated().map { styled("[\($0 + 1)] ", .faint) + $1 },
            ]
        return parts.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")
    }

    /// Paragraphs in which a number follows each link, and the list of the numbered addresses.
    private struct Footnotes {
        var paragraphs: [String] = []
        var addresses: [String] = []

        init(_ texts: [LinkedText]) {
            var numbers: [String: Int] = [:]
            for text in texts {
                var paragraph = ""
                for part in text.parts {
                    paragraph += part.text
                    guard let address = part.address else { continue }
                    if numbers[address] == nil {
                        addresses.append(address)
                        numbers[address] = addresses.count
                    }
                    paragraph += numbers[address].map { " [\($0)]" } ?? ""
                }
                paragraphs.append(paragraph)
            }
        }
    }

    private func wrapped(_ text: String?) -> [String] {
        text.map { TerminalText.wrapped($0, toColumns: columns) } ?? []
    }

    /// Text attributes (ECMA-48 §8.3.117, SGR).
    private enum Style: Int {
        case bold = 1
        case faint = 2
    }

    private func styled(_ line: String, _ style: Style) -> String {
        hasColour ? "\u{1B}[\(style.rawValue)m\(line)\u{1B}[0m" : line
    }
}
