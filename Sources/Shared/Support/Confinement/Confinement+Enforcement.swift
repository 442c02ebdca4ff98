import CSystem
import Libc

extension Confinement {
    /// How far a plan holds: what the kernel at hand can do.
    public struct Enforcement: Sendable, Equatable {
        /// The version of Landlock that keeps to the plan's files; nil if the kernel has none, or one that is too old.
        public var landlock: Int?
        /// Whether calls that the plan has no use for are refused.
        public var filtersCalls: Bool

        public init(landlock: Int? = nil, filtersCalls: Bool = false) {
            self.landlock = landlock
            self.filtersCalls = filtersCalls
        }

        /// For a person.
        public var words: String {
            switch (landlock, filtersCalls) {
            case (let version?, true): "confined by Landlock \(version) and seccomp"
            case (let version?, false): "confined by Landlock \(version) alone: there is no seccomp"
            case (nil, true): "confined by seccomp alone: there is no Landlock of version \(oldestLandlock) or newer"
            case (nil, false): "not confined: there is neither Landlock nor seccomp"
            }
        }
    }

    /// Version 1 forbids to move files from one folder to another, which the cache does.
    private static let oldestLandlock = 2

    /// Gives up all that is not in the plan, for good, for this thread and those that it starts: to be called before
    /// there are others. On macOS nothing is given up.
    ///
    /// What the kernel cannot do is left out. What a rule cannot be made for is refused when it is used, and then said.
    @discardableResult
    public func enforce() -> Enforcement {
        var enforcement = Enforcement()
        let version = Int(csystem_landlock_version())
        if version >= Self.oldestLandlock, keepToFiles(Int32(version)) { enforcement.landlock = version }
        enforcement.filtersCalls = csystem_filter_calls(usesNetwork, startsProcesses)
        Self.keepsToFiles = enforcement.landlock != nil
        return enforcement
    }

    private func keepToFiles(_ version: Int32) -> Bool {
        let rules = csystem_landlock_begin(version, usesNetwork)
        guard rules >= 0 else { return false }
        defer { close(rules) }
        // Rules for one place add up.
        func allow(_ paths: [String], _ right: csystem_right) {
            for path in paths { path.withPathPointer { _ = csystem_landlock_allow(rules, version, $0, right) } }
        }
        allow(writable, csystem_right_write)
        allow(executable, csystem_right_execute)
        allow(readable, csystem_right_read)
        return csystem_landlock_enforce(rules)
    }

    /// Whether Landlock keeps this process to a plan. `nonisolated(unsafe)`: written before there are other threads.
    private nonisolated(unsafe) static var keepsToFiles = false

    /// Whether it was this confinement, and no one else, that refused a call which failed with this error: the file's
    /// own rights allow what was tried, or are nobody's to refuse.
    ///
    /// - Parameter flags: those of `open`.
    public static func refused(_ path: String, flags: Int32, errno: Int32) -> Bool {
        guard errno == EACCES, keepsToFiles else { return false }
        // Landlock has no say in access(2), which is why it can tell.
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
