import Commands

/// A line that scripts write most: `put`, `get`, `has`, `path` or `cat`, ids, and the few options that go with them.
/// Read here, since ArgumentParser takes longer to read it than a hit takes in all; whatever else there is in a line is
/// left to it.
struct QuickLine: GIFCommand, CommonArguments, StreamArguments, NetworkArguments {
    private let command: String
    let ids: [String]
    private(set) var print: String?
    private(set) var scope: String?
    private(set) var cacheDir: String?
    private(set) var resolution: String?

    var common: Self { self }

    /// Nil for any other line, and for one with something wrong about it.
    init?(_ arguments: [String]) {
        guard let command = arguments.first, ["put", "get", "has", "path", "cat"].contains(command) else { return nil }
        var words: [String] = []
        var rest = arguments.dropFirst()
        while let word = rest.popFirst() {
            guard word.hasPrefix("-"), word != "-" else {
                words.append(word)
                continue
            }
            guard let value = rest.popFirst(), !value.hasPrefix("-") else { return nil }
            switch word {
            case "--print" where print == nil: print = value
            case "--scope" where scope == nil: scope = value
            case "--cache-dir" where cacheDir == nil: cacheDir = value
            case "--resolution" where resolution == nil: resolution = value
            default: return nil
            }
        }
        self.command = command
        ids = words
        // The other three print what they are about.
        if print != nil, command != "put", command != "get" { return nil }
    }

    func run() throws {
        switch command {
        case "put": try put(self, self, apiKeyFile: nil)
        case "get": try get(self)
        case "has": try has()
        case "path": try printPaths(nullTerminated: false)
        default: try cat()
        }
    }
}
