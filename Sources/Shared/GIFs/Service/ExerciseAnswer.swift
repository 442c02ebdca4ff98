import Formats
import HTTP
import Records
import Support

/// Interprets error answers of the gateway and the service.
enum ExerciseAnswer {
    /// Returns the failure for a status other than 200, or nil to report the failure of the client.
    ///
    /// Some causes have the same status, such as 429 for a used-up quota and for too many requests in a short time.
    /// Only the `message` in the gateway's JSON distinguishes them.
    static func failure(status: Int, body: [UInt8], gif: ExerciseGIF?, hasKey: Bool) -> GIFFailure? {
        switch status {
        case 401: hasKey ? .keyInvalid : .keyMissing
        case 403 where !hasKey: .keyMissing
        case 403 where message(in: body).contains(text: "not subscribed"): .notSubscribed
        // A missing endpoint means a wrong EXERCISEDB_API_URL rather than a wrong id.
        case 404 where message(in: body).contains(text: "endpoint"): nil
        case 404, 422: gif.map { .unknownExercise($0) }
        case 429: quota(in: body).map { .quotaExceeded($0) }
        default: nil
        }
    }

    /// Returns the quota that an answer of status 429 reports as used up: `You have exceeded the MONTHLY quota for
    /// Requests on your current plan`. Returns nil for `Too many requests`, after which a short wait is enough.
    static func quota(in body: [UInt8]) -> GIFFailure.Quota? {
        let message = message(in: body)
        guard message.contains(text: "quota") else { return nil }
        if message.contains(text: "monthly") { return .monthly }
        return message.contains(text: "daily") ? .daily : .other
    }

    /// Returns the `message` of a JSON answer, or the beginning of any other answer, in lower case.
    private static func message(in body: [UInt8]) -> String {
        let text = (try? Record(parsing: body))?.string("message") ?? String(decoding: body.prefix(4096), as: UTF8.self)
        return text.lowercased()
    }
}

extension ExerciseService {
    /// Translates error answers of the service and failures of the GIF parser into `GIFFailure`. Returns other errors
    /// unchanged.
    ///
    /// - Parameter gif: the requested GIF, or nil if the list was requested.
    public func failure(of error: any Error, for gif: ExerciseGIF? = nil) -> any Error {
        switch error {
        case let failure as FetchFailure:
            if let quota = failure.usedUpQuota { return GIFFailure.refusing(until: quota.until) }
            // The key is not sent to other origins, so it does not cause their errors.
            guard let answer = failure.answer, !answer.isOfGateway, answer.url.origin == origin else { return failure }
            return ExerciseAnswer.failure(status: answer.status, body: answer.body, gif: gif, hasKey: hasKey) ?? failure
        case let failure as FormatFailure: return GIFFailure(failure)
        default: return error
        }
    }
}
