import Store
import Support

/// The number and size of listed entries, for the last line of a table: `46 pictures and 26 variants, 13.2 MB`.
public struct ListTotal: Sendable {
    private let name: String
    private var originals = 0
    private var variants = 0
    private var bytes = 0

    /// - Parameter name: the singular noun, such as `picture`.
    public init(of name: String) { self.name = name }

    public mutating func add(_ entry: Entry) {
        if entry.kind == .variant { variants += 1 } else { originals += 1 }
        bytes += entry.bytes
    }

    public var line: String { "\(Self.words(name, originals, variants: variants)), \(ByteCount.description(bytes))\n" }

    static func words(_ name: String, _ originals: Int, variants: Int) -> String {
        counted(originals, name) + (variants > 0 ? " and \(counted(variants, "variant"))" : "")
    }
}
