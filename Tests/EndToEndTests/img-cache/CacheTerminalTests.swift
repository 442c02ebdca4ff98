import TestSupport
import Testing

/// Output of `img-cache` on a terminal.
struct CacheTerminalTests {
    private let home: ToolHome
    init() throws { home = try ToolHome() }

    private func put(_ key: String) throws {
        try home.write("\(key).png", DrawnPicture.noise(20, 10, seed: 1).png())
        try home.run("img-cache", ["put", "\(key).png", "--key", key]).expect(0)
    }

    @Test func listingOnATerminalIsATable() throws {
        try put("moon")
        try put("mars\u{202E}")
        let table = try home.run("img-cache", ["ls"], stdout: .terminal).expect(0).stdout
        #expect(table.contains("ADDRESS") && table.contains("20x10") && table.contains("mars\\u{202e}"))
        let forced = try home.run("img-cache", ["ls", "--json"], stdout: .terminal).expect(0).stdout
        #expect(forced.hasPrefix("{"))
    }

    @Test func picturesAreNotWrittenToATerminal() throws {
        try put("moon")
        let output = try home.run("img-cache", ["cat", "--key", "moon"], stdout: .terminal).expect(64)
        #expect(output.stdout.isEmpty && output.errorLines.first?.contains("to a file or a pipe") == true)
    }

    @Test func longAddressesShowBothEndsInTheTable() throws {
        let key = "https://example.org/" + String(repeating: "folder/", count: 20) + "moon"
        try home.write("moon.png", DrawnPicture.noise(20, 10, seed: 1).png())
        try home.run("img-cache", ["put", "moon.png", "--key", key]).expect(0)
        let table = try home.run("img-cache", ["ls"], stdout: .terminal).expect(0).stdout
        #expect(table.contains("key:https://") && table.contains("…") && table.contains("/moon"))
    }

    @Test func infoAndRemovalAreDescribedOnATerminal() throws {
        try put("moon")
        try put("mars")
        func words(_ arguments: String...) throws -> String {
            try home.run("img-cache", arguments, stdout: .terminal).expect(0).stdout
        }
        #expect(try words("info", "--key", "moon").contains("image/png, 20 x 10 pixels"))
        try home.run("img-cache", ["pin", "--key", "moon"]).expect(0)
        #expect(try words("rm", "--size", "+1B").contains("1 pinned and kept"))
        _ = try words("clean")
        #expect(try words("clean").contains("nothing to remove"))
    }
}
