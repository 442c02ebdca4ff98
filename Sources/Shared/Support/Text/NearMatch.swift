/// Finds the known name that is most similar to a misspelled name.
public enum NearMatch {
    /// Returns the candidate closest to `word`, if they differ in at most about a third of the letters of `word`.
    public static func suggestion(for word: String, among candidates: some Sequence<String>) -> String? {
        let word = Array(word.lowercased())
        let best = candidates.map { ($0, distance(word, Array($0.lowercased()))) }.min { $0.1 < $1.1 }
        guard let best, best.1 <= max(1, (word.count + 1) / 3) else { return nil }
        return best.0
    }

    /// Returns whether a single edit turns `other` into `name`: an insertion, deletion, replacement or transposition.
    public static func isTypo(_ name: String, of other: String) -> Bool {
        let (a, b) = (Array(name), Array(other))
        return abs(a.count - b.count) <= 1 && distance(a, b) <= 1
    }

    /// Returns whether two names differ only in digits, such as `u1001` and `u1002`.
    public static func differOnlyInDigits(_ a: String, _ b: String) -> Bool {
        func rest(_ name: String) -> [UInt8] { name.utf8.filter { !$0.isDigit } }
        return !a.hasSameBytes(as: b) && rest(a) == rest(b)
    }

    /// Returns `; did you mean X?`, or an empty text.
    public static func advice(for word: String, among candidates: some Sequence<String>) -> String {
        suggestion(for: word, among: candidates).map { "; did you mean \($0)?" } ?? ""
    }

    /// Returns Damerau's distance with each letter edited at most once (optimal string alignment). Cost: O(n·m).
    static func distance(_ a: [Character], _ b: [Character]) -> Int {
        var before: [Int] = []
        var row = Array(0...b.count)
        for (i, left) in a.enumerated() {
            var next = [i + 1]
            next.reserveCapacity(b.count + 1)
            for (j, right) in b.enumerated() {
                var least = min(row[j + 1] + 1, next[j] + 1, row[j] + (left == right ? 0 : 1))
                if i > 0, j > 0, left == b[j - 1], a[i - 1] == right { least = min(least, before[j - 1] + 1) }
                next.append(least)
            }
            (before, row) = (row, next)
        }
        return row[b.count]
    }
}
