import Formats
import HTTP
import Store
import Support

extension NegativeTTL {
    /// The lifetime of a cached failure; nil for a failure that may be temporary or is not caused by the server, such
    /// as a limit, a blocked address or a damaged transfer.
    func span(of failure: any Failure) -> Duration? {
        guard self != .none, let standard = Self.standard(failure) else { return nil }
        if case .always(let span) = self { return span > .zero ? span : nil }
        return standard
    }

    /// The lifetime, limited by the server's header fields (RFC 9111 §4.2); nil for an answer that must not be stored.
    /// With header fields that state a lifetime, other permanent failures are cached too.
    func span(of failure: any Failure, asServerSaysAt now: Timestamp) -> Duration? {
        guard self != .none, let answer = (failure as? FetchFailure)?.answer else { return span(of: failure) }
        guard Retention.allowsStoring(answer.headers, answer.status), !CacheControl(answer.headers).noCache else {
            return nil
        }
        guard let freshness = answer.headers.freshness(now: now) else {
            return Self.heuristic.contains(answer.status) ? span(of: failure) : nil
        }
        let longest = span(of: failure) ?? (failure.exitCode == .unavailable ? Self.unknown : .zero)
        let span = min(longest, freshness)
        return span > .zero ? span : nil
    }

    /// The statuses of failures that may be cached without an explicit lifetime (RFC 9110 §15.1).
    private static let heuristic: Set<Int> = [204, 404, 405, 410, 414]
    /// The maximum lifetime of a failure that is cacheable only because of its header fields.
    private static let unknown: Duration = .seconds(10 * 60)

    private static func standard(_ failure: any Failure) -> Duration? {
        switch failure {
        case let failure as FetchFailure:
            switch failure.status {
            case 401, 403: .seconds(2 * 60)
            case 204, 404, 405, 414: .seconds(10 * 60)
            case 410: .seconds(60 * 60)
            default: nil
            }
        case let failure as FormatFailure:
            switch failure {
            case .notAnImage, .unsupported, .notRead, .notGIF: .seconds(10 * 60)
            // An empty, truncated or damaged picture may be complete at the next attempt. An exceeded limit or a
            // missing page is not caused by the server.
            case .empty, .truncated, .corrupt, .overLimit, .noSuchPage, .truncatedMovie, .corruptMovie: nil
            }
        default: nil
        }
    }
}
