import Libc
import Records
import Store
import Support
import Variants

/// The folder of a gallery.
///
/// Pictures are named by their content. Each file is written under a temporary name and then renamed, and unchanged
/// files are not written. If a run is killed, all files are complete, and the next run adds the missing files.
/// Concurrent runs add their records to the same gallery: before it writes the pages, each run locks the gallery and
/// reads the records of the other runs.
public final class GalleryFolder: Sendable {
    public let folder: Folder
    let pictures: Folder
    /// The items of the runs that ended before this run began.
    let earlier: WrittenItems
    /// The records of this run.
    let spool: RecordSpool
    /// A lock file. Each run holds a shared lock, and removes pictures only if no other run holds a lock.
    private let use: File

    private static let picturesName = "pictures"
    private static let lockName = ".gallery.lock"
    private static let useName = ".gallery.use"
    private static let settingsName = ".gallery.json"
    /// The file that contains `Site.stamp`. It exists only while all pages and search files are complete.
    private static let stampName = ".gallery.pages"

    /// Creates the folder if it is missing, and reads the items of earlier runs. Throws `SystemFailure` (73),
    /// `UnsafePath`.
    public init(_ path: String) throws {
        try makeFolder(path, synchronized: false)
        folder = try Folder(path)
        for name in [Self.picturesName, "pages", "data"] { try folder.makeFolder(name, mode: 0o777) }
        pictures = try folder.folder(Self.picturesName)
        use = try folder.open(Self.useName, O_RDWR | O_CREAT, mode: 0o666, purpose: .makeOutput)
        try Self.lock(use, LOCK_SH)
        spool = try RecordSpool(in: folder)
        earlier = try WrittenItems(in: folder)
    }

    /// Returns the options that an earlier run stored (`GallerySettings.remembered`), and its style sheet. Ignores an
    /// invalid file of options.
    public func rememberedSettings() throws -> (options: Record, stylesheet: [UInt8]?) {
        let options = try folder.openIfPresent(Self.settingsName)?.contents(atMost: 1 << 16)
        let stylesheet = try folder.openIfPresent("own.css")?.contents(atMost: 1 << 20)
        return (options.flatMap { try? Record(parsing: $0) } ?? Record(), stylesheet)
    }

    /// Converts a path relative to the gallery to a file name in the folder `pictures`.
    static func name(ofPicture path: String) -> String { String(path.dropFirst(picturesName.count + 1)) }

    /// Adds items, removes the items that `settings` selects, and writes all files. Throws `SystemFailure` (73).
    /// After all files are written, throws `PruneRefusal` or `MissingPicture` if pictures were not removed as
    /// requested.
    ///
    /// - Parameter itemsOfRun: the items that this run adds, in the order of the input.
    func write(_ itemsOfRun: [GalleryItem], _ settings: GallerySettings) throws {
        let lock = try folder.open(Self.lockName, O_RDWR | O_CREAT, mode: 0o666, purpose: .makeOutput)
        try Self.lock(lock, LOCK_EX)
        defer { withExtendedLifetime(lock) {} }
        let present = try WrittenItems(in: folder, unless: earlier)
        var items = present.items
        let stamp = try folder.openIfPresent(Self.stampName)?.contents(atMost: 1 << 10)
        let isComplete = stamp == Array(Site.stamp(present.digest, settings).utf8)
        let before = isComplete && !settings.removesGroups ? Site(items, settings) : nil
        for item in itemsOfRun { items.add(item) }
        if settings.removesGroups { items.removeGroups() }
        // Determine the missing ids before pruning, which may remove some of these pictures.
        let missing = settings.removed.subtracting(items.items.map(\.id))
        var refusal: PruneRefusal?
        if let limit = settings.prune {
            let wanted = Set(itemsOfRun.flatMap { items.keys(standingFor: $0) })
            let removed = items.items.count { !wanted.contains($0.key) }
            refusal = limit.refusal(of: removed, of: present.items.items.count, itemsOfRun: itemsOfRun)
            if refusal == nil { items.keep { wanted.contains($0.key) } }
        }
        if !settings.removed.isEmpty { items.keep { !settings.removed.contains($0.id) } }
        let site = Site(items, settings)
        let unused = try unusedFiles(items, since: present.items, all: settings.prune != nil && refusal == nil)
        // If this run is killed, the stamp is missing, and the next run compares all pages and search files.
        folder.remove(Self.stampName)
        try write(Self.settingsName, settings.remembered.line)
        let digest = try WrittenItems.write(items.items, in: folder, since: present.digest)
        try writePictures(site, since: before)
        try writePages(site, since: before)
        try write(Self.stampName, Array(Site.stamp(digest, settings).utf8))
        try remove(unused)
        if let refusal { throw refusal }
        if let id = missing.min() { throw MissingPicture(id: id, gallery: folder.path) }
    }

    /// The pages' script, without the lines that are comments, because visitors load it.
    static let script = Array(
        PackageResources.gallery_js.split(separator: UInt8(ascii: "\n"))
            .filter { !$0.drop { $0 == UInt8(ascii: " ") }.starts(with: Array("//".utf8)) }
            .joined(separator: [UInt8(ascii: "\n")]))

    /// Writes all files except for the pictures' pages. Does not render pages that are the same as before.
    ///
    /// - Parameter before: the site whose files the folder contains, or nil if the files may be incomplete.
    private func writePages(_ site: Site, since before: Site?) throws {
        var names: Set<String> = []
        func add(_ name: String, _ text: String) throws {
            names.insert(name)
            try write(name, Array(text.utf8))
        }
        try writeGroups(site, since: before)
        try write("style.css", PackageResources.style_css)
        try write("gallery.js", Self.script)
        if let stylesheet = site.settings.stylesheet { try write("own.css", stylesheet) }
        let hasIndex = try before.map { try SearchIndex.paths($0).allSatisfy(isFile) } ?? false
        let index = try SearchIndex(site, since: hasIndex ? before : nil) { path in
            try folder.openIfPresent(path).flatMap { try Site.object(ofScript: $0.contents(atMost: .max)) }
        }
        try index.forEachFile(add)
        names.formUnion(index.unchanged)
        try add("data/days.js", site.days)
        for file in site.names { try add(file.path, file.text) }
        let pairs = before?.pages.enumerated().map { ($1.path, $0) } ?? []
        let numbers = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        for (number, page) in site.pages.enumerated().dropFirst() {
            names.insert(page.path)
            if let before, let old = numbers[page.path], site.hasSameMarkup(number, as: old, in: before),
                try isFile(page.path)
            {
                continue
            }
            try add(page.path, site.markup(of: page))
        }
        try add(Site.months, site.listOfMonths())
        try add("feed.atom", site.feed())
        try writeUnlessForeign("favicon.svg", PackageResources.favicon_svg)
        try writeUnlessForeign("404.html", Array(site.notFound.utf8))
        if let sitemap = site.sitemap { try writeUnlessForeign("sitemap.xml", Array(sitemap.utf8)) }
        // Write the start page last, because it links to all other pages.
        try add(Site.start, site.markup(of: site.pages[0]))
        for folder in ["pages", "data"] {
            for name in try self.folder.names(in: folder).map({ "\(folder)/\($0)" })
            where !names.contains(name) && Self.isWritten(name) {
                self.folder.remove(name)
            }
        }
    }

    /// Writes the pages of new and changed pictures, and removes the pages of removed pictures.
    ///
    /// - Parameter before: the site whose pages the folder contains, or nil if the pages may be incomplete.
    private func writePictures(_ site: Site, since before: Site?) throws {
        let pairs = before?.items.enumerated().map { ($1.id, $0) } ?? []
        let indices = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
        var present = Set(
            try pageFolders().flatMap { parent in try folder.names(in: parent).map { "\(parent)/\($0)" } })
        var made: Set<Substring> = []
        for (index, item) in site.items.enumerated() {
            let path = item.page
            let isPresent = present.remove(path) != nil
            if isPresent, let before, let old = indices[item.id], site.hasSamePage(index, as: old, in: before) {
                continue
            }
            let parent = path.prefix { $0 != "/" }
            if made.insert(parent).inserted { try folder.makeFolder(String(parent), mode: 0o777) }
            try writeUnlessForeign(path, Array(site.markup(ofPicture: index).utf8))
        }
        for path in present where try GalleryItem.isPage(path) && !isForeign(path) {
            folder.remove(path)
            folder.removeFolder(String(path.prefix { $0 != "/" }))
        }
    }

    /// Writes the new and changed pages of groups, and removes the pages of groups without pictures.
    ///
    /// - Parameter before: the site whose pages the folder contains, or nil if the pages may be incomplete.
    private func writeGroups(_ site: Site, since before: Site?) throws {
        let parent = Site.groupFolder
        var names: Set<String> = []
        if !site.groups.isEmpty {
            try folder.makeFolder(parent, mode: 0o777)
            let pairs = before?.groupPages.map { ($0.page.path, $0) } ?? []
            let old = Dictionary(pairs, uniquingKeysWith: { first, _ in first })
            for page in site.groupPages {
                let path = page.page.path
                names.insert(path)
                if let before, let other = old[path], site.hasSameMarkup(page, as: other, in: before), try isFile(path)
                {
                    continue
                }
                try writeUnlessForeign(path, Array(site.markup(of: page).utf8))
            }
            names.insert(Site.groupList)
            try writeUnlessForeign(Site.groupList, Array(site.listOfGroups().utf8))
        }
        guard try hasGroupFolder() else { return }
        for path in try folder.names(in: parent).map({ "\(parent)/\($0)" })
        where try !names.contains(path) && Self.isWritten(path) && !isForeign(path) {
            folder.remove(path)
            folder.removeFolder(parent)
        }
    }

    private func hasGroupFolder() throws -> Bool { try folder.status(of: Site.groupFolder)?.kind == .folder }

    /// Returns the folders that can contain pages of pictures.
    private func pageFolders() throws -> [String] {
        try folder.names().filter { try GalleryItem.isPageFolder($0) && folder.status(of: $0)?.kind == .folder }
    }

    /// Returns whether this version or an earlier version may have written a file in the folder `pages`, `data` or
    /// `groups`, according to the file's path.
    static func isWritten(_ path: String) -> Bool {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let dot = parts[1].firstIndex(of: ".") else { return false }
        let (name, rest) = (parts[1][..<dot], parts[1][dot...].dropFirst())
        func isNumber(_ text: Substring) -> Bool { !text.isEmpty && text.utf8.allSatisfy(\.isASCIIAlphanumeric) }
        if parts[0] == "pages" {
            let words = rest.split(separator: ".", omittingEmptySubsequences: false)
            let isPage = words.last == "html" && (words.count == 1 || words.count == 2 && isNumber(words[0]))
            return isPage && (name == "undated" || name == "index" || CalendarDay("\(name)-01") != nil)
        }
        if parts[0] == Site.groupFolder { return Site.isGroupPage(path) }
        let words = name.split(separator: "-", omittingEmptySubsequences: false)
        guard parts[0] == "data", rest == "js" else { return false }
        return words.count == 1
            ? ["days", "search"].contains(name)
            : words.count == 2 && ["names", "rows", "search", "words"].contains(words[0]) && isNumber(words[1])
    }

    /// Writes a file, unless it exists and was not written by this tool.
    private func writeUnlessForeign(_ name: String, _ bytes: [UInt8]) throws {
        if try !isForeign(name) { try write(name, bytes) }
    }

    private func isFile(_ name: String) throws -> Bool { try folder.status(of: name)?.kind == .file }

    private func isForeign(_ name: String) throws -> Bool {
        guard let old = try folder.openIfPresent(name)?.contents(atMost: .max) else { return false }
        return !String(decoding: old, as: UTF8.self).contains(text: "img-downsample gallery")
    }

    /// Writes a file, unless it exists with the same content.
    private func write(_ name: String, _ bytes: [UInt8]) throws {
        if let old = try? folder.open(name, O_RDONLY), old.count == bytes.count, try old.contents(atMost: .max) == bytes
        {
            return
        }
        var (parent, last) = (folder, name)
        if let slash = name.utf8.lastIndex(of: UInt8(ascii: "/")) {
            parent = try folder.folder(String(name[..<slash]))
            last = String(name[name.utf8.index(after: slash)...])
        }
        let file = try OutputFile(in: parent, name: last, replaces: true)
        try file.write(bytes.span.bytes)
        try file.commit()
    }

    /// Returns the paths of files that no item uses any more.
    ///
    /// - Parameters:
    ///   - before: the items before the run.
    ///   - all: whether to return all such files in the folder, otherwise only files that items used before the run.
    private func unusedFiles(_ items: GalleryItems, since before: GalleryItems, all: Bool) throws -> Set<String> {
        var unused: Set<String> = []
        for old in before.items {
            let new = items[old.key]
            if let new, new.stored == old.stored { continue }
            let used = try new.map { try GalleryItem.paths(in: $0.stored.read()) } ?? []
            try unused.formUnion(Set(GalleryItem.paths(in: old.stored.read())).subtracting(used))
        }
        if all {
            unused.formUnion(try pictures.names().map { "\(Self.picturesName)/\($0)" }.filter(GalleryItem.isOwn))
        }
        if unused.isEmpty { return [] }
        for item in items.items { try unused.subtract(GalleryItem.paths(in: item.stored.read())) }
        return unused
    }

    /// Removes the given pictures, and the temporary files of killed runs. Does nothing if another run is active.
    private func remove(_ paths: Set<String>) throws {
        guard flock(use.descriptor, LOCK_EX | LOCK_NB) == 0 else { return }
        defer { _ = flock(use.descriptor, LOCK_SH) }
        for path in paths { removePicture(path) }
        let groups = try hasGroupFolder() ? [Site.groupFolder] : []
        for parent in try [".", Self.picturesName, "pages", "data"] + groups + pageFolders() {
            for name in try folder.names(in: parent) where OutputFile.isTemporary(name) {
                let path = parent == "." ? name : "\(parent)/\(name)"
                if !folder.remove(path) { folder.removeFolderWithFiles(path) }
            }
        }
    }

    private func removePicture(_ path: String) {
        let name = Self.name(ofPicture: path)
        if TileFolder.isName(name) { TileFolder.remove(name, from: pictures) } else { pictures.remove(name) }
    }

    private static func lock(_ file: File, _ operation: Int32) throws {
        while flock(file.descriptor, operation) != 0 {
            if errno != EINTR { throw SystemFailure(errno: errno, "lock \(file.path)", purpose: .makeOutput) }
        }
    }
}

/// The failure if `--remove` names a picture that is not in the gallery.
struct MissingPicture: Failure {
    let id: String
    let gallery: String

    var code: String { "not-in-gallery" }
    var message: String {
        "\(id) is not in \(gallery); use the gallery.id of its record, which is the part after # in gallery.page"
    }
    var exitCode: ExitCode { .absent }
}
