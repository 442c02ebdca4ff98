/// Sizes as people write them.
public enum ByteCount {
    /// The number of bytes that `text` stands for: `4096`, `200MB` (10⁶), `64MiB` (2²⁰), `1.5GB`. As with GNU's tools,
    /// a single letter (`64M`) means powers of 1024. Upper and lower case are the same. Nil for anything else, and for
    /// what does not fit.
    public static func parse(_ text: String) -> Int? {
        guard let (number, unit) = NumberWithUnit.split(text) else { return nil }
        let factor: Double? =
            switch unit.lowercased() {
            case "", "b": 1
            case "kb": 1e3
            case "mb": 1e6
            case "gb": 1e9
            case "tb": 1e12
            case "k", "kib": 1024
            case "m", "mib": 1_048_576
            case "g", "gib": 1_073_741_824
            case "t", "tib": 1_099_511_627_776
            default: nil
            }
        guard let factor else { return nil }
        return Int(exactly: (number * factor).rounded(.down))
    }

    /// A size for people: `512 B`, `1.2 MB` (powers of 1000).
    public static func description(_ bytes: Int) -> String {
        guard bytes.magnitude >= 1000 else { return "\(bytes) B" }
        var value = Double(bytes)
        var unit = 0
        let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
        while value.magnitude >= 999.95, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(abs(tenths % 10)) \(units[unit])"
    }
}
