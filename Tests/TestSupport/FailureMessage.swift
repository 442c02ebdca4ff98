import Support

/// The status and words of what `body` throws, such as `64 --jobs takes a number`; nil if it throws nothing.
public func message(_ body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch {
        let failure = failure(of: error)
        return "\(failure.exitCode.rawValue) \(failure.message)"
    }
}

/// The code of the failure that `body` throws; nil if it throws none.
public func failureCode(_ body: () throws -> Void) -> String? {
    do {
        try body()
        return nil
    } catch {
        return failure(of: error).code
    }
}
