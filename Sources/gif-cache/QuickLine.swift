import Commands

/// `put`, `get`, `has`, `path` or `cat` with ids and the few options that go with them: see `QuickWords`.
struct QuickLine: GIFCommand, CommonArguments, StreamArguments, NetworkArguments, ServiceArguments {
    private let line: QuickWords

    var ids: [String] { line.words }
    var print: String? { line["--print"] }
    var scope: String? { line["--scope"] }
    var cacheDir: String? { line["--cache-dir"] }
    var resolution: String? { line["--resolution"] }

    var common: Self { self }

    /// Nil for any other line, and for one with something wrong about it.
    init?(_ arguments: [String]) {
        let line = QuickWords(
            arguments, commands: ["put", "get", "has", "path", "cat"],
            options: ["--print", "--scope", "--cache-dir", "--resolution"])
        guard let line else { return nil }
        self.line = line
        // The other three print what they are about.
        if print != nil, line.command != "put", line.command != "get" { return nil }
    }

    func run() throws {
        switch line.command {
        case "put": try put(self, self, self)
        case "get": try get(self)
        case "has": try has()
        case "path": try printPaths(nullTerminated: false)
        default: try cat()
        }
    }
}
