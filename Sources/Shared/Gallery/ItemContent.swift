import Articles
import Records
import Support

/// The texts and the files of an item, while a page of the item is written.
@dynamicMemberLookup
struct ItemContent {
    let item: GalleryItem
    let record: Record
    private let files: [String: File]

    struct File: Equatable {
        /// The path relative to the gallery (`pictures/…`).
        let path: String
        let width: Int
        let height: Int
        /// A blurred preview as a ThumbHash.
        let hash: String?
        let colour: String?
        /// The number of frames, which is 1 for a still picture.
        let frames: Int

        /// Reads a field of `variants`. Returns nil if the path is outside the gallery, as it may be in an edited
        /// record.
        init?(_ field: ArraySlice<UInt8>) {
            guard let file = try? Record(parsing: field), let path = file.string("path"), GalleryItem.isOwn(path),
                let width = file.integer("width"), let height = file.integer("height"), width > 0, height > 0
            else { return nil }
            (self.path, self.width, self.height) = (path, width, height)
            hash = file.string("thumbhash")
            colour = file.string("dominant_colour")
            frames = file.integer("frames") ?? 1
        }
    }

    init(item: GalleryItem, record: Record) {
        (self.item, self.record) = (item, record)
        let variants = record.raw("variants").flatMap { try? Record(parsing: $0) } ?? Record()
        var files: [String: File] = [:]
        for name in GalleryItem.fileNames {
            files[name] = variants.raw(FieldPath(stringLiteral: name)).flatMap(File.init)
        }
        self.files = files
    }

    subscript<Value>(dynamicMember path: KeyPath<GalleryItem, Value>) -> Value { item[keyPath: path] }

    func file(_ name: String) -> File? { files[name] }

    /// The file that pages, the feed and link previews show until an animation is started.
    var poster: File? { file(GalleryItem.still) ?? file(GalleryItem.pager) }

    /// The animation, or nil for a still picture. Nil also for a video, whose mark starts the video, and for an
    /// animation without a still, which an earlier version of the tool made.
    var animation: File? {
        isVideo || file(GalleryItem.still) == nil ? nil : file(GalleryItem.pager).flatMap { $0.frames > 1 ? $0 : nil }
    }

    /// The smallest file, which a tile shows. A small picture has no thumbnail, because a thumbnail would be the same
    /// as the poster.
    var tile: File? { file(GalleryItem.thumbnail) ?? poster }

    /// The file that a tile shows on a high-density screen.
    var sharpTile: File? { file(GalleryItem.sharpThumbnail) ?? poster }

    var hash: String? { tile?.hash }

    var colour: String? { tile?.colour }

    /// Whether the picture has transparent parts, according to bit 24 of its ThumbHash, counted from 1.
    var isTransparent: Bool {
        guard let bytes = hash.flatMap(Base64.decoded), bytes.count > 2 else { return false }
        return bytes[2] & 0x80 != 0
    }

    /// The texts of the item, or nil if it has no texts.
    var caption: Caption? {
        var record = record
        record.remove("error")
        return Caption(record)
    }

    /// The text in which the search finds words.
    var searchedText: String {
        let day = item.day.map { "\($0)" }
        let texts = [item.title, day, record.string("explanation")].compactMap(\.self)
        return (texts + (caption?.credits ?? []) + item.groups.map(\.text)).joined(separator: " ")
    }

    var isVideo: Bool { record.string("media_type") == "video" }

    /// Whether its tile has a play mark.
    var isPlayable: Bool { isVideo || animation != nil }

    /// The player of the video, or nil if the item has no video on a supported site and no file that browsers play.
    var player: VideoPlayer? { isVideo ? MediaAddress(record.string("url")).flatMap(VideoPlayer.init) : nil }
}
