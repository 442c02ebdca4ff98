import Records

/// The appearance and the content of a gallery.
public struct GallerySettings: Sendable {
    public enum Theme: String, Sendable, CaseIterable {
        /// Follows the reader's system setting.
        case auto
        case light, dark
    }

    public var title: String
    public var theme: Theme
    /// Pictures per page.
    public var pageSize: Int
    /// The address of the published folder, ending with a slash. Without it, pages have no metadata for link previews.
    public var baseURL: String?
    /// A style sheet loaded after the built-in style sheet.
    public var stylesheet: [UInt8]?
    /// Whether originals are copied into the gallery.
    public var keepsOriginals = false
    /// The limit for removing pictures that are not in the input; nil removes none.
    public var prune: PruneLimit?
    /// The pictures to remove, by `gallery.id`.
    public var removed: Set<String> = []
    /// The field that identifies a picture, see `PictureIdentity`.
    public var identity: FieldPath?
    /// The record fields to read for each text of a picture. The first field that has a text is used.
    public var fields = GalleryText.standardFields

    /// The option values that later runs use by default, as text by option name.
    public var remembered = Record()

    public init(title: String, theme: Theme, pageSize: Int) {
        self.title = title
        self.theme = theme
        self.pageSize = pageSize
    }
}

/// The texts of a picture in a gallery, with their names in `--field`.
public enum GalleryText: String, Sendable, CaseIterable {
    case title, date, text, credit, licence, link

    public static let standardFields: [GalleryText: [FieldPath]] = [
        .title: ["title", "name", "id"],
        .date: ["date", "net"],
        .text: ["explanation", "description", "mission.description", "instructions"],
        .credit: ["credit"],
        .licence: ["license", "licence"],
        .link: ["permalink", "link"],
    ]
}
