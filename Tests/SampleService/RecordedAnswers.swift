import Support
import TestSupport

/// Answers from a folder of recordings, each with the status that the folder's README names for it.
struct RecordedAnswers: Sendable {
    private let folder: String
    private let statuses: [String: Int]

    init(folder: String) {
        self.folder = folder
        var statuses: [String: Int] = [:]
        // A row of the table: | `apod/x.json` | what it shows | source | 404; headers |
        for line in ((try? TestFile.text("\(folder)/README.md")) ?? "").split(separator: "\n") {
            let cells = line.split(separator: "|").map { $0.drop { $0 == " " } }
            guard line.hasPrefix("| `"), cells.count >= 4, let status = Int(cells[cells.count - 1].prefix(3)) else {
                continue
            }
            statuses[String(cells[0].dropFirst().prefix { $0 != "`" })] = status
        }
        self.statuses = statuses
    }

    /// Serves `/recorded/FOLDER/NAME`, and `/always/FOLDER/NAME` with anything behind it.
    func answer(_ request: LoopbackRequest) -> LoopbackResponse {
        let parts = request.path.split(separator: "/").map { LoopbackRequest.decoded($0) }
        guard parts.count == 3 || parts.count > 3 && parts[0] == "always", !parts.contains("..") else {
            return .text("no such recording\n", status: 404)
        }
        let name = "\(parts[1])/\(parts[2])"
        guard let bytes = try? TestFile.bytes("\(folder)/\(name)") else {
            return .text("no such recording\n", status: 404)
        }
        var response = LoopbackResponse.bytes(bytes, type: type(of: name))
        response.status = request.field("status").flatMap { Int($0) } ?? statuses[name] ?? 200
        if response.status == 429 { response.set("Retry-After", "2870") }
        return response
    }

    private func type(of name: String) -> String {
        if name.hasSuffix(".json") { return "application/json" }
        return name.hasSuffix(".html") ? "text/html" : "text/plain"
    }
}
