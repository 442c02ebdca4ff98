import Support

/// Decides which addresses the tools may connect to, so that a URL in a record cannot reach the machine's private
/// network (server-side request forgery).
public struct AddressGuard: Sendable, Hashable, CustomStringConvertible {
    public enum Verdict: Sendable, Hashable {
        case allowed
        case refused(AddressClass)
    }

    /// Allowed blocks that are not public; nil if every address is allowed.
    private let exceptions: [AddressRange]?

    /// Refuses every address that is not public.
    public static let standard = AddressGuard(allowing: [])
    public static let allowingAll = AddressGuard(allowing: nil)

    /// Refuses every address that is not public, except addresses in these blocks. Nil allows every address.
    public init(allowing exceptions: [AddressRange]?) { self.exceptions = exceptions }

    /// Parses the value of `--allow-private` and `APOD_TOOLS_ALLOW_PRIVATE`: `1` or `true` allows all addresses; `0`,
    /// `false` or an empty value allows none; comma-separated CIDR blocks allow these blocks. Throws
    /// `ConfigurationFailure`.
    public init(allowPrivate text: String) throws {
        switch text.split(whereSeparator: { $0 == "," || $0 == " " }) {
        case [], ["0"], ["false"]: self = .standard
        case ["1"], ["true"]: self = .allowingAll
        case let items:
            self.init(
                allowing: try items.map { item in
                    guard let range = AddressRange(item) else {
                        throw ConfigurationFailure(
                            "\"\(item)\" is not an address block; use blocks such as 10.0.0.0/8,::1/128, or 1 to "
                                + "allow all private addresses, or 0 to allow none (--allow-private, "
                                + "APOD_TOOLS_ALLOW_PRIVATE)")
                    }
                    return range
                })
        }
    }

    /// The value of `--allow-private`.
    public var description: String {
        guard let exceptions else { return "1" }
        return exceptions.isEmpty ? "0" : exceptions.map(\.description).joined(separator: ",")
    }

    /// Whether the guard may refuse an address.
    var judges: Bool { exceptions != nil }

    public func verdict(on address: IPAddress) -> Verdict {
        guard let exceptions else { return .allowed }
        let kind = AddressClass(address)
        if kind == .global { return .allowed }
        let inner = address.embeddedIPv4
        let isException = exceptions.contains { range in
            range.contains(address) || inner.map(range.contains) ?? false
        }
        return isException ? .allowed : .refused(kind)
    }
}
