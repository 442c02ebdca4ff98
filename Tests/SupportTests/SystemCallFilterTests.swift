#if os(Linux) && (arch(x86_64) || arch(arm64))
import CSystem
import Support
import Testing

/// The system call filter, run by an interpreter instead of the kernel.
struct SystemCallFilterTests {
    private enum Verdict: UInt32 {
        case allow = 0x7FFF_0000
        /// EPERM.
        case refuse = 0x0005_0001
        /// ENOSYS.
        case missing = 0x0005_0026
        /// SIGSYS, with EPERM as the result.
        case report = 0x0003_0001
    }

    private static let process: Int32 = 4321
    private static let all: [Confinement.CallSets] = [
        [], .files, [.files, .permissions], .network, [.files, .network], [.files, .permissions, .network],
    ]

    #if arch(x86_64)
    private static let architecture: UInt32 = 0xC000_003E
    private enum Call {
        static let (read, openat, ioctl, clone, socket, bind, socketpair, kill, fcntl, fchmod, unlinkat) =
            (0, 257, 16, 56, 41, 49, 53, 62, 72, 91, 263)
        static let (setsockopt, prlimit64, fchmodat, execve, listen, accept4) = (54, 302, 268, 59, 50, 288)
        static let (close, fstat, mmap, mprotect, munmap, pread64, newfstatat) = (3, 5, 9, 10, 11, 17, 262)
    }
    #else
    private static let architecture: UInt32 = 0xC000_00B7
    private enum Call {
        static let (read, openat, ioctl, clone, socket, bind, socketpair, kill, fcntl, fchmod, unlinkat) =
            (63, 56, 29, 220, 198, 200, 199, 129, 25, 52, 35)
        static let (setsockopt, prlimit64, fchmodat, execve, listen, accept4) = (208, 261, 53, 221, 201, 242)
        static let (close, fstat, mmap, mprotect, munmap, pread64, newfstatat) = (57, 80, 222, 226, 215, 67, 79)
    }
    #endif

    private func filter(_ sets: Confinement.CallSets, reports: Bool = false) throws -> [csystem_instruction] {
        var code = [csystem_instruction](
            repeating: csystem_instruction(), count: Int(csystem_filter_capacity))
        let count = csystem_filter(sets.rawValue, reports, Self.process, &code, code.count)
        try #require(count <= code.count)
        return Array(code.prefix(count))
    }

    /// Runs a filter (a BPF program with an accumulator) as the kernel would. Knows only the instructions that the
    /// filters use.
    private func run(
        _ code: [csystem_instruction], _ call: Int, _ arguments: [UInt64] = [], architecture: UInt32 = architecture
    ) throws -> Verdict {
        var data: [UInt32] = [UInt32(truncatingIfNeeded: call), architecture, 0, 0]
        for index in 0..<6 {
            let argument = index < arguments.count ? arguments[index] : 0
            data += [UInt32(truncatingIfNeeded: argument), UInt32(argument >> 32)]
        }
        var (next, value) = (0, UInt32(0))
        while true {
            let instruction = try #require(code.indices.contains(next) ? code[next] : nil)
            next += 1
            func jump(_ condition: Bool) { next += Int(condition ? instruction.if_true : instruction.if_false) }
            switch instruction.code {
            case 0x20: value = data[Int(instruction.operand) / 4]
            case 0x54: value &= instruction.operand
            case 0x05: next += Int(instruction.operand)
            case 0x15: jump(value == instruction.operand)
            case 0x35: jump(value >= instruction.operand)
            case 0x06: return try #require(Verdict(rawValue: instruction.operand))
            default: Issue.record("unknown instruction \(instruction.code)")
            }
        }
    }

    private func expect(
        _ sets: Confinement.CallSets, _ call: Int, _ arguments: [UInt64], _ verdict: Verdict,
        location: SourceLocation = #_sourceLocation
    ) throws {
        let found = try run(filter(sets), call, arguments)
        #expect(found == verdict, "call \(call) with \(arguments)", sourceLocation: location)
    }

    @Test func everyFilterReturnsAVerdictForEveryCall() throws {
        for sets in Self.all {
            let code = try filter(sets)
            for call in 0..<600 { _ = try run(code, call) }
            for call in 470..<600 { #expect(try run(code, call) == .missing) }
        }
    }

    @Test func largerPlanAllowsAllCallsOfASmallerPlan() throws {
        let (none, everything) = (try filter([]), try filter([.files, .permissions, .network]))
        var counts = (none: 0, everything: 0)
        for call in 0..<470 {
            let isAllowed = try run(none, call) == .allow
            if isAllowed { #expect(try run(everything, call) == .allow, "call \(call)") }
            counts.none += isAllowed ? 1 : 0
            counts.everything += try run(everything, call) == .allow ? 1 : 0
        }
        #expect(counts.none > 70 && counts.none < counts.everything && counts.everything < 150)
    }

    @Test func otherArchitecturesAndABIsAreRefused() throws {
        let code = try filter([.files, .network])
        for architecture: UInt32 in [0x4000_0003, 0x4000_0028, 0xC000_00B7, 0xC000_003E]
        where architecture != Self.architecture {
            #expect(try run(code, Call.read, architecture: architecture) == .refuse)
        }
        #if arch(x86_64)
        #expect(try run(code, 0x4000_0000 + Call.read) == .refuse)
        #endif
    }

    @Test func callSetsAllowOnlyTheirCalls() throws {
        for sets in Self.all {
            try expect(sets, Call.read, [], .allow)
            try expect(sets, Call.unlinkat, [], sets.contains(.files) ? .allow : .refuse)
            try expect(sets, Call.fchmod, [3, 0o644], sets.contains(.permissions) ? .allow : .refuse)
            try expect(sets, Call.socket, [2, 1, 0], sets.contains(.network) ? .allow : .refuse)
            for call in [Call.execve, Call.listen, Call.accept4, Call.fchmodat] { try expect(sets, call, [], .refuse) }
        }
    }

    /// The calls of the dynamic linker when it loads a library.
    @Test func everyPlanAllowsTheCallsThatLoadALibrary() throws {
        let (closeOnExec, readAndExecute): (UInt64, UInt64) = (0o2000000, 5)
        for sets in Self.all {
            try expect(sets, Call.openat, [UInt64(bitPattern: -100), 0, closeOnExec], .allow)
            for call in [Call.fstat, Call.newfstatat, Call.pread64, Call.munmap, Call.close] {
                try expect(sets, call, [3], .allow)
            }
            try expect(sets, Call.mmap, [0, 4096, readAndExecute, 2, 3, 0], .allow)
            try expect(sets, Call.mprotect, [0, 4096, 1], .allow)
        }
    }

    @Test func clone3FailsWithENOSYSAndCloneCreatesOnlyThreads() throws {
        let (thread, user): (UInt64, UInt64) = (0x3D0F00, 0x1000_0000)
        try expect([], 435, [], .missing)
        try expect([], Call.clone, [thread], .allow)
        try expect([], Call.clone, [thread | user], .refuse)
        try expect([], Call.clone, [17], .refuse)
    }

    @Test func signalsAndLimitsForOtherProcessesAreRefused() throws {
        let own = UInt64(Self.process)
        try expect([], Call.kill, [own, 9], .allow)
        for other: UInt64 in [0, 1, own + 1, UInt64(bitPattern: -1), UInt64(bitPattern: Int64(-Self.process))] {
            try expect([], Call.kill, [other, 9], .refuse)
            if other != 0 { try expect([], Call.prlimit64, [other], .refuse) }
        }
        try expect([], Call.prlimit64, [0], .allow)
        try expect([], Call.prlimit64, [own], .allow)
        // F_SETLK and F_SETOWN
        try expect([], Call.fcntl, [3, 6], .allow)
        try expect([], Call.fcntl, [3, 8, 1], .refuse)
    }

    @Test func setUserIDModesAreRefused() throws {
        let (create, unnamed): (UInt64, UInt64) = (0o100, 0o20000000)
        try expect([.files, .permissions], Call.fchmod, [3, 0o4755], .refuse)
        try expect([.files, .permissions], Call.fchmod, [3, 0o2755], .refuse)
        for flags in [create, unnamed] {
            try expect(.files, Call.openat, [3, 0, flags, 0o600], .allow)
            try expect(.files, Call.openat, [3, 0, flags, 0o4600], .refuse)
        }
        // Without these flags, the mode is ignored.
        try expect(.files, Call.openat, [3, 0, 0, 0o7777], .allow)
        try expect(.files, 437, [], .missing)
    }

    @Test(
        arguments: [
            ([2, 0x80001, 6], true), ([10, 1, 0], true), ([2, 2, 17], true), ([10, 0x80802, 0], true),
            ([16, 3, 0], true),
            ([1, 1, 0], false), ([2, 3, 1], false), ([2, 1, 262], false), ([2, 1, 132], false), ([2, 2, 136], false),
            ([2, 2, 1], false), ([16, 3, 12], false), ([17, 3, 3], false), ([38, 5, 0], false), ([40, 1, 0], false),
        ] as [([UInt64], Bool)])
    func onlyTCPUDPAndRouteSocketsAreAllowed(_ arguments: [UInt64], _ isAllowed: Bool) throws {
        try expect(.network, Call.socket, arguments, isAllowed ? .allow : .refuse)
    }

    @Test func serverSocketsAndUnknownOptionsAreRefused() throws {
        // A netlink address has 12 bytes, an internet address 16 or 28.
        try expect(.network, Call.bind, [3, 0, 12], .allow)
        try expect(.network, Call.bind, [3, 0, 110], .refuse)
        try expect(.network, Call.socketpair, [1, 0x80001, 0], .allow)
        try expect(.network, Call.socketpair, [1, 2, 0], .refuse)
        try expect(.network, Call.setsockopt, [3, 6, 1], .allow)
        try expect(.network, Call.setsockopt, [3, 1, 26], .refuse)
        try expect(.network, Call.setsockopt, [3, 6, 31], .refuse)
    }

    @Test func refusedCallsAreReportedOnlyOnRequest() throws {
        let code = try filter(.network, reports: true)
        #expect(try run(code, Call.execve) == .report)
        #expect(try run(code, Call.kill, [1, 9]) == .report)
        #expect(try run(code, 435) == .missing)
        // C libraries try some calls before a fallback; these refusals are not reported.
        #expect(try run(code, Call.socket, [1, 1, 0]) == .refuse)
    }
}
#endif
