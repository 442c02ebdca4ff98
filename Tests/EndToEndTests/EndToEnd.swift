import Formats
import Images
import Records
import Support
import TestSupport
import Testing

/// A sample service that most tests share. It counts requests by path, so tests use distinct picture names; a test that
/// counts other requests starts its own service.
enum Sample {
    private static let started = Result { try SampleServer(["--size", "320x200"]) }

    static var service: SampleServer { get throws { try started.get() } }

    /// The address of a picture on the shared service, with the faults in its path.
    static func url(_ picture: String, faults: [String] = []) throws -> String {
        try service.url("/pictures/\(picture)", faults: faults)
    }

    /// The number of requests to the shared service for exactly this path.
    static func requests(_ url: String) throws -> Int {
        let path = url.dropFirst(try service.address.count).prefix { $0 != "?" }
        return try service.requests()[String(path)]
    }

    /// A home whose tools send all requests to the shared service.
    static func home(_ added: [String: String] = [:]) throws -> ToolHome {
        try ToolHome(environment: try service.environment.merging(added) { $1 })
    }
}

extension ToolOutput {
    /// All records on standard output.
    var records: [Record] { get throws { try Record.list(parsing: stdoutBytes) } }

    /// The only record on standard output.
    var record: Record {
        get throws {
            let records = try records
            return try #require(records.count == 1 ? records.first : nil, "expected a single record: \(self)")
        }
    }

    /// Expects an exit status, a record whose `error` has this status and code, and the error's message on standard
    /// error as `tool: message`, or with a subject as in `tool: 2024-02-03: message`.
    @discardableResult
    func expectFailure(
        _ status: Int32, code: String, tool: String, transient: Bool? = nil, location: SourceLocation = #_sourceLocation
    ) throws -> Record {
        try expect(status)
        let failed = try records.first { $0.string("error.tool") == tool && $0.string("error.code") == code }
        let record = try #require(failed, "no record has the code \(code): \(self)", sourceLocation: location)
        #expect(record.integer("error.exit") == Int(status), "\(self)", sourceLocation: location)
        #expect(record.bool("error.transient") == (transient ?? (status == 75)), "\(self)", sourceLocation: location)
        let message = try #require(record.string("error.message"), "\(self)", sourceLocation: location)
        #expect(!message.isEmpty, sourceLocation: location)
        #expect(
            errorLines.contains { $0.hasPrefix("\(tool): ") && $0.hasSuffix(": \(message)") }, "\(self)",
            sourceLocation: location)
        return record
    }

    /// Expects an exit status, no standard output, and a line `tool: message` that contains the words.
    func expectRefusal(
        _ status: Int32, _ tool: String, _ words: String..., location: SourceLocation = #_sourceLocation
    ) throws {
        try expect(status)
        #expect(stdoutBytes.isEmpty, "\(self)", sourceLocation: location)
        let line = errorLines.first ?? ""
        #expect(line.hasPrefix("\(tool): "), "\(self)", sourceLocation: location)
        for word in words { #expect(line.contains(word), "\(self)", sourceLocation: location) }
    }
}

/// Encoded pictures for tests.
enum Picture {
    /// A gradient as a JPEG.
    static func jpeg(_ width: Int, _ height: Int) throws -> [UInt8] { try encoded(.gradient(width, height), .jpeg) }

    static func webp(_ width: Int, _ height: Int) throws -> [UInt8] { try encoded(.gradient(width, height), .webp) }

    static func encoded(_ picture: DrawnPicture, _ format: OutputFormat) throws -> [UInt8] {
        let pixels = PixelBuffer(
            size: PixelSize(width: picture.width, height: picture.height), channels: picture.channels,
            bytes: picture.bytes)
        return try encode(pixels, EncodeOptions(format: format, quality: 90))
    }

    static func header(_ path: String) throws -> ImageHeader { try ImageHeader.read(File.openInput(path)) }

    static func header(_ bytes: [UInt8]) throws -> ImageHeader { try ImageHeader.read(MemorySource(bytes)) }

    static func size(_ path: String) throws -> String {
        let size = try header(path).uprightSize
        return "\(size.width)x\(size.height)"
    }

    /// Inserts an Exif orientation as the first segment of a JPEG (CIPA DC-008, 4.5.4 and 4.6.5).
    static func turned(_ jpeg: [UInt8], orientation: UInt8) -> [UInt8] {
        let tiff: [UInt8] =
            Array("MM".utf8) + [0, 42, 0, 0, 0, 8]
            + [0, 1] + [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, orientation, 0, 0] + [0, 0, 0, 0]
        let body = Array("Exif".utf8) + [0, 0] + tiff
        let length = body.count + 2
        return Array(jpeg[..<2]) + [0xFF, 0xE1, UInt8(length >> 8), UInt8(length & 0xFF)] + body + Array(jpeg[2...])
    }
}

extension ToolHome {
    /// Partial files below the cache root.
    var leftovers: [String] {
        folder.contents().filter { name in
            guard name.hasPrefix("cache/apod-tools/"), let slash = name.lastIndex(of: "/") else { return false }
            return name[..<slash].hasSuffix("/partial")
        }
    }

    /// Pictures below the cache root.
    var blobs: [String] {
        folder.contents().filter { name in
            name.hasPrefix("cache/apod-tools/scopes/")
                && [".jpg", ".png", ".gif", ".webp"].contains { name.hasSuffix($0) }
        }
    }

    /// The counters of `img-cache stats --json`, as a record.
    func statistics() throws -> Record { try run("img-cache", ["stats", "--json"]).expect(0).record }
}
