import CSystem
import Libc

extension Confinement {
    /// The parts of a confinement that the kernel enforces.
    public struct Enforcement: Sendable, Equatable {
        /// The version of Landlock that enforces the file rules; nil if the kernel has none or a version that is too
        /// old.
        public var landlock: Int?
        /// Whether system calls that are not needed are refused.
        public var filtersCalls = false

        /// For people.
        public var words: String {
            switch (landlock, filtersCalls) {
            case (let version?, true): "confined by Landlock \(version) and seccomp"
            case (let version?, false): "confined by Landlock \(version) alone: there is no seccomp"
            case (nil, true): "confined by seccomp alone: there is no Landlock of version \(oldestLandlock) or newer"
            case (nil, false): "not confined: there is neither Landlock nor seccomp"
            }
        }
    }

    /// Version 1 forbids moving files between folders, which the cache does.
    private static let oldestLandlock = 2

    /// Permanently drops all rights that are not in the plan, for this thread and its future children: call it before
    /// starting other threads. Does nothing on macOS.
    ///
    /// Rules that the kernel cannot enforce are skipped. A path for which there can be no rule is refused, and
    /// reported, when it is used.
    ///
    /// - Parameter log: at detail level, reports each refused system call once.
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
        // A signal handler inserts the call's name in place of the "%". The texts are never freed.
        let line = log.line(.detail, "the system call % is refused, as no tool needs it").split(
            separator: "%", maxSplits: 1)
        var report = csystem_report(before: strdup(String(line[0])), after: strdup(String(line[1])))
        return csystem_filter_calls(callSets.rawValue, &report)
    }

    private func keepToFiles(_ version: Int32) -> Bool {
        let rules = csystem_landlock_begin(version, usesNetwork)
        guard rules >= 0 else { return false }
        defer { close(rules) }
        // Several rules for the same path add up.
        func allow(_ paths: [String], _ right: csystem_right) {
            for path in paths { path.withPathPointer { _ = csystem_landlock_allow(rules, version, $0, right) } }
        }
        allow(writable, csystem_right_write)
        allow(readable, csystem_right_read)
        return csystem_landlock_enforce(rules)
    }

    /// Whether Landlock enforces a plan on this process. `nonisolated(unsafe)`: written before there are other threads.
    private nonisolated(unsafe) static var keepsToFiles = false

    /// Whether the confinement caused a call to fail with this error, although the file's own permissions allow it.
    ///
    /// - Parameter flags: the flags of `open`.
    public static func refused(_ path: String, flags: Int32, errno: Int32) -> Bool {
        guard errno == EACCES, keepsToFiles else { return false }
        // Landlock does not affect access(2), so its result shows the difference.
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
