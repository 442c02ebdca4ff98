import Support

/// The sample service as a separate process, which ends when the last reference is released.
public final class SampleServer: Sendable {
    /// `http://127.0.0.1:PORT`.
    public let address: String
    private let process: RunningTool

    /// Starts the service and waits until it listens.
    /// - Parameter arguments: such as `--today 2026-11-21 --legacy classic`; see `sample-service --help`.
    public init(_ arguments: [String] = []) throws {
        process = try ToolHome().start("sample-service", arguments, stdin: .pipe)
        guard let line = process.readLine(within: .seconds(30)), line.hasPrefix("http://") else {
            throw UnexpectedEnd(expected: 0, output: process.wait(deadline: .seconds(1)))
        }
        address = line
    }

    deinit { stop() }

    /// The environment that makes a tool send all requests to this service.
    public var environment: [String: String] {
        [
            "APOD_SCIENCE_URL": "\(address)/wp-json/wp/v2/apod-basic",
            "APOD_API_URL": "\(address)/planetary/apod",
            "EXERCISEDB_API_URL": address,
            "APOD_TOOLS_ALLOW_PRIVATE": "127.0.0.0/8",
        ]
    }

    /// Returns the address of a path on this service, preceded by faults such as `["status-503"]`.
    public func url(_ path: String, faults: [String] = []) -> String {
        address + faults.map { "/fault/\($0)" }.joined() + path
    }

    /// Ends the service.
    public func stop() {
        process.closeInput()
        _ = process.wait(deadline: .seconds(5))
    }

    /// The requests to the service since its start or the last `reset()`.
    public struct Requests: Sendable {
        public let total: Int
        /// The maximum number of concurrent requests.
        public let highest: Int
        /// The number of requests for each path, without queries.
        public let counts: [String: Int]

        public subscript(path: String) -> Int { counts[path] ?? 0 }
    }

    public func requests() throws -> Requests {
        let text = String(
            decoding: try LoopbackClient.send(url("/requests?format=text")).body, as: UTF8.self)
        var total = 0
        var highest = 0
        var counts: [String: Int] = [:]
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: "\t", maxSplits: 1)
            guard parts.count == 2, let count = Int(parts[0]) else { continue }
            switch parts[1] {
            case "total": total = count
            case "highest": highest = count
            default: counts[String(parts[1])] = count
            }
        }
        return Requests(total: total, highest: highest, counts: counts)
    }

    /// Resets all counters to zero.
    public func reset() throws { _ = try LoopbackClient.send(url("/requests"), method: "DELETE") }

    /// Changes all drawn pictures and their ETags, at the same addresses.
    public func changePictures() throws { _ = try LoopbackClient.send(url("/revision"), method: "POST") }

    /// Publishes the day after the newest day.
    public func publishNextDay() throws { _ = try LoopbackClient.send(url("/publish"), method: "POST") }
}
