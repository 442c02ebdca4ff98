import Images
import Support

/// What the picture argument of `-o` turns out to be.
enum PictureInput {
    case file(InputFile)
    case bytes([UInt8])
    /// Standard input begins like JSON.
    case records

    /// Opens the file, or reads standard input for `-`. What is no file on a disk is read whole.
    init(_ argument: String, limit: Int, interruption: Interruption) throws {
        if argument != "-" {
            self = .file(try InputFile(argument, byteLimit: limit, interruption: interruption))
            return
        }
        let file = try File(descriptor: 0, path: "standard input", closes: false)
        // Enough to tell JSON from a picture, so that nobody waits for the end of a stream of records.
        let head = try file.contents(atMost: 64)
        if Self.beginsAsJSON(head) {
            self = .records
            return
        }
        let bytes = try head + file.contents(atMost: limit)
        guard bytes.count <= limit else { throw ImageError.tooManyBytes(bytes.count, limit: limit) }
        self = .bytes(bytes)
    }

    private static func beginsAsJSON(_ bytes: [UInt8]) -> Bool {
        let text = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
        let first = text.first { $0 > 0x20 }
        return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }
}
