import Libc
import Support
import TestSupport
import Testing

@testable import Store

/// Makes each system call below the root fail, one call per run, once with permanent and once with temporary errors. An
/// error does not prove that a file is absent, so no pinned entry may be lost.
@Suite struct FailedLookTests {
    /// Lists of errors. Each run takes the next error of its list, in rotation.
    private static let errors: [[Int32]] = [[EACCES, EIO, EPERM], [EMFILE, ENFILE, ENOMEM, ESTALE, ETIMEDOUT]]
    /// Each key has a row and a file.
    private static let keys = ["moon", "mars", "io"]

    private enum Operation: CaseIterable {
        case lookup, has, store, pin, clean, switchScope, list, rebuild
    }

    /// Injects an error into the call with a given number.
    private final class Faults: Sendable {
        private let state = Monitor((calls: 0, failing: Int.max, errno: Int32(0)))

        @Sendable func next(_ name: String) -> Int32? {
            state.withLock { state in
                state.calls += 1
                return state.calls == state.failing ? state.errno : nil
            }
        }

        func fail(_ call: Int, _ errno: Int32) { state.withLock { $0 = (0, call, errno) } }
        func stop() { state.withLock { $0.failing = .max } }
        var wasReached: Bool { state.withLock { $0.calls >= $0.failing } }
    }

    /// Returns a cache on the root of `world` that injects `faults`.
    private func cache(_ world: Surroundings, _ faults: Faults) throws -> CacheStore {
        let settings = CacheSettings(root: world.root, scope: nil)
        let index = try Index(
            root: CacheRoot(world.root, fault: faults.next), log: .silent, interruption: world.interruption)
        return try CacheStore(
            settings: settings, index: index, remote: nil, clock: world.time.clock, log: .silent, metrics: .silent,
            interruption: world.interruption, inspect: world.cache().inspect)
    }

    private func perform(_ operation: Operation, _ cache: CacheStore) throws {
        switch operation {
        case .lookup: #expect(try cache.lookup(key("moon")) != nil)
        case .has: #expect(try cache.lookup(key("moon"), handingOut: false) != nil)
        case .store: _ = try cache.store(MemorySource(picture(1)), key: key("moon"))
        case .pin: #expect(try cache.lookup(key("moon")).flatMap { try cache.setPinned($0, true) } != nil)
        case .clean: try cache.maintenance.clean { _ in }
        case .switchScope: _ = try cache.scopes.makeCurrent(ScopeName("alice"), keeping: true)
        case .list: #expect(try cache.allEntries().count == 3)
        case .rebuild: try cache.recovery.rebuild { _ in }
        }
    }

    @Test(arguments: errors) func failedCallLosesNoPinnedEntry(errors: [Int32]) throws {
        for (number, operation) in Operation.allCases.enumerated() {
            for call in 1... {
                let errno = errors[(number + call) % errors.count]
                let world = try Surroundings()
                let intact = try world.cache()
                for (number, name) in Self.keys.enumerated() {
                    let entry = try intact.store(MemorySource(picture(number)), key: key(name)).entry
                    _ = try intact.setPinned(entry, true)
                }
                let faults = Faults()
                let cache = try cache(world, faults)
                // Opens the root and its lock table.
                _ = try cache.lookup(key("moon"))
                faults.fail(call, errno)

                do {
                    try perform(operation, cache)
                } catch {
                    let failure = failure(of: error)
                    let wanted: ExitCode = SystemFailure.isTransient(errno) ? .temporary : .io
                    #expect(
                        [wanted, .cannotCreate].contains(failure.exitCode), "\(operation), call \(call): \(failure)")
                    #expect(failure.message.contains(systemMessage(errno)), "\(failure.message)")
                }
                let wasReached = faults.wasReached
                faults.stop()

                let again = try world.cache(scope: "default")
                for name in Self.keys {
                    let entry = try #require(try again.lookup(key(name)), "\(operation), call \(call) lost \(name)")
                    #expect(entry.isPinned && TestFile.exists(entry.path), "\(operation), call \(call): \(entry)")
                }
                if !wasReached { break }
            }
        }
    }

    @Test func failureToOpenTheLockTableIsNotRetriedForever() throws {
        let world = try Surroundings()
        _ = try world.cache().store(MemorySource(picture()), key: key("moon"))
        let root = CacheRoot(world.root) { $0 == LockTable.fileName ? EMFILE : nil }

        #expect(throws: SystemFailure.self) { try KeyLock.ifFree(root: root, "locks/setup") }
        #expect(throws: SystemFailure.self) { try KeyLock.isHeld(root: root, "locks/setup") }
    }

    @Test func entryWithoutItsFileIsRemoved() throws {
        let world = try Surroundings()
        let cache = try world.cache()
        let entry = try cache.store(MemorySource(picture()), key: key("moon")).entry
        unlink(entry.path)

        #expect(try cache.lookup(key("moon")) == nil)
        #expect(world.messages.all == ["test: the file of moon was lost; removing its entry\n"])
        #expect(try world.cache().statistics().entries == 0)
    }
}
