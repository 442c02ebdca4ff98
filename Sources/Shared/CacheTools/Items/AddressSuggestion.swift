import HTTP
import Support

/// Runs `body`. If `body` finds nothing, and the argument looks like an address without a scheme, adds the complete
/// address to the failure as a suggestion.
public func suggestingAddress<Result>(
    for argument: String?, as words: (String) -> String = { $0 }, _ body: () throws -> Result
) throws -> Result {
    do {
        return try body()
    } catch let failure as any Failure {
        // If a file exists but cannot be read, the argument names this file and is not an address.
        let isMissing =
            (failure as? SystemFailure)?.isMissing ?? [.absent, .usage, .notAllowed].contains(failure.exitCode)
        guard isMissing, let address = argument.flatMap(WebURL.address(withoutScheme:)) else { throw failure }
        throw SuggestingFailure(failure, meant: words(address))
    }
}
