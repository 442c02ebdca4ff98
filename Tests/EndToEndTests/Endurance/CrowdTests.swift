import Libc
import Records
import Support
import TestSupport
import Testing

/// Eight processes share a root whose capacity is too small for all of their pictures.
@Suite(.serialized)
struct CrowdTests {
    private static let size = 20_000

    /// A file opened as soon as its path was printed.
    private struct Held {
        let url: String
        let path: String
        let file: File
    }

    /// Starts eight processes with 40 pictures each, half of them shared with the next process, and opens every printed
    /// path immediately. Returns the opened files, the number of printed paths and the outputs.
    private func crowd(
        _ server: PictureServer, _ home: ToolHome, _ options: [String]
    ) throws -> (held: [Held], printed: Int, outputs: [ToolOutput]) {
        let tools = try (0..<8).map { number in
            try home.start(
                "img-cache", ["put", "--jobs", "2"] + options + (0..<40).map { server.url("\(number * 20 + $0)") },
                stdin: .empty)
        }
        let results = Monitor((held: [Held](), printed: 0))
        let readers = try tools.map { tool in
            try Thread.start {
                while let line = tool.readLine() {
                    guard let record = try? Record(parsing: Array(line.utf8)), let path = record.string("path"),
                        let url = record.string("url")
                    else { continue }
                    let file = try? File.open(path, O_RDONLY)
                    results.update { results in
                        results.printed += 1
                        if let file { results.held.append(Held(url: url, path: path, file: file)) }
                    }
                }
            }
        }
        for reader in readers { reader.join() }
        let outputs = tools.map { $0.wait() }
        let (held, printed) = results.withLock { $0 }
        return (held, printed, outputs)
    }

    @Test func cacheStaysWithinItsCapacityWithoutLeases() throws {
        let server = try PictureServer(size: Self.size)
        let home = try ToolHome(environment: server.environment)
        let capacity = 30 * Self.size

        let (held, printed, outputs) = try crowd(server, home, ["--capacity", "\(capacity)", "APOD_TOOLS_LEASE=0s"])

        for output in outputs { #expect(output.status == 0, "\(output)") }
        // The warning appears at most once an hour, so only the process that ends first prints it.
        let warnings = outputs.filter { !$0.stderr.isEmpty }
        #expect(warnings.count == 1 && warnings[0].stderr.contains("more than the capacity"), "\(warnings)")
        #expect(printed == 8 * 40)
        // Most files are opened before another process trims them.
        #expect(held.count > printed / 4)
        for held in held { #expect(try held.file.bytes(0..<held.file.count) == server.picture(held.url)) }
        #expect(CacheOnDisk(home).files().values.reduce(0, +) <= capacity)
        try CacheOnDisk(home).expectConsistent(home)
        #expect(try CacheOnDisk(home).count("evictions") > 50)
    }

    @Test func leasedFilesAreKeptEvenIfTheyExceedTheCapacity() throws {
        let server = try PictureServer(size: Self.size)
        let home = try ToolHome(environment: server.environment)

        let (held, printed, outputs) = try crowd(
            server, home, ["--capacity", "\(30 * Self.size)", "APOD_TOOLS_LEASE=10m"])

        #expect(printed == 8 * 40 && held.count == printed)
        for held in held { #expect(try TestFile.bytes(held.path) == server.picture(held.url)) }
        for output in outputs {
            #expect(output.status == 0 && output.errorLines.count <= 1, "\(output)")
            #expect(output.errorLines.allSatisfy { $0.hasPrefix("img-cache: warning: ") }, "\(output)")
        }
        #expect(outputs.contains { $0.errorLines.count == 1 })
        // Every picture was downloaded once, although several processes requested it.
        #expect(server.asked.count == Set(held.map(\.url)).count)
        try CacheOnDisk(home).expectConsistent(home)
    }
}
