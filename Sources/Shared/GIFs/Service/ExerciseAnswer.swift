import Formats
import HTTP
import Records
import Support

/// What the gateway's and the service's refusals mean. Pure.
enum ExerciseAnswer {
    /// The failure behind a status that isn't 200; nil if the status says it all.
    ///
    /// The gateway tells a missing plan, a used-up quota and a burst apart only by the `message` in its JSON.
    static func failure(
        status: Int, body: [UInt8], gif: ExerciseGIF?, hasKey: Bool
    ) -> GIFFailure? {
        switch status {
        case 401: hasKey ? .keyInvalid : .keyMissing
        case 403 where !hasKey: .keyMissing
        case 403 where message(in: body).contains(text: "not subscribed"): .notSubscribed
        // A wrong EXERCISEDB_API_URL, which is no fault of the id.
        case 404 where message(in: body).contains(text: "endpoint"): nil
        case 404, 422: gif.map { .unknownExercise($0) }
        case 429: quota(in: body).map { .quotaExceeded($0) }
        default: nil
        }
    }

    /// The quota that a 429 says is used up: `You have exceeded the MONTHLY quota for Requests on your current plan`;
    /// nil if it is about a burst, `Too many requests`, which a short wait ends.
    static func quota(in body: [UInt8]) -> GIFFailure.Quota? {
        let message = message(in: body)
        guard message.contains(text: "quota") else { return nil }
        if message.contains(text: "monthly") { return .monthly }
        return message.contains(text: "daily") ? .daily : .other
    }

    /// The `message` of a JSON answer, or all of another one, in lower case.
    private static func message(in body: [UInt8]) -> String {
        let text = (try? Record(parsing: body))?.string("message") ?? String(decoding: body.prefix(4096), as: UTF8.self)
        return text.lowercased()
    }
}

extension ExerciseService {
    /// The failure that `error` is for someone who asked for `gif`, or for the list: refusals of the service and faults
    /// of its bytes in the words of this module, anything else as it is.
    public func failure(of error: any Error, for gif: ExerciseGIF? = nil) -> any Error {
        switch error {
        case let failure as FetchFailure:
            if let quota = failure.usedUpQuota { return GIFFailure.refusing(until: quota.until) }
            // Another origin knows nothing of the key.
            guard let answer = failure.answer, !answer.isOfGateway, answer.url.origin == origin else { return failure }
            return ExerciseAnswer.failure(status: answer.status, body: answer.body, gif: gif, hasKey: hasKey) ?? failure
        case let failure as FormatFailure:
            return GIFFailure(failure)
        default:
            return error
        }
    }
}
