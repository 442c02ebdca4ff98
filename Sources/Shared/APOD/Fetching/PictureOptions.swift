/// What is wanted of the pictures, and how they may be had.
public struct PictureOptions: Sendable, Equatable {
    /// The media types that are wanted; days of other ones are left out.
    public let media: Set<Picture.MediaType>
    /// Leaves out days that name a copyright holder.
    public let freeOnly: Bool
    /// Leaves out days whose texts don't have these words.
    public let words: SearchWords?
    /// Gives the latest image before a day that has none.
    public internal(set) var fallsBack: Bool
    /// Gives no older image in the place of a day that isn't published yet.
    public let requiresToday: Bool
    /// Carries NASA's own object along.
    public let raw: Bool
    /// Asks the services for what is kept, too.
    public let refreshes: Bool
    /// Asks no service at all.
    public let isOffline: Bool

    public init(
        media: Set<Picture.MediaType> = Set(Picture.MediaType.allCases), freeOnly: Bool = false,
        words: SearchWords? = nil, fallsBack: Bool = false,
        requiresToday: Bool = false, raw: Bool = false, refreshes: Bool = false,
        isOffline: Bool = false
    ) {
        self.media = media
        self.freeOnly = freeOnly
        self.words = words
        self.fallsBack = fallsBack
        self.requiresToday = requiresToday
        self.raw = raw
        self.refreshes = refreshes
        self.isOffline = isOffline
    }

    /// What a picture lacks that is wanted of it.
    enum Lack: CaseIterable {
        case media, freedom, words
    }

    /// Returns why a result is not wanted; nil if it is. Failures are always told.
    func lack(of result: DayResult) -> Lack? {
        guard let picture = result.picture else { return nil }
        if !media.contains(picture.mediaType) { return .media }
        if freeOnly, picture.fields.has("copyright") { return .freedom }
        let texts = picture.fields
        if let words, !words.areIn(texts.string("title") ?? "", texts.string("explanation") ?? "") { return .words }
        return nil
    }
}
