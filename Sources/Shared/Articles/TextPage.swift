import Support

/// The page that text is written on: a terminal's width and what it can.
public struct TextPage: Sendable, Equatable {
    /// Longer lines are hard to read, however wide the terminal is.
    private static let widest = 80
    /// Narrower pages are no page; words would be cut to pieces.
    private static let narrowest = 20

    let columns: Int
    let hasColour: Bool

    /// - Parameters:
    ///   - isTerminal: whether a person reads the output.
    ///   - width: the terminal's, if it is one; `COLUMNS` goes before it.
    public init(isTerminal: Bool, width: Int, environment: Environment) {
        let wanted = environment["COLUMNS"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
        columns = max(Self.narrowest, min(wanted ?? (isTerminal ? width : Self.widest), Self.widest))
        hasColour = Terminal.hasColour(isTerminal: isTerminal, environment: environment)
    }

    /// The page that standard output is.
    public static func standardOutput(environment: Environment = .ofProcess()) -> TextPage {
        TextPage(isTerminal: Terminal.isTerminal(1), width: Terminal.width(of: 1), environment: environment)
    }

    /// Title, day and credits; the explanation, its links numbered; the links. Addresses are never broken, so that they
    /// can be clicked.
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

    /// Paragraphs with a number behind each link, and the addresses that the numbers stand for, each once.
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

    /// How letters look (ECMA-48 §8.3.117, SGR).
    private enum Style: Int {
        case bold = 1
        case faint = 2
    }

    private func styled(_ line: String, _ style: Style) -> String {
        hasColour ? "\u{1B}[\(style.rawValue)m\(line)\u{1B}[0m" : line
    }
}
