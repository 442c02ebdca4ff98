import CSQLite
import Libc
import Records
import TestSupport
import Testing

/// A process is stopped (Ctrl-Z) while other processes wait for its work.
@Suite(.serialized)
struct StoppedProcessTests {
    /// Starts a download and stops its process halfway.
    private func stoppedDownload(_ server: PictureServer, _ url: String, _ home: ToolHome) throws -> RunningTool {
        let holder = try home.start("img-cache", ["put", url], stdin: .empty)
        #expect(server.waitUntilStalled())
        holder.kill(SIGSTOP)
        return holder
    }

    @Test func waiterNamesTheStoppedProcessAndContinuesWithOtherRecords() throws {
        let server = try PictureServer(stalls: 1)
        let home = try ToolHome(environment: server.environment)
        let (url, other) = (server.url("wanted"), server.url("other"))
        let holder = try stoppedDownload(server, url, home)

        let output = try home.run("img-cache", ["put", "--timeout", "1s", "APOD_TOOLS_RETRIES=0", url, other]).expect(
            75)

        let records = try output.records
        #expect(records[0].string("error.code") == "holder-stalled")
        let message = try #require(records[0].string("error.message"))
        #expect(message.contains("process \(holder.processID) is downloading it"), "\(message)")
        #expect(records[0].string("error.transient") == nil && records[1].string("cache.status") == "miss")
        server.goOn()
        holder.kill(SIGCONT)
        try holder.wait().expect(0)
        #expect(server.asked.count == 2)
        #expect(try home.run("img-cache", ["get", url]).expect(0).record.string("cache.status") == "hit")
    }

    @Test func waiterFinishesAfterTheStoppedProcessContinues() throws {
        let server = try PictureServer(size: 2_000_000, stalls: 1)
        let home = try ToolHome(environment: server.environment)
        let url = server.url("continued")
        let holder = try stoppedDownload(server, url, home)
        let waiter = try home.start("img-cache", ["put", url], stdin: .empty)
        #expect(eventually { waiter.hasOpen("/locks/all") ?? true })

        server.goOn()
        holder.kill(SIGCONT)

        #expect(try holder.wait().expect(0).record.string("cache.status") == "miss")
        #expect(try waiter.wait().expect(0).record.string("cache.status") == "hit")
        #expect(server.asked.count == 1)
    }

    @Test func waiterTakesOverWhenTheStoppedProcessIsKilled() throws {
        let server = try PictureServer(size: 2_000_000, stalls: 1)
        let home = try ToolHome(environment: server.environment)
        let url = server.url("killed")
        let holder = try stoppedDownload(server, url, home)
        let waiter = try home.start("img-cache", ["put", url], stdin: .empty)
        #expect(eventually { waiter.hasOpen("/locks/all") ?? true })

        holder.kill(SIGKILL)

        #expect(try waiter.wait().expect(0).record.string("cache.status") == "miss")
        #expect(server.asked.count == 2)
    }

    @Test func waiterNamesAProcessStoppedDuringADecode() throws {
        let home = try ToolHome(environment: ["APOD_TOOLS_CONFIG": ""])
        try home.write("large.png", DrawnPicture.noise(3000, 2000, seed: 1).png())
        let cached = try home.run("img-cache", ["put", "large.png"]).expect(0).stdoutBytes
        let making = ["--width", "1500", "--format", "png"]
        let holder = try home.start("img-downsample", making, stdin: .bytes(cached))
        #expect(eventually { holder.hasOpen("/partial/") ?? true })
        holder.kill(SIGSTOP)
        #expect(holder.hasOpen("/partial/") == true)

        let config = try home.configure(#"{"timeout": "1s"}"#)
        let output = try home.run("img-downsample", making + ["--config", config], stdin: .bytes(cached))

        let record = try output.expectFailure(75, code: "holder-stalled", tool: "img-downsample")
        #expect(record.string("error.message")?.contains("process \(holder.processID) is making it") == true)
        holder.kill(SIGCONT)
        try holder.wait().expect(0)
        let variants = try home.run("img-downsample", making, stdin: .bytes(cached)).expect(0).record
        #expect(variants.string("variants.custom.status") == "hit")
    }

    // MARK: Stopped inside a transaction

    /// Locks the index, as a process stopped inside a transaction does.
    private final class OpenTransaction {
        private var handle: OpaquePointer?

        init(_ home: ToolHome) throws {
            try #require(sqlite3_open(CacheOnDisk(home).index, &handle) == SQLITE_OK)
            try #require(sqlite3_exec(handle, "BEGIN IMMEDIATE", nil, nil, nil) == SQLITE_OK)
        }

        deinit { sqlite3_close(handle) }
    }

    /// Makes all leases expire, and moves the time of the last use of each entry back by two hours.
    private func age(_ home: ToolHome) throws {
        try CacheOnDisk(home).execute("UPDATE entries SET last_used = last_used - 7200000, lease_until = 0")
    }

    /// Regression test: hits once waited for the transaction, so 300 hits would have taken hours.
    @Test func hitsDoNotWaitForAProcessStoppedInATransaction() throws {
        let server = try PictureServer()
        let home = try ToolHome(environment: server.environment)
        let urls = (0..<300).map { server.url("\($0)") }
        _ = try home.run("img-cache", ["put"] + urls).expect(0)
        try age(home)
        let held = try OpenTransaction(home)

        // Hits that waited would exceed the deadline of a run.
        for command in [["get"], ["path"], ["has"], ["put"]] { _ = try home.run("img-cache", command + urls).expect(0) }
        #expect(server.asked.count == 300)
        withExtendedLifetime(held) {}
    }

    @Test func leaseOutlivesAKilledReader() throws {
        let server = try PictureServer(size: 100_000)
        let home = try ToolHome(environment: server.environment)
        let (kept, other) = (server.url("kept"), server.url("other"))
        _ = try home.run("img-cache", ["put", kept, other]).expect(0)
        try age(home)
        var held: OpenTransaction? = try OpenTransaction(home)
        let reader = try home.start("img-cache", ["get"], stdin: .pipe)
        reader.write("{\"url\":\"\(kept)\"}\n")
        let line = try #require(reader.readLine())
        let path = try #require(Record(parsing: Array(line.utf8)).string("path"))
        reader.kill(SIGKILL)
        #expect(reader.wait().signal == SIGKILL)
        withExtendedLifetime(held) {}
        held = nil

        _ = try home.run("img-cache", ["put", "--capacity", "120KB", server.url("third")]).expect(0)
        _ = try home.run("img-cache", ["clean", "--capacity", "120KB"]).expect(0)

        #expect(try TestFile.bytes(path) == server.picture(kept))
        _ = try home.run("img-cache", ["has", other]).expect(1)
        try CacheOnDisk(home).expectConsistent(home)
    }
}
