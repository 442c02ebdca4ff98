import Store
import Support
import TestSupport
import Testing

/// Output of `gif-cache` on a terminal, and GIFs cached in memory. No service is used.
struct KeptGIFTests {
    private let home: ToolHome

    init() throws { home = try ToolHome() }

    /// An animation of two noise frames, which depend on the seed.
    private static func gif(_ side: Int, seed: UInt64) -> [UInt8] {
        DrawnAnimation([.noise(side, side, seed: seed), .noise(side, side, seed: seed + 1)], delay: 7).gif()
    }

    /// Caches a GIF of an exercise and returns its path.
    @discardableResult
    private func keep(_ id: String, _ resolution: Int = 180, side: Int = 8, seed: UInt64 = 1) throws -> String {
        try home.keep(Self.gif(side, seed: seed), as: "exercisedb:\(id)@\(resolution)")
    }

    @Test func gifsAreNotWrittenToATerminal() throws {
        try keep("0001")
        for arguments in [["cat", "0001"], ["poster", "0001", "-o", "-"]] {
            let output = try home.run("gif-cache", arguments, stdout: .terminal).expect(64)
            #expect(output.stdoutBytes.isEmpty && output.stderr.contains("refusing to write a picture to a terminal"))
        }
    }

    @Test func listingAndRemovalAreDescribedOnATerminal() throws {
        try keep("0001")
        try keep("0002", 360, side: 40, seed: 5)
        func words(_ arguments: String...) throws -> [Substring] {
            // A terminal converts line ends to CR LF.
            try home.run("gif-cache", arguments, stdout: .terminal).expect(0).stdout.split { $0.isNewline }
        }
        let table = try words("ls")
        #expect(table.count == 4 && table[0].hasPrefix("ID") && table[3].hasPrefix("2 GIFs, "))
        let row = try #require(table.first { $0.hasPrefix("0002") }).split(separator: " ")
        #expect(row[1] == "360" && row.contains("2") && row.last == "fresh")
        try home.run("gif-cache", ["poster", "0001"]).expect(0)
        try home.run("gif-cache", ["rm", "--all"]).expect(0)
        #expect(try words("rm", "--all").first?.hasPrefix("0 files removed") == true)
    }

    /// After a change of policy, entries stored under the old policy remain.
    @Test(.enabled(if: TemporaryFolder.memory != nil)) func gifsInMemoryAreListedAndRemoved() throws {
        let memory = try TemporaryFolder(in: TemporaryFolder.memory)
        let home = try ToolHome(environment: ["XDG_RUNTIME_DIR": memory.path])
        for (id, policy) in [("0001", Policy.enabled), ("0002", .memory)] {
            try home.keep(Self.gif(8, seed: 1), as: "exercisedb:\(id)@180", policy: policy)
        }
        #expect(try Set(home.run("gif-cache", ["ls", "--print", "id"]).expect(0).lines) == ["0001", "0002"])
        #expect(try home.run("gif-cache", ["get", "0002"]).status == 1)
        try home.run("gif-cache", ["get", "0002", "--policy", "memory"]).expect(0)
        try home.run("gif-cache", ["rm", "0002"]).expect(0)
        #expect(try home.run("gif-cache", ["rm", "--all"]).expect(0).record.integer("removed") == 1)
        #expect(try home.run("gif-cache", ["ls"]).expect(0).stdoutBytes.isEmpty)
    }
}
