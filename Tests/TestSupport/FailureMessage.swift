import Support

/// Returns the status and message of the error that `body` throws, such as `64 --jobs takes a number`; nil if it throws
/// no error.
public func message(_ body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch {
        let failure = failure(of: error)
        return "\(failure.exitCode.rawValue) \(failure.message)"
    }
}

/// Returns the code of the failure that `body` throws; nil if it throws no error.
public func failureCode(_ body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch {
        return failure(of: error).code
    }
}

/// Returns the status, code and message of a failure, such as `69 not-found: there is no picture`.
public func summary(_ failure: any Failure) -> String {
    "\(failure.exitCode.rawValue) \(failure.code): \(failure.message)"
}

/// Returns the `summary` of the failure that `body` throws; nil if it throws no error.
public func summary(_ body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch {
        return summary(failure(of: error))
    }
}
