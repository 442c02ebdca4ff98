import Support
import TestSupport

/// Draws pictures that depend on their names, and caches them up to a limit.
final class PictureAnswers: Sendable {
    private struct State {
        var revision: UInt64 = 0
        var drawn: [String: LoopbackResponse] = [:]
        var bytes = 0
    }

    /// The size limit of the cache of drawn pictures, in bytes.
    private static let room = 128 << 20
    /// The maximum width and height of a picture requested by size.
    private static let longestSide = 20_000

    private let width: Int
    private let height: Int
    private let state = Monitor(State())

    init(width: Int, height: Int) {
        self.width = width
        self.height = height
    }

    /// Changes all pictures.
    func revise() {
        state.update {
            $0.revision += 1
            $0.drawn = [:]
            $0.bytes = 0
        }
    }

    /// Returns the picture at an address, or nil if the path is not the path of a picture.
    func answer(_ request: LoopbackRequest) -> LoopbackResponse? {
        let name = LoopbackRequest.decoded(request.path.split(separator: "/").last ?? "")
        guard let dot = name.lastIndex(of: "."), let kind = Kind(rawValue: name[name.index(after: dot)...].lowercased())
        else { return nil }
        let known = state.withLock { ($0.drawn[request.target], $0.revision) }
        if let response = known.0 { return response }
        let stem = String(name[..<dot])
        let seed = request.field("seed") ?? stem
        let drawing = Drawing(
            size: size(request, stem), seed: SeededRandom.hash(seed.utf8) &+ known.1, request: request)
        guard let response = try? kind.response(drawing) else { return .text("cannot draw that\n", status: 500) }
        state.withLock { state in
            guard state.revision == known.1, response.body.count <= Self.room else { return }
            if state.bytes + response.body.count > Self.room {
                state.drawn = [:]
                state.bytes = 0
            }
            state.drawn[request.target] = response
            state.bytes += response.body.count
        }
        return response
    }

    /// Returns the requested size: exactly `w` × `h`, or fitted into that box with `fit=clip`; by default the full
    /// size.
    private func size(_ request: LoopbackRequest, _ stem: String) -> (Int, Int) {
        let isSmall = stem.contains(text: "logo") || stem.contains(text: "thumbnail")
        let turned = (min(width, height), max(width, height))
        let full = isSmall ? (594, 516) : stem.contains(text: "portrait") ? turned : (width, height)
        func side(_ name: String) -> Int? {
            request.field(name).flatMap { Int($0) }.map { min(max($0, 1), Self.longestSide) }
        }
        let (w, h) = (side("w"), side("h"))
        guard request.field("fit") == "clip" else { return (w ?? full.0, h ?? full.1) }
        let box = (w ?? full.0, h ?? full.1)
        if box.0 >= full.0 && box.1 >= full.1 { return full }
        // The more restrictive side determines the scale; the other side is rounded to the nearest pixel.
        if box.0 * full.1 <= box.1 * full.0 { return (box.0, max(1, (full.1 * box.0 + full.0 / 2) / full.0)) }
        return (max(1, (full.0 * box.1 + full.1 / 2) / full.1), box.1)
    }
}

/// A requested drawing.
private struct Drawing {
    let size: (width: Int, height: Int)
    let seed: UInt64
    let request: LoopbackRequest

    var picture: DrawnPicture { .sky(size.width, size.height, seed: seed) }

    /// The same sky, a little brighter in each frame.
    var frames: [DrawnPicture] {
        let count = min(max(request.field("frames").flatMap { Int($0) } ?? 1, 1), 100)
        let first = picture
        return (0..<count).map { index in
            var frame = first
            for position in frame.bytes.indices {
                frame.bytes[position] = UInt8(min(255, Int(frame.bytes[position]) + index * 12))
            }
            return frame
        }
    }
}

/// The formats, by the extension in the request.
private enum Kind: String {
    case png, gif, jpg, jpeg, webp, tif, mp4, mov, mp3, html

    func response(_ drawing: Drawing) throws -> LoopbackResponse {
        switch self {
        case .png: .bytes(drawing.picture.png(), type: "image/png")
        case .gif:
            .bytes(DrawnAnimation(drawing.frames).gif(), type: "image/gif")
        // NASA's image server converts a resized TIFF to JPEG.
        case .tif where drawing.request.field("w") != nil: try Kind.jpg.response(drawing)
        case .tif: .bytes(Array("II*\0".utf8) + [8, 0, 0, 0, 0, 0, 0, 0, 0, 0], type: "image/tiff")
        case .mp4: .bytes(Self.film("isom"), type: "video/mp4")
        case .mov: .bytes(Self.film("qt  "), type: "video/quicktime")
        case .mp3: .bytes(Array("ID3".utf8) + [3, 0, 0, 0, 0, 0, 0], type: "audio/mpeg")
        case .html: .text("<!doctype html><title>Page</title><p>Something to play with.", type: "text/html")
        case .jpg, .jpeg: .bytes(try encoded(drawing.picture, .jpeg), type: "image/jpeg")
        case .webp: .bytes(try encoded(drawing.picture, .webp), type: "image/webp")
        }
    }

    /// Returns a video with an empty description and undecodable data (ISO/IEC 14496-12, 4.2).
    private static func film(_ brand: String) -> [UInt8] {
        box("ftyp", Array(brand.utf8) + [0, 0, 2, 0] + Array("\(brand)mp42".utf8))
            + box("moov", box("mvhd", [UInt8](repeating: 0, count: 100)))
            + box("mdat", (0..<200).map { UInt8($0) })
    }

    private static func box(_ type: String, _ content: [UInt8]) -> [UInt8] {
        [0, 0, 0, UInt8(content.count + 8)] + Array(type.utf8) + content
    }
}
