import HTTP
import Support

/// Runs `body`. If it finds nothing for an argument that is an address without its scheme, the failure suggests the
/// address.
///
/// - Parameter words: formats the suggestion.
public func suggestingAddress<Result>(
    for argument: String?, as words: (String) -> String = { $0 }, _ body: () throws -> Result
) throws -> Result {
    do {
        return try body()
    } catch let failure as any Failure {
        // An unreadable file exists.
        let isMissing =
            (failure as? SystemFailure)?.isMissing ?? [.absent, .usage, .notAllowed].contains(failure.exitCode)
        guard isMissing, let address = argument.flatMap(WebURL.address(withoutScheme:)) else { throw failure }
        throw SuggestingFailure(failure, meant: words(address))
    }
}
