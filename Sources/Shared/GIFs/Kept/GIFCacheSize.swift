import Fetch
import Records
import Store
import Support
import Tools

/// What a scope has of GIFs.
public struct GIFCacheSize: Description, Equatable {
    private(set) var gifs = 0
    private(set) var bytes = 0
    /// Posters, and what img-downsample has made of GIFs.
    private(set) var variants = 0
    private(set) var variantBytes = 0

    mutating func add(_ entry: Entry) {
        if entry.kind == .variant {
            variants += 1
            variantBytes += entry.bytes
        } else {
            gifs += 1
            bytes += entry.bytes
        }
    }

    public var json: JSON {
        .object([
            "gifs": .integer(gifs), "bytes": .integer(bytes), "size": .string(ByteCount.description(bytes)),
            "variants": .integer(variants), "variant_bytes": .integer(variantBytes),
        ])
    }

    /// A line for a person.
    public var text: String {
        func words(_ count: Int, _ one: String, _ bytes: Int) -> String {
            "\(count) \(count == 1 ? one : one + "s"), \(ByteCount.description(bytes))"
        }
        let made = variants == 0 ? "" : "; and made of them \(words(variants, "variant", variantBytes))"
        return words(gifs, "GIF", bytes) + made + "\n"
    }
}
