import Support
import TestSupport

/// Responses from a folder of recordings, with their recorded statuses and headers.
struct RecordedAnswers: Sendable {
    private let folder: String
    private let heads: [String: RecordedHead]

    /// - Parameter folder: a folder with `apod`, `exercisedb`, `launches` and the `README.md` that describes the
    /// recordings.
    init(folder: String) {
        self.folder = folder
        heads = RecordedHead.table((try? TestFile.text("\(folder)/README.md")) ?? "")
    }

    /// Serves `/recorded/FOLDER/NAME`, and `/always/FOLDER/NAME` with any further path.
    func answer(_ request: LoopbackRequest) -> LoopbackResponse {
        let parts = request.path.split(separator: "/").map { LoopbackRequest.decoded($0) }
        guard parts.count == 3 || parts.count > 3 && parts[0] == "always", !parts.contains("..") else {
            return .text("no such recording\n", status: 404)
        }
        guard var response = answer(folder: parts[1], name: parts[2]) else {
            return .text("no such recording\n", status: 404)
        }
        if let status = request.field("status").flatMap({ Int($0) }) { response.status = status }
        return response
    }

    private func answer(folder part: String, name: String) -> LoopbackResponse? {
        guard let bytes = try? TestFile.bytes("\(folder)/\(part)/\(name)") else { return nil }
        let head = heads["\(part)/\(name)"] ?? RecordedHead()
        if name.hasSuffix(RecordedHead.ending) {
            let lines = String(decoding: bytes, as: UTF8.self)
            return answer(of: RecordedHead(lines: lines, status: head.status), part, name)
        }
        var response = LoopbackResponse.bytes(bytes, type: Self.type(of: name))
        head.apply(to: &response)
        if let file = head.file, let lines = try? TestFile.text("\(folder)/\(file)") {
            RecordedHead(lines: lines, status: head.status).apply(to: &response)
        }
        return response
    }

    /// Returns the response for a head that was recorded without a body. The body comes from the recording with the
    /// same stem and content type; the body of a GIF is a generated animation.
    private func answer(of head: RecordedHead, _ part: String, _ name: String) -> LoopbackResponse {
        let stem = String(name.dropLast(RecordedHead.ending.count))
        var response = LoopbackResponse()
        head.apply(to: &response)
        let type = response.header("Content-Type") ?? ""
        if type == "image/gif" {
            response.body = ExerciseAnswers.animation("0001", side: 180).gif()
        } else {
            let names = TemporaryFolder.names(in: "\(folder)/\(part)")
                .filter { $0.hasPrefix(stem) && $0 != name && Self.type(of: $0) == type }
            let body = names.min { $0.utf8.count < $1.utf8.count }
            response.body = body.flatMap { try? TestFile.bytes("\(folder)/\(part)/\($0)") } ?? []
        }
        return response
    }

    private static func type(of name: String) -> String {
        if name.hasSuffix(".json") { return "application/json" }
        return name.hasSuffix(".html") ? "text/html" : "text/plain"
    }
}

/// The known parts of a recorded response head.
struct RecordedHead: Sendable {
    static let ending = ".headers.txt"

    var status = 200
    var headers: [(name: String, value: String)] = []
    /// The name of the file with the complete head, if it was recorded.
    var file: String?

    init() {}

    /// Parses a recorded head: an optional status line, and headers. Headers about the transfer of the body are
    /// removed.
    init(lines: String, status: Int) {
        self.status = status
        for line in lines.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("HTTP/") {
                self.status = line.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? status
            } else {
                add(line)
            }
        }
        headers.removeAll { ["content-length", "connection", "transfer-encoding"].contains($0.name.lowercased()) }
    }

    private mutating func add(_ line: some StringProtocol) {
        guard let colon = line.firstIndex(of: ":") else { return }
        headers.append((String(line[..<colon]), String(line[line.index(after: colon)...].drop { $0 == " " })))
    }

    func apply(to response: inout LoopbackResponse) {
        response.status = status
        for (name, value) in headers { response.set(name, value) }
    }

    /// Returns the heads in the table of a README, by file. A row is: | `apod/x.json` | description | source | 404;
    /// `A: b` |
    static func table(_ readme: String) -> [String: RecordedHead] {
        var heads: [String: RecordedHead] = [:]
        var above = RecordedHead()
        for line in readme.split(separator: "\n") {
            let cells = line.split(separator: "|").map { $0.drop { $0 == " " } }
            guard line.hasPrefix("| `"), cells.count >= 4, let status = Int(cells[cells.count - 1].prefix(3)) else {
                continue
            }
            let told = cells[cells.count - 1]
            var head = told.contains(text: "as above") ? above : RecordedHead()
            head.status = status
            for (index, piece) in told.split(separator: "`", omittingEmptySubsequences: false).enumerated()
            where index % 2 == 1 {
                if piece.hasSuffix(ending) { head.file = String(piece) } else { head.add(piece) }
            }
            heads[String(cells[0].dropFirst().prefix { $0 != "`" })] = head
            above = head
        }
        return heads
    }
}
