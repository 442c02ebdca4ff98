import CSystem
import Libc

extension Confinement {
    /// The parts of a confinement that the kernel enforces.
    public struct Enforcement: Sendable, Equatable {
        /// The version of Landlock that enforces the file rules; nil if Landlock is missing or too old.
        public var landlock: Int?
        /// Whether seccomp refuses all system calls outside the plan.
        public var filtersCalls = false

        /// A description for messages.
        public var words: String {
            switch (landlock, filtersCalls) {
            case (let version?, true): "confined by Landlock \(version) and seccomp"
            case (let version?, false): "confined by Landlock \(version) only; seccomp is not available"
            case (nil, true): "confined by seccomp only; Landlock \(oldestLandlock) or newer is not available"
            case (nil, false): "not confined; neither Landlock nor seccomp is available"
            }
        }
    }

    /// The cache renames files into other folders, which Landlock 1 forbids.
    private static let oldestLandlock = 2

    /// Permanently drops all rights outside the plan. Applies to this thread, and to threads and processes that it
    /// starts later, so call it before starting other threads. Does nothing on macOS.
    ///
    /// Skips rules that the kernel cannot enforce. If the kernel refuses a rule, later accesses to its path fail.
    ///
    /// - Parameter log: if it shows details, each refused system call is reported once on standard error.
    @discardableResult
    public func enforce(log: Log = .silent) -> Enforcement {
        var enforcement = Enforcement()
        csystem_drop_capabilities()
        let version = Int(csystem_landlock_version())
        if version >= Self.oldestLandlock, keepToFiles(Int32(version)) { enforcement.landlock = version }
        enforcement.filtersCalls = filterCalls(log)
        Self.keepsToFiles = enforcement.landlock != nil
        return enforcement
    }

    private func filterCalls(_ log: Log) -> Bool {
        guard log.shows(.detail) else { return csystem_filter_calls(callSets.rawValue, nil) }
        // A signal handler writes the call's name in place of "%". The texts are never freed, since the handler may run
        // at any time.
        let line = log.line(.detail, "refused the system call %, which no tool needs").split(
            separator: "%", maxSplits: 1)
        var report = csystem_report(before: strdup(String(line[0])), after: strdup(String(line[1])))
        return csystem_filter_calls(callSets.rawValue, &report)
    }

    private func keepToFiles(_ version: Int32) -> Bool {
        let rules = csystem_landlock_begin(version, usesNetwork)
        guard rules >= 0 else { return false }
        defer { close(rules) }
        // Landlock combines the rights of all rules for a path.
        func allow(_ paths: [String], _ right: csystem_right) {
            for path in paths { path.withPathPointer { _ = csystem_landlock_allow(rules, version, $0, right) } }
        }
        allow(writable, csystem_right_write)
        allow(readable, csystem_right_read)
        return csystem_landlock_enforce(rules)
    }

    /// Whether Landlock enforces a plan on this process. `nonisolated(unsafe)`: written before other threads start.
    private nonisolated(unsafe) static var keepsToFiles = false

    /// Returns whether the confinement made `open` fail with `errno`, although the file's permissions allow the access.
    public static func refused(_ path: String, flags: Int32, errno: Int32) -> Bool {
        guard errno == EACCES, keepsToFiles else { return false }
        // access(2) checks the permissions only, not Landlock.
        func mayAccess(_ path: String, _ wanted: Int32) -> Bool { path.withPathPointer { access($0, wanted) } == 0 }
        if !mayAccess(path, F_OK) {
            let folder = path.folderPrefix
            return flags & O_CREAT != 0 && mayAccess(folder.isEmpty ? "." : folder, W_OK | X_OK)
        }
        let wanted =
            switch flags & O_ACCMODE {
            case O_RDONLY: R_OK
            case O_WRONLY: W_OK
            default: R_OK | W_OK
            }
        return mayAccess(path, wanted)
    }
}
