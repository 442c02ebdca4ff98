import Support

/// Decides which addresses the tools may connect to, so that a URL in a record cannot reach the machine's private
/// network (server-side request forgery).
public struct AddressGuard: Sendable, Hashable, CustomStringConvertible {
    public enum Verdict: Sendable, Hashable {
        case allowed
        case refused(AddressClass)
    }

    private let allowsEverything: Bool
    /// Allowed blocks that are not public.
    private let exceptions: [AddressRange]

    /// Refuses every address that is not public.
    public static let standard = AddressGuard(allowing: [])
    public static let allowingAll = AddressGuard(allowsEverything: true, exceptions: [])

    /// Refuses every address that is not public, except addresses in these blocks.
    public init(allowing exceptions: [AddressRange]) {
        self.init(allowsEverything: false, exceptions: exceptions)
    }

    private init(allowsEverything: Bool, exceptions: [AddressRange]) {
        self.allowsEverything = allowsEverything
        self.exceptions = exceptions
    }

    /// Parses the value of `--allow-private` and `APOD_TOOLS_ALLOW_PRIVATE`: `1` allows all addresses, `0` or an empty
    /// value allows none, and comma-separated CIDR blocks allow those blocks. Throws `ConfigurationFailure`.
    public init(allowPrivate text: String) throws {
        let items = text.split { $0 == "," || $0 == " " }
        switch items {
        case [], ["0"]: self = .standard
        case ["1"]: self = .allowingAll
        default:
            self.init(
                allowing: try items.map { item in
                    guard let range = AddressRange(item) else {
                        throw ConfigurationFailure(
                            "\"\(item)\" is not an address block; use 1, 0, or blocks such as "
                                + "10.0.0.0/8,::1/128 (--allow-private, APOD_TOOLS_ALLOW_PRIVATE)")
                    }
                    return range
                })
        }
    }

    /// The value of `--allow-private`.
    public var description: String {
        if allowsEverything { return "1" }
        return exceptions.isEmpty ? "0" : exceptions.map(\.description).joined(separator: ",")
    }

    /// Whether any address is refused.
    var judges: Bool { !allowsEverything }

    /// Returns whether the tools may connect to `address`. Pure.
    public func verdict(on address: IPAddress) -> Verdict {
        if allowsEverything { return .allowed }
        let kind = AddressClass(address)
        if kind == .global { return .allowed }
        let inner = address.embeddedIPv4
        let isException = exceptions.contains { range in
            range.contains(address) || (inner.map { range.contains($0) } ?? false)
        }
        return isException ? .allowed : .refused(kind)
    }
}
