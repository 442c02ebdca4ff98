import Libc
import Support

/// The paths of the built tools.
public enum Tools {
    /// Returns the absolute path of a built program: in the folder `APOD_TOOLS_BIN`, else beside the tests
    /// (`.build/debug`). Returns a name with a slash unchanged.
    public static func path(_ name: String) throws -> String {
        if name.contains("/") { return name }
        for folder in folders where access("\(folder)/\(name)", X_OK) == 0 { return "\(folder)/\(name)" }
        throw MissingTool(name: name, folders: folders)
    }

    /// The folders in which to search for tools, in order.
    public static let folders: [String] = {
        var folders: [String] = []
        if let named = getenv("APOD_TOOLS_BIN") {
            let text = String(cString: named)
            folders.append(text.hasPrefix("/") ? text : "\(Corpus.packageRoot)/\(text)")
        }
        // On macOS another program loads the tests as a bundle, a few folders below the built products.
        var folder = ownImage
        for _ in 0..<4 {
            guard let slash = folder.lastIndex(of: "/") else { break }
            folder = String(folder[..<slash])
            folders.append(folder)
        }
        folders.append("\(Corpus.packageRoot)/.build/debug")
        return folders
    }()

    /// The folder of the four tools, for a PATH; nil if they are not built.
    public static let folder: String? = folders.first { access("\($0)/img-cache", X_OK) == 0 }

    private static let ownImage: String = {
        #if canImport(Darwin)
        var information = Dl_info()
        guard dladdr(#dsohandle, &information) != 0, let name = information.dli_fname else { return "" }
        return String(cString: name)
        #else
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = buffer.withUnsafeMutableBytes {
            readlink("/proc/self/exe", $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
        }
        return String(decoding: buffer[..<max(count, 0)], as: UTF8.self)
        #endif
    }()
}

public struct MissingTool: Error, CustomStringConvertible {
    public let name: String
    public let folders: [String]

    public var description: String {
        "\(name) is not built: run `swift build`, or set APOD_TOOLS_BIN to its folder"
            + " (looked in \(folders.joined(separator: ", ")))"
    }
}
