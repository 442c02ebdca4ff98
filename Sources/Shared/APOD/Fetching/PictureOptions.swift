/// What is wanted of the pictures, and how they may be had.
public struct PictureOptions: Sendable, Equatable {
    /// The media types that are wanted; days of other ones are left out.
    public let media: Set<Picture.MediaType>
    /// Gives the latest image before a day that has none.
    public let fallsBack: Bool
    /// Gives no older image in the place of a day that isn't published yet.
    public let requiresToday: Bool
    /// Carries NASA's own object along.
    public let raw: Bool
    /// Carries the explanation's paragraphs and links along, for a format that shows them.
    public let marksArticles: Bool
    /// Asks the services for what is kept, too.
    public let refreshes: Bool
    /// Asks no service at all.
    public let isOffline: Bool

    public init(
        media: Set<Picture.MediaType> = Set(Picture.MediaType.allCases), fallsBack: Bool = false,
        requiresToday: Bool = false, raw: Bool = false, marksArticles: Bool = false, refreshes: Bool = false,
        isOffline: Bool = false
    ) {
        self.media = media
        self.fallsBack = fallsBack
        self.requiresToday = requiresToday
        self.raw = raw
        self.marksArticles = marksArticles
        self.refreshes = refreshes
        self.isOffline = isOffline
    }

    /// Whether a result is of a type that is wanted. Failures are always told.
    func wants(_ result: DayResult) -> Bool {
        result.picture.map { media.contains($0.mediaType) } ?? true
    }
}
