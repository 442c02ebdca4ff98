import Support

/// Decides which addresses may be connected to, so that a URL out of a record cannot reach into the network that the
/// tool runs in (server-side request forgery).
public struct AddressGuard: Sendable, Hashable {
    public enum Verdict: Sendable, Hashable {
        case allowed
        case refused(AddressClass)
    }

    private let allowsEverything: Bool
    /// Blocks that may be reached although they aren't public.
    private let exceptions: [AddressRange]

    /// Refuses every address that isn't a global unicast one.
    public static let standard = AddressGuard(allowing: [])
    /// Refuses nothing.
    public static let allowingAll = AddressGuard(allowsEverything: true, exceptions: [])

    /// Refuses what isn't public, except these blocks.
    public init(allowing exceptions: [AddressRange]) {
        self.init(allowsEverything: false, exceptions: exceptions)
    }

    private init(allowsEverything: Bool, exceptions: [AddressRange]) {
        self.allowsEverything = allowsEverything
        self.exceptions = exceptions
    }

    /// Reads the value of `--allow-private` and `APOD_TOOLS_ALLOW_PRIVATE`: `1` allows all addresses, `0` or nothing
    /// allows none, and a list of CIDR blocks, separated by commas, allows those. Throws `ConfigurationFailure` for
    /// anything else.
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
                            "\"\(item)\" is not a block of addresses to allow; write 1, 0, or blocks such as "
                                + "10.0.0.0/8,::1/128 (--allow-private, APOD_TOOLS_ALLOW_PRIVATE)")
                    }
                    return range
                })
        }
    }

    /// Whether a verdict depends on the address at all.
    var judges: Bool { !allowsEverything }

    /// Whether `address` may be connected to. Pure, no I/O.
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
