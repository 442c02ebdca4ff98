/// A line of the kind that scripts write most: a command, words, and a few options with a value each.
///
/// Read here in microseconds, since ArgumentParser takes longer to read it than a hit in the cache takes in all;
/// whatever else there is in a line is left to it.
public struct QuickWords {
    public let command: String
    /// What the command is about, in its order; `-` is a word too.
    public let words: [String]
    private let values: [String: String]

    /// Nil for any other line, and for one with something wrong about it.
    ///
    /// - Parameters:
    ///   - commands: those that are read here.
    ///   - options: long names with their dashes; each may stand there once.
    public init?(_ arguments: [String], commands: [String], options: [String]) {
        guard let command = arguments.first, commands.contains(command) else { return nil }
        var words: [String] = []
        var values: [String: String] = [:]
        var rest = arguments.dropFirst()
        while let word = rest.popFirst() {
            guard word.hasPrefix("-"), word != "-" else {
                words.append(word)
                continue
            }
            guard let value = rest.popFirst(), !value.hasPrefix("-"), options.contains(word), values[word] == nil else {
                return nil
            }
            values[word] = value
        }
        self.command = command
        self.words = words
        self.values = values
    }

    /// The value of an option; nil where it does not stand there.
    public subscript(option: String) -> String? { values[option] }
}
