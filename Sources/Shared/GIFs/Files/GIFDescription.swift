import CacheTools
import Fetch
import Formats
import HTTP
import Records
import Support

/// The metadata of a GIF that `gif-cache info` prints.
public struct GIFDescription: Description, Hashable {
    public let path: String
    public let bytes: Int
    /// The exercise and resolution of a cached GIF, or nil for a file.
    public let gif: ExerciseGIF?
    public let structure: GIFStructure

    /// Returns whether an argument is the path of a file rather than an id. A path contains a slash or ends in `.gif`.
    /// Records cannot name files.
    public static func isFile(_ argument: String) -> Bool {
        argument.contains("/") || argument.lowercased().hasSuffix(".gif")
    }

    /// Reads the file that an argument names, or otherwise the best cached GIF of the exercise. Throws
    /// `CacheFailure.absent`, `GIFFailure.noID` and `.badID`, and the errors of the other initialiser.
    public init(of job: RecordJob, _ caches: Caches, _ naming: any EntryNaming) throws {
        if let argument = job.argument, Self.isFile(argument) {
            try self.init(path: argument, interruption: caches.interruption)
        } else {
            let entry = try caches.find(job, naming, handingOut: false).entry
            try self.init(path: entry.path, gif: entry.gif)
        }
    }

    /// Reads a file, which may be a pipe. Throws `NamedFailure` for an invalid GIF, `SystemFailure`, `InputTooLarge`,
    /// and `Cancelled`.
    init(path: String, gif: ExerciseGIF? = nil, interruption: Interruption = Interruption()) throws {
        let file = try InputFile(path, byteLimit: ByteCount.largestPicture, interruption: interruption)
        self.path = path
        self.gif = gif
        bytes = file.count
        do {
            structure = try GIFStructure.read(file)
        } catch let failure as FormatFailure {
            throw NamedFailure(path, failure, code: GIFFailure(failure).code)
        }
    }

    /// The value of the record field `info`. Its fields `frames`, `duration_ms` and `loop` are the same as in the
    /// record field `gif`. `images` contains an object for each frame, in display order. For a palette, only the number
    /// of colours is included.
    public var json: JSON {
        .object([
            "id": gif.map { .string($0.id.text) }, "resolution": gif.map { .integer($0.resolution.rawValue) },
            "path": .text(ofPath: path), "path_base64": .base64(ofPath: path), "bytes": .integer(bytes),
            "width": .integer(structure.canvas.width), "height": .integer(structure.canvas.height),
            "frames": .integer(structure.frameCount), "duration_ms": .integer(structure.durationMilliseconds),
            "loop": .integer(structure.plays), "transparent": .bool(structure.hasTransparency),
            "interlaced": .bool(structure.frames.contains(where: \.isInterlaced)),
            "global_palette": structure.globalPaletteCount > 0 ? .integer(structure.globalPaletteCount) : nil,
            "comments": .integer(structure.commentCount), "trailing_bytes": .integer(bytes - structure.end),
            "images": .array(structure.frames.map(\.json)),
        ])
    }

    /// The description for a terminal, with a table of frames.
    public var text: String {
        let name = gif.map { "\($0.id) at \($0.resolution), " } ?? ""
        let frames = structure.frameCount
        let plays = structure.plays == 0 ? "forever" : structure.plays == 1 ? "once" : "\(structure.plays) times"
        let palette = structure.globalPaletteCount
        var words = [palette == 0 ? "no global palette" : "global palette of \(palette) colours"]
        if structure.hasTransparency { words.append("transparency") }
        if structure.commentCount > 0 {
            words.append(counted(structure.commentCount, "comment"))
        }
        if structure.end < bytes { words.append("\(ByteCount.description(bytes - structure.end)) after the end") }
        return """
            \(name)\(TerminalText.escaped(path))
            \(structure.canvas), \(counted(frames, "frame")) in \
            \(Self.seconds(structure.durationMilliseconds)), plays \(plays), \(ByteCount.description(bytes))
            \(words.joined(separator: ", "))
            \(Self.row("FRAME", "DELAY", "AREA", "DISPOSAL", "PALETTE", "TRANSPARENT", "INTERLACED"))

            """
                + structure.frames.enumerated().map { index, frame in
                    Self.row(
                        String(index), Self.seconds(frame.delayMilliseconds),
                        "\(frame.size)+\(frame.left)+\(frame.top)", frame.disposal.rawValue,
                        frame.localPaletteCount == 0 ? "global" : "\(frame.localPaletteCount)",
                        frame.transparentIndex.map { "index \($0)" } ?? "no", frame.isInterlaced ? "yes" : "no") + "\n"
                }.joined()
    }

    /// Formats a time such as `0.07 s`. The unit of GIF delays is a hundredth of a second (GIF89a §23).
    private static func seconds(_ milliseconds: Int) -> String {
        let hundredths = milliseconds / 10 % 100
        return "\(milliseconds / 1000).\(hundredths < 10 ? "0" : "")\(hundredths) s"
    }

    private static func row(_ cells: String...) -> String {
        // The text of an area can have 23 characters, but rarely has more than 15.
        let widths = [5, 9, 15, 11, 7, 11, 10]
        return zip(cells, widths).map { cell, width in cell.aligned(to: width) }.joined(separator: "  ")
    }
}

extension GIFFrame {
    fileprivate var json: JSON {
        .object([
            "left": .integer(left), "top": .integer(top), "width": .integer(size.width),
            "height": .integer(size.height), "delay_ms": .integer(delayMilliseconds),
            "disposal": .string(disposal.rawValue), "transparent_index": transparentIndex.map { .integer(Int($0)) },
            "local_palette": localPaletteCount > 0 ? .integer(localPaletteCount) : nil,
            "interlaced": .bool(isInterlaced),
        ])
    }
}
