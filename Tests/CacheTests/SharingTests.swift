import HTTP
import Libc
import Support
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// Concurrent use by several threads, and by separate caches that simulate other processes.
@Suite struct SharingTests {
    private let world: Surroundings
    private let moon: HTTPRequest

    init() throws {
        world = try Surroundings()
        moon = try HTTPRequest("https://pictures.example/moon.gif")
    }

    @Test func concurrentFetchesOfAKeyDownloadOnce() throws {
        let server = FakeServer(picture(1, bytes: 100_000))
        server.hold()
        let shared = try world.cache()
        let arrived = Monitor(0)
        let opener = try Thread.start {
            _ = arrived.wait { $0 == 16 ? true : nil }
            server.waitUntilHolding()
            server.release()
        }

        let results = try together(16) { [world, moon] number in
            let cache = number % 2 == 0 ? shared : try world.cache()
            arrived.update { $0 += 1 }
            return try cache.fetch(moon, client: world.client(server)).status
        }
        opener.join()

        let statuses = try results.map { try $0.get() }
        #expect(server.requests.count == 1)
        #expect(statuses.filter { $0 == .miss }.count == 1)
        #expect(statuses.filter { $0 == .hit }.count == 15)
        #expect(world.files("locks") == ["all"])
    }

    @Test func waitingFetchTakesOverAfterAFailure() throws {
        let server = FakeServer { _, number in
            number == 0 ? .init(body: picture(1, bytes: 9000), breaksAfter: 4000) : .init(body: picture(1, bytes: 9000))
        }
        server.hold()
        let opener = try Thread.start {
            server.waitUntilHolding()
            server.release()
        }

        let results = try together(6) { [world, moon] _ in
            try world.cache().fetch(moon, client: world.client(server)).status
        }
        opener.join()

        #expect(server.requests.count == 2)
        #expect(results.filter { (try? $0.get()) == nil }.count == 1)
    }

    @Test func differentKeysDoNotWaitForEachOther() throws {
        let slow = FakeServer(picture(1))
        slow.hold()
        let cache = try world.cache()
        let client = world.client(slow)
        let moon = moon
        let waiting = try Thread.start { _ = try? cache.fetch(moon, client: client) }
        slow.waitUntilHolding()

        let other = try cache.fetch(
            HTTPRequest("https://pictures.example/mars.gif"), client: world.client(FakeServer(picture(2))))

        #expect(other.status == .miss)
        slow.release()
        waiting.join()
    }

    @Test func stoppingARunEndsItsWaitForALock() throws {
        let root = CacheRoot(world.root)
        try root.make()
        let path = CacheRoot.lock("0", in: .standard)
        let held = try KeyLock(root: root, path, interruption: Interruption())
        let interruption = Interruption()
        let waiting = Monitor(false)
        let stopper = try Thread.start {
            _ = waiting.wait { $0 ? true : nil }
            interruption.cancel(.outputClosed)
        }

        waiting.update { $0 = true }
        #expect(throws: Cancelled.self) { try KeyLock(root: root, path, interruption: interruption) }

        stopper.join()
        withExtendedLifetime(held) {}
    }

    @Test func threadsHoldALockOneAtATime() throws {
        let root = CacheRoot(world.root)
        try root.make()
        let path = CacheRoot.lock("0", in: .standard)
        struct Waited: Error {}
        do {
            let first = try KeyLock(root: root, path, interruption: Interruption())
            #expect(throws: Waited.self) {
                _ = try KeyLock(root: root, path, interruption: Interruption(), whileWaiting: { throw Waited() })
            }
            withExtendedLifetime(first) {}
        }
        let inside = Monitor(0)

        let results = try together(8) { _ in
            for _ in 0..<20 {
                let lock = try KeyLock(root: root, path, interruption: Interruption())
                let alone = inside.update { count in
                    count += 1
                    return count == 1
                }
                #expect(alone)
                inside.update { $0 -= 1 }
                withExtendedLifetime(lock) {}
            }
        }

        for result in results { try result.get() }
        #expect(world.files("locks") == ["all"])
    }

    /// The lock table was removed while the lock was held, and then created again by another process.
    @Test func releaseDoesNotRemoveALockThatAnotherProcessHolds() throws {
        let root = CacheRoot(world.root)
        let other = CacheRoot(world.root)
        let name = CacheRoot.lock("0", in: .standard)
        var old: KeyLock? = try KeyLock(root: root, name, interruption: Interruption())
        root.remove(LockTable.fileName)
        let new = try KeyLock(root: other, name, interruption: Interruption())

        withExtendedLifetime(old) {}
        old = nil

        #expect(try KeyLock.ifFree(root: root, name) == nil)
        #expect(try KeyLock.isHeld(root: root, name))
        withExtendedLifetime(new) {}
    }

    @Test func lockExcludesOtherProcessesAndOtherThreads() throws {
        let (root, other) = (CacheRoot(world.root), CacheRoot(world.root))
        let (name, another) = (CacheRoot.lock("0", in: .standard), CacheRoot.lock("1", in: .standard))
        #expect(try !KeyLock.isHeld(root: root, name))
        #expect(world.files("locks").isEmpty)
        var lock: KeyLock? = try KeyLock(root: root, name, interruption: Interruption())

        for root in [root, other] {
            #expect(try KeyLock.isHeld(root: root, name))
            #expect(try KeyLock.ifFree(root: root, name) == nil)
            #expect(try !KeyLock.isHeld(root: root, another))
            #expect(try KeyLock.ifFree(root: root, another) != nil)
        }
        withExtendedLifetime(lock) {}
        lock = nil

        for root in [root, other] {
            #expect(try !KeyLock.isHeld(root: root, name) && KeyLock.ifFree(root: root, name) != nil)
        }
    }

    @Test func stoppedDownloadLeavesNoEntryAndCanBeResumed() throws {
        let server = FakeServer(picture(1, bytes: 9000), etag: "\"1\"")
        server.hold()
        let world = world
        let stopper = try Thread.start {
            server.waitUntilHolding()
            world.interruption.cancel(.outputClosed)
            server.release()
        }

        #expect(throws: Cancelled.self) { try world.cache().fetch(moon, client: world.client(server)) }

        stopper.join()
        #expect(world.files("scopes").isEmpty)
        #expect(world.files("partial").count == 2)
    }

    @Test func rootIsCreatedOnceByManyThreads() throws {
        let results = try together(16) { [world] number in
            try world.cache().store(MemorySource(picture(number)), key: key("\(number)")).status
        }

        for result in results { #expect(try result.get() == .miss) }
        #expect(try world.cache().statistics().entries == 16)
    }

    @Test func totalsAreCorrectAfterConcurrentChanges() throws {
        let results = try together(6) { [world] thread in
            let cache = try world.cache(capacity: 20_000, lease: .zero)
            for number in 0..<40 {
                _ = try cache.store(
                    MemorySource(picture(thread * 100 + number, bytes: 1000)), key: key("\((thread + number) % 37)"))
                if number % 5 == 0 { try cache.remove(key("\(number % 37)")) }
            }
        }
        for result in results { try result.get() }

        let cache = try world.cache(capacity: 20_000)
        let statistics = try cache.statistics()
        let all = try cache.allEntries()
        #expect(statistics.bytes == all.reduce(0) { $0 + $1.bytes })
        #expect(statistics.entries == all.count)
        #expect(statistics.bytes <= 20_000)
        #expect(world.files("scopes").count == all.count)
    }
}
