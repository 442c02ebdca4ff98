import Support

extension Picture.MediaType {
    /// Reads `image`, or several types with commas between them. Throws `UsageFailure` with a near match where there is
    /// one.
    public static func types(typed text: String) throws -> Set<Picture.MediaType> {
        Set(
            try text.split(separator: ",", omittingEmptySubsequences: false).map { word in
                guard let type = Picture.MediaType(rawValue: String(word)) else {
                    let advice = NearMatch.advice(for: String(word), among: allCases.map(\.rawValue))
                    throw UsageFailure("--media takes image, video and other, not \"\(word)\"\(advice)")
                }
                return type
            })
    }
}
