import Images
import Support

/// Standard input, if it is one picture.
enum StandardInput {
    /// Reads the picture. Throws `UsageFailure` if it begins like JSON instead, `ImageError.tooManyBytes`,
    /// `SystemFailure`.
    static func picture(byteLimit: Int) throws -> MemorySource {
        let file = try File(descriptor: 0, path: "standard input", closes: false)
        // Enough to tell JSON from a picture, so that nobody waits for the end of a stream of records.
        let head = try file.contents(atMost: 64)
        if beginsAsJSON(head) { throw UsageFailure("-o takes a single picture; use --output-dir for records") }
        let bytes = try head + file.contents(atMost: byteLimit)
        guard bytes.count <= byteLimit else { throw ImageError.tooManyBytes(bytes.count, limit: byteLimit) }
        return MemorySource(bytes)
    }

    private static func beginsAsJSON(_ bytes: [UInt8]) -> Bool {
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        let first = text.first { $0 > 0x20 }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }
}
