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
    /// The number of pictures per page.
    public var pageSize: Int
    /// The address at which the folder is published, with a slash at the end. If it is nil, pages have no metadata for
    /// link previews.
    public var baseURL: String?
    /// A style sheet that pages load after the built-in style sheet.
    public var stylesheet: [UInt8]?
    /// Whether originals are copied into the gallery.
    public var keepsOriginals = false
    /// The limit for removing pictures that are not in the input, or nil to remove none.
    public var prune: PruneLimit?
    /// The pictures to remove, by `gallery.id`.
    public var removed: Set<String> = []
    /// The record field that identifies a picture, or nil. See `PictureIdentity`.
    public var identity: FieldPath?
    /// The record field with the groups of a picture, which are tags or an album. If it is nil, pages show no groups, and
    /// stored records keep them.
    public var groupField: FieldPath?
    /// Whether to remove the groups from all records.
    public var removesGroups = false
    /// The maximum number of groups of a picture. Limits the number of pages that a record can add.
    public static let maxGroups = 20
    /// The record fields from which each text of a picture is read. The first field with a text is used.
    public var fields = GalleryText.standardFields

    /// The options to store in the folder as defaults for later runs: a field per option, named like the option, with
    /// its value as text. The field `field` is an array of such texts.
    public var remembered = Record()

    public init(title: String, theme: Theme, pageSize: Int) {
        self.title = title
        self.theme = theme
        self.pageSize = pageSize
    }
}

/// The texts of a picture in a gallery. The raw values are their names in `--field`.
public enum GalleryText: String, Sendable, CaseIterable {
    case title, date, text, credit, licence, link, camera

    public static let standardFields: [GalleryText: [FieldPath]] = [
        .title: ["title", "name", "id"],
        .date: ["date", "net"],
        .text: ["explanation", "description", "mission.description", "instructions"],
        .credit: ["credit"],
        .licence: ["license", "licence"],
        .link: ["permalink", "link"],
        // A camera is published only on request.
        .camera: [],
    ]

    /// The field of the text in records that a gallery writes, which has the name that apod-fetch gives it.
    var field: FieldPath {
        switch self {
        case .text: "explanation"
        case .licence: "license"
        case .link: "permalink"
        case .title, .date, .credit, .camera: FieldPath(stringLiteral: rawValue)
        }
    }
}
