import CSystem

/// A plan of the rights that a process keeps. `enforce` applies it.
///
/// Open files stay usable. A file that is missing when the plan is enforced can be created or opened later only if the
/// plan contains a folder above it.
public struct Confinement: Sendable, Equatable {
    /// Files and folders that may be read, including everything below the folders. Paths may be missing.
    public var readable: [String]
    /// Files and folders that may be read and changed. Below the folders, files may also be created, moved and removed.
    public var writable: [String]
    /// Whether the process may change the permissions of open files. Required to replace a file.
    public var setsPermissions: Bool
    /// Whether the process may open network connections. It may never listen, or open a Unix socket that has a path.
    public var usesNetwork: Bool

    public init(
        readable: [String] = [], writable: [String] = [], setsPermissions: Bool = false, usesNetwork: Bool = false
    ) {
        self.readable = readable
        self.writable = writable
        self.setsPermissions = setsPermissions
        self.usesNetwork = usesNetwork
    }

    /// The sets of system calls that a plan allows in addition to the basic set; `CSystem/calls.c` lists them.
    public struct CallSets: OptionSet, Sendable {
        public let rawValue: UInt32
        public init(rawValue: UInt32) { self.rawValue = rawValue }

        public static let files = CallSets(rawValue: UInt32(csystem_needs_files))
        public static let permissions = CallSets(rawValue: UInt32(csystem_needs_permissions))
        public static let network = CallSets(rawValue: UInt32(csystem_needs_network))
    }

    public var callSets: CallSets {
        var sets: CallSets = []
        if writable.contains(where: { $0 != Self.nullDevice }) { sets.insert(.files) }
        if setsPermissions { sets.insert(.permissions) }
        if usesNetwork { sets.insert(.network) }
        return sets
    }

    private static let nullDevice = "/dev/null"
}

extension Confinement {
    /// Allows access that every tool needs: kernel and processor information, random bytes, and the null device.
    public mutating func allowBasics() {
        readable += ["/sys/devices/system/cpu", "/proc/sys/kernel/random", "/dev/urandom"]
        writable.append(Self.nullDevice)
    }

    /// Allows libraries to be loaded on first use.
    public mutating func allowLibraries(_ environment: Environment) {
        readable += ["/usr", "/lib", "/lib64", "/opt", "/nix/store", "/gnu/store", "/etc/ld.so.cache"]
        readable += (environment["LD_LIBRARY_PATH"] ?? "").split(separator: ":").map(String.init)
    }

    /// Allows connections, name lookups and certificates.
    ///
    /// - Parameter certificates: a file with the certificates to trust instead of the system's.
    public mutating func allowNetwork(_ environment: Environment, certificates: String? = nil) {
        allowLibraries(environment)
        usesNetwork = true
        readable += [
            "/etc/resolv.conf", "/run/systemd/resolve", "/etc/nsswitch.conf", "/etc/hosts", "/etc/host.conf",
            "/etc/gai.conf", "/etc/services", "/etc/ssl", "/etc/pki", "/etc/ca-certificates", "/etc/crypto-policies",
            "/etc/gnutls", "/var/lib/ca-certificates",
        ]
        readable += ["SSL_CERT_FILE", "SSL_CERT_DIR", "OPENSSL_CONF"].compactMap { environment[$0] }
        if let certificates { readable.append(certificates) }
    }

    /// Allows the fonts of the system and of the user, fontconfig's files, and the libraries that draw text.
    ///
    /// - Parameter font: a font file, or the name of a font family.
    public mutating func allowFonts(_ environment: Environment, font: String? = nil) {
        allowLibraries(environment)
        readable += ["/etc/fonts", "/var/cache/fontconfig", "/var/lib/fontconfig"]
        if let home = environment["HOME"] {
            readable += ["/.fonts", "/.fonts.conf", "/.fontconfig"].map { home + $0 }
        }
        readable += [
            ("XDG_CONFIG_HOME", ".config", "fontconfig"), ("XDG_DATA_HOME", ".local/share", "fonts"),
            ("XDG_CACHE_HOME", ".cache", "fontconfig"),
        ].compactMap { variable, standard, name in
            environment.baseFolder(variable, standard: standard).map { "\($0)/\(name)" }
        }
        readable += ["FONTCONFIG_FILE", "FONTCONFIG_PATH"].compactMap { environment[$0] }
        // If `font` is the name of a font family, the rule has no effect, since there is no such file.
        if let font { readable.append(font) }
    }
}
