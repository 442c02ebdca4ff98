import Libc
import Support

/// Pictures for tests: the small pictures in `Tests/Corpus`, and a large corpus of recorded responses and real
/// pictures, which some tests need and which is not in the repository.
public enum Corpus {
    /// The folder of small pictures, with the same layout as the folder `images` of the large corpus.
    public static let smallImages = "\(packageRoot)/Tests/Corpus/images"

    /// The existing folders of pictures, with the small pictures first.
    public static let imageFolders = [smallImages] + (isPresent ? [root! + "/images"] : [])

    /// `APOD_TOOLS_CORPUS`, else `shared/fixtures` beside the package; nil if there is neither.
    public static let root: String? = {
        if let named = getenv("APOD_TOOLS_CORPUS") { return String(cString: named) }
        var folder = packageRoot
        // `shared` may be up to three folders above this working copy.
        for _ in 0..<3 {
            folder = parent(of: folder)
            if TestFile.exists("\(folder)/shared/fixtures") { return "\(folder)/shared/fixtures" }
        }
        return nil
    }()

    /// The root folder of this package.
    public static let packageRoot: String = {
        // Tests/TestSupport/Corpus.swift → the package
        (0..<3).reduce(#filePath) { path, _ in parent(of: path) }
    }()

    /// Whether the large corpus exists. If not, warns once per run that tests are skipped. For a test's condition:
    /// `@Test(.enabled(if: Corpus.isPresent))`.
    public static let isPresent: Bool = {
        if let root, TestFile.exists(root) { return true }
        Log.standardError(
            "\n*** NO CORPUS: the tests of recorded responses and real pictures are SKIPPED.\n"
                + "*** To run them, set APOD_TOOLS_CORPUS to the folder that contains `api` and `images`.\n\n")
        return false
    }()

    /// Returns the absolute path of a file such as `api/apod/v2-single-image.json`.
    public static func path(_ name: String) throws -> String {
        guard let root else { throw SystemFailure(errno: ENOENT, "find the corpus for \(name)", purpose: .openInput) }
        return "\(root)/\(name)"
    }

    /// Returns the absolute paths of the pictures directly in a folder of each root, sorted by name. Throws if there
    /// are none, because a test without pictures would always pass.
    public static func pictures(in folder: String, of roots: [String] = imageFolders) throws -> [String] {
        let paths = roots.flatMap { root in
            TemporaryFolder.names(in: "\(root)/\(folder)").sorted().filter { name in
                guard let dot = name.lastIndex(of: "."), !name.hasPrefix(".") else { return false }
                return kinds.contains(String(name[name.index(after: dot)...]))
            }.map { "\(root)/\(folder)/\($0)" }
        }
        guard !paths.isEmpty else {
            throw SystemFailure(errno: ENOENT, "find pictures in \(folder)", purpose: .openInput)
        }
        return paths
    }

    private static let kinds: Set<String> = [
        "jpg", "jpeg", "png", "apng", "gif", "webp", "avif", "avifs", "heic", "jxl", "tif",
    ]

    public static func bytes(_ name: String) throws -> [UInt8] { try TestFile.bytes(try path(name)) }

    private static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return "/" }
        return String(path[..<slash])
    }
}
