import TestSupport

/// Faults of GIFs by the number of their exercise; each affects one exercise in twenty.
enum ExerciseFault: Int, CaseIterable {
    case html = 1
    case json, truncated, empty, bomb, unknown, failure

    static let help = """
        EXERCISES (--exercise-faults), by the id modulo 20; the others are valid
          1 an HTML page, 2 JSON, 3 a truncated GIF, 4 no bytes, all with status 200 and type image/gif,
          5 a GIF of 65535x65535, 6 status 404, 7 status 500
        """

    init?(number: Int) { self.init(rawValue: number % 20) }

    /// - Parameter gif: the correct response.
    func response(insteadOf gif: [UInt8]) -> LoopbackResponse {
        let type = "image/gif"
        return switch self {
        case .html: .text("<!doctype html><html><title>Sorry</title><p>Not here.</html>", type: type)
        case .json: .text("{\"message\":\"please try again\"}", type: type)
        case .truncated: .bytes(Array(gif.prefix(gif.count / 2)), type: type)
        case .empty: .bytes([], type: type)
        // The canvas size is in the logical screen descriptor (GIF89a §18).
        case .bomb: .bytes(Array(gif[..<6]) + [0xFF, 0xFF, 0xFF, 0xFF] + Array(gif[10...]), type: type)
        case .unknown: .json("{\"message\":\"no such exercise\"}", status: 404)
        case .failure: .json("{\"message\":\"internal error\"}", status: 500)
        }
    }
}
