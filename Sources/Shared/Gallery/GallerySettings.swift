import Records

/// How a gallery looks, and what is kept in it.
public struct GallerySettings: Sendable {
    public enum Theme: String, Sendable, CaseIterable {
        /// As the reader's system is set.
        case auto
        case light, dark
    }

    public var title: String
    public var theme = Theme.auto
    /// How many pictures a page holds.
    public var pageSize = 100
    /// Where the folder will be published, ending with a slash. Without it, pages have no preview for other sites.
    public var baseURL: String?
    /// A style sheet that goes on top.
    public var stylesheet: [UInt8]?
    /// Whether the originals are copied, too.
    public var keepsOriginals = false
    /// Whether what does not come in any more is dropped.
    public var prunes = false
    public var fields = GalleryFields()

    public init(title: String = "Gallery") { self.title = title }
}

/// Where the words of a record stand: the first field that has any.
public struct GalleryFields: Sendable {
    public var title: [FieldPath] = ["title", "name", "id"]
    public var date: [FieldPath] = ["date", "net"]
    public var text: [FieldPath] = ["explanation", "description", "mission.description", "instructions"]
    public var credit: [FieldPath] = ["credit"]
    public var licence: [FieldPath] = ["license", "licence"]
    public var link: [FieldPath] = ["permalink", "link"]

    public init() {}
}
