import Formats
import HTTP
import Store
import Support

extension NegativeTTL {
    /// A failure's time; nil for one that is not remembered, since it may pass by itself, or since it is this side's
    /// doing: a limit, a blocked address, a transfer that was damaged.
    func span(of failure: any Failure) -> Duration? {
        guard self != .none, let standard = Self.standard(failure) else { return nil }
        if case .always(let span) = self { return span > .zero ? span : nil }
        return standard
    }

    private static func standard(_ failure: any Failure) -> Duration? {
        switch failure {
        case let failure as FetchFailure:
            switch failure.status {
            case 401, 403: .seconds(2 * 60)
            case 404: .seconds(10 * 60)
            case 410: .seconds(60 * 60)
            default: nil
            }
        case let failure as FormatFailure:
            switch failure {
            case .notAnImage, .unsupported, .notGIF: .seconds(10 * 60)
            // What is empty, cut or damaged may be whole the next time.
            case .empty, .truncated, .corrupt, .overLimit, .noSuchPage, .truncatedMovie, .corruptMovie: nil
            }
        default: nil
        }
    }
}
