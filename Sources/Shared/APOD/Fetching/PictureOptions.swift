/// Selects pictures, and determines how to fetch them.
public struct PictureOptions: Sendable, Equatable {
    /// Selects every picture.
    public static let standard = PictureOptions()

    /// Skips days whose media type is not in this set.
    public var media = Set(Picture.MediaType.allCases)
    /// Skips days that name a copyright holder.
    public var freeOnly = false
    /// Skips days whose texts lack these words.
    public var words: SearchWords?
    /// Replaces a day without an image by the latest earlier image.
    public var fallsBack = false
    /// Never replaces a day that is not published yet.
    public var requiresToday = false
    /// Adds the JSON object of the service to the records.
    public var raw = false
    /// Ignores cached answers.
    public var refreshes = false
    /// Makes no requests.
    public var isOffline = false

    /// The reason for skipping a picture.
    enum Exclusion: CaseIterable {
        case media, copyright, words
    }

    /// Returns the reason for skipping a result, or nil. Failures are never skipped.
    func exclusion(of result: DayResult) -> Exclusion? {
        guard let picture = result.picture else { return nil }
        if !media.contains(picture.mediaType) { return .media }
        if freeOnly, picture.fields.has("copyright") { return .copyright }
        let texts = picture.fields
        if let words, !words.areIn(texts.string("title") ?? "", texts.string("explanation") ?? "") { return .words }
        return nil
    }
}
