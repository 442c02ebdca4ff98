import HTTP
import Support
import TestSupport
import Testing

@testable import Remote
@testable import Store

@Suite struct RemoteTests {
    private let bytes: [UInt8] = Array("the bytes of a picture".utf8)
    private let document: RemoteDocument

    init() throws { document = try RemoteDocument.original("https://pictures.example/moon.png", bytes) }

    /// Offers a file with these bytes. Calls `done` with the outcome.
    private func offer(
        _ remote: Remote, _ document: RemoteDocument, _ bytes: [UInt8],
        done: @escaping @Sendable (String) -> Void = { _ in }
    ) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("picture", bytes)
        remote.offer(
            RemoteUpload(document, open: { [folder] in try withExtendedLifetime(folder) { try File.openInput(path) } })
            {
                answer in
                switch answer {
                case .found(let sent): done("sent \(sent)")
                case .absent: done("gone")
                case .damaged: done("damaged")
                case .failed: done("failed")
                case .notAsked: done("not asked")
                }
            })
    }

    private func text(_ answer: RemoteAnswer<RemoteDocument>) -> String {
        switch answer {
        case .found(let found): found == document ? "found" : "another"
        case .absent: "absent"
        case .damaged: "damaged"
        case .failed: "failed"
        case .notAsked: "not asked"
        }
    }

    @Test func offeredEntryIsUploadedAndFound() throws {
        let world = try World()
        let results = Monitor<[String]>([])
        try offer(world.remote, document, bytes) { result in results.withLock { $0.append(result) } }
        world.remote.close()
        #expect(results.withLock { $0 } == ["sent \(bytes.count)"])
        // The bytes are uploaded first, so that a document never names a missing object.
        #expect(
            world.storage.state.withLock { $0.writes } == ["cas/\(document.sha256!)", "ac/\(document.name.digest)"])
        #expect(text(try world.remote.document(of: document.name, atMost: 1 << 20)) == "found")
        let sink = MemorySink()
        guard case .found = try world.remote.content(of: document, receive: sink.write) else {
            Issue.record("the uploaded bytes were not found")
            return
        }
        #expect(sink.bytes == bytes)
    }

    @Test func existingBytesAreNotSentAgain() throws {
        let world = try World()
        world.storage.state.withLock { $0.objects["cas/\(document.sha256!)"] = bytes }
        let results = Monitor<[String]>([])
        try offer(world.remote, document, bytes) { result in results.withLock { $0.append(result) } }
        world.remote.close()
        #expect(results.withLock { $0 } == ["sent 0"])
        #expect(world.storage.state.withLock { $0.writes } == ["ac/\(document.name.digest)"])
    }

    @Test func damagedBytesAreSentAgain() throws {
        let world = try World()
        world.storage.state.withLock {
            $0.objects["cas/\(document.sha256!)"] = [UInt8](repeating: 0, count: bytes.count)
        }
        world.remote.reportDamage(of: document, after: .zero, "its bytes have a different SHA-256")
        try offer(world.remote, document, bytes)
        world.remote.close()
        #expect(world.storage.state.withLock { $0.objects["cas/\(document.sha256!)"] } == bytes)
        let words = "damaged entry: \(document.name.digest): its bytes have a different SHA-256; ignoring it"
        #expect(world.warnings == ["test: warning: the remote file:///nowhere: \(words)\n"])
    }

    @Test func truncatedContentIsDamagedAndIsReplaced() throws {
        let world = try World()
        world.storage.state.withLock { $0.objects["cas/\(document.sha256!)"] = Array(bytes.dropLast()) }
        guard case .damaged = try world.remote.content(of: document, receive: { _ in }) else {
            Issue.record("truncated content was accepted")
            return
        }
        try offer(world.remote, document, bytes)
        world.remote.close()
        #expect(world.storage.state.withLock { $0.objects["cas/\(document.sha256!)"] } == bytes)
    }

    @Test func fileOfAnotherSizeIsNotUploaded() throws {
        let world = try World()
        let results = Monitor<[String]>([])
        try offer(world.remote, document, []) { result in results.withLock { $0.append(result) } }
        world.remote.close()
        #expect(results.withLock { $0 } == ["gone"])
        #expect(world.storage.state.withLock { $0.objects.isEmpty })
    }

    @Test func fileThatBecomesShorterIsNotUploaded() throws {
        let folder = try TemporaryFolder()
        let storage = FolderStorage(path: try folder.makeFolder("remote"))
        struct ShorterSource: ByteSource {
            let count = 5
            func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int { 0 }
        }
        let operation = RemoteOperation(.writing(5, RemoteSettings.Timeouts(connect: .seconds(60)))) {}
        #expect(
            message {
                try storage.write(
                    ShorterSource(), to: .document(document.name), lifetime: nil, under: nil, operation)
            } == "75 the file became shorter during the upload")
    }

    @Test(arguments: [405, 501]) func serverWithoutPUTIsRefused(status: Int) throws {
        let server = try LoopbackServer { _ in .text("", status: status) }
        let settings = RemoteSettings(
            try RemoteAddress(server.address), mode: .both, scopes: .standard, connect: .seconds(60), wait: .seconds(60)
        )
        let storage = HTTPStorage(
            try WebURL(server.address), settings: settings, environment: [:], log: .silent, interruption: Interruption()
        )
        let operation = RemoteOperation(.writing(1, settings.timeouts)) {}
        #expect(
            summary {
                try storage.write(
                    MemorySource([1]), to: .document(document.name), lifetime: nil, under: nil, operation)
            } == "77 remote-refused: the server answered \(status), so it does not support PUT")
    }

    @Test func afterFiveFailuresNoRequestIsSent() throws {
        let world = try World()
        world.storage.state.withLock { $0.failure = .failed("no route to host") }
        let answers = try (0..<7).map { _ in text(try world.remote.document(of: document.name, atMost: 1 << 20)) }
        #expect(answers == Array(repeating: "failed", count: 5) + ["not asked", "not asked"])
        #expect(world.storage.state.withLock { $0.reads.count } == 5)
        let subject = "the remote file:///nowhere: no route to host"
        #expect(
            world.lines.withLock { $0 } == Array(
                repeating: "test: \(subject); this run continues without it\n", count: 4)
                + ["test: warning: \(subject); this run no longer reads from it\n"])
    }

    @Test func timeLostToDamagedBytesEndsReadingUnlessTheRemoteIsPatient() throws {
        for (isPatient, answer) in [(false, "not asked"), (true, "absent")] {
            let world = try World { $0.isPatient = isPatient }
            world.remote.reportDamage(of: document, after: .seconds(4), "its bytes have a different SHA-256")
            #expect(text(try world.remote.document(of: document.name, atMost: 1 << 20)) == answer)
            let words = "waiting for it has taken 4s; this run no longer reads from it"
            let warning = "test: warning: the remote file:///nowhere: \(words)\n"
            #expect(world.warnings.contains(warning) != isPatient)
        }
    }

    @Test func warningIsShortenedAndHasNoSecrets() throws {
        let world = try World { $0.headers = [HTTPHeader("Authorization", "Bearer geheim")] }
        world.storage.state.withLock { $0.failure = .refused("no geheim " + String(repeating: "x", count: 1000)) }
        #expect(text(try world.remote.document(of: document.name, atMost: 1 << 20)) == "failed")
        #expect(text(try world.remote.document(of: document.name, atMost: 1 << 20)) == "not asked")
        #expect(world.warnings.count == 1 && world.warnings[0].contains("no … xxx"))
        #expect(!world.warnings[0].contains("geheim") && world.warnings[0].count < 600)
    }

    @Test(arguments: [
        (RemoteFailure.damaged("cut short"), "remote-damaged", "damaged entry: "),
        (.refused("no"), "remote-refused", ""), (.failed("later"), "remote-failed", ""),
        (.givenUp, "remote-given-up", ""),
    ])
    func shorteningAMessageKeepsTheKindOfTheFailure(failure: RemoteFailure, code: String, start: String) throws {
        let world = try World()
        let words = String(repeating: "long ", count: 100)
        world.storage.state.update { $0.failure = failure.mapReason { _ in words } }
        let thrown = #expect(throws: RemoteFailure.self) {
            try world.remote.run(.reading(atMost: 1000, world.remote.settings.timeouts, patience: nil)) { operation in
                try world.storage.size(of: .content("1"), operation)
            }
        }
        #expect(thrown?.code == code)
        #expect(code == "remote-given-up" || thrown?.message == start + words.prefix(400) + "…")
    }

    @Test func refusedWriteDoesNotStopReading() throws {
        let world = try World()
        world.storage.state.withLock { $0.writeFailure = .refused("answered 403") }
        let results = Monitor<[String]>([])
        for _ in 0..<3 { try offer(world.remote, document, bytes) { result in results.withLock { $0.append(result) } } }
        world.remote.close()
        #expect(results.withLock { Set($0) }.isSubset(of: ["failed", "not asked"]))
        let words = "answered 403; this run no longer uploads to it"
        #expect(world.warnings == ["test: warning: the remote file:///nowhere: \(words)\n"])
        #expect(text(try world.remote.document(of: document.name, atMost: 1 << 20)) == "absent")
    }

    @Test func waitForOtherMachinesIsLimitedAndReported() throws {
        let world = try World { $0.timeouts = .init(connect: .milliseconds(10)) }
        world.storage.state.withLock { $0.isClaimed = true }
        for _ in 0..<2 { #expect(try world.remote.claim(document.name) {} == nil) }
        let words = "waiting for other machines has taken 1s in total; this run no longer waits for them"
        #expect(
            world.lines.withLock { $0 } == [
                "test: waiting for another machine that is fetching or making this entry\n",
                "test: warning: the remote file:///nowhere: \(words)\n",
            ])
    }

    @Test func modesAndScopesLimitSharing() throws {
        let alice = try ScopeName("alice")
        let reading = try World { $0.mode = .read }.remote
        #expect(reading.reads(.standard) && !reading.writes(.standard))
        let writing = try World { $0.mode = .write }.remote
        #expect(!writing.reads(.standard) && writing.writes(.standard))
        let both = try World().remote
        #expect(both.reads(.standard) && both.writes(.standard) && !both.reads(alice) && !both.writes(alice))
    }

    @Test func receiverErrorIsNotAFailureOfTheRemote() throws {
        struct Full: Error {}
        let world = try World()
        world.storage.state.withLock { $0.objects["cas/\(document.sha256!)"] = bytes }
        for _ in 0..<6 {
            #expect(throws: Full.self) { try world.remote.content(of: document) { _ in throw Full() } }
        }
        #expect(world.warnings.isEmpty)
    }

    @Test func contentOverTheLimitIsNotRead() throws {
        let world = try World { $0.byteLimit = 4 }
        guard case .absent = try world.remote.content(of: document, receive: { _ in }) else {
            Issue.record("the content was read")
            return
        }
        #expect(world.storage.state.withLock { $0.reads.isEmpty })
        let words = "an entry of \(bytes.count) bytes exceeds the limit; ignoring it"
        #expect(world.lines.withLock { $0 } == ["test: the remote file:///nowhere: \(words)\n"])
    }

    @Test func unsignedDocumentsAreIgnored() throws {
        let world = try World { $0.key = Array("a key of enough bytes".utf8) }
        world.storage.state.withLock {
            $0.objects["ac/\(document.name.digest)"] = document.encoded(key: nil)
        }
        #expect(text(try world.remote.document(of: document.name, atMost: 1 << 20)) == "absent")
        let words = "the document \(document.name.digest) lacks a valid signature; ignoring it"
        #expect(world.lines.withLock { $0 } == ["test: the remote file:///nowhere: \(words)\n"])
    }

    @Test func closeWaitsForUploadsUpToItsLimit() throws {
        let world = try World {
            $0.wait = .milliseconds(50)
            $0.timeouts = .init(connect: .seconds(3600))
        }
        world.storage.state.update { $0.isHolding = true }
        let results = Monitor<[String]>([])
        for _ in 0..<6 { try offer(world.remote, document, bytes) { result in results.withLock { $0.append(result) } } }
        world.remote.close()
        #expect(world.storage.state.withLock { $0.writes.isEmpty })
        let words = "6 uploads were not finished in time; raise APOD_TOOLS_REMOTE_WAIT, or run img-cache push"
        #expect(world.warnings == ["test: warning: the remote file:///nowhere: \(words)\n"])
    }

    @Test func cancelledRunDoesNotWaitForUploads() throws {
        let world = try World { $0.wait = .seconds(3600) }
        world.storage.state.update { $0.isHolding = true }
        try offer(world.remote, document, bytes)
        world.interruption.cancel(.signal(15))
        world.remote.close()
        #expect(world.storage.state.withLock { $0.writes.isEmpty })
    }

    @Test func offersBeyondTheQueueLimitAreRefused() throws {
        let world = try World { $0.wait = .zero }
        world.storage.state.update { $0.isHolding = true }
        let refused = Monitor(0)
        for _ in 0..<UploadQueue.countLimit + UploadQueue.threadLimit + 10 {
            world.remote.offer(RemoteUpload(document) { _ in refused.withLock { $0 += 1 } })
        }
        let count = refused.withLock { $0 }
        #expect(count >= 10)
        world.remote.close()
        let words = "\(count) uploads were skipped, because the queue of uploads was full; run img-cache push"
        #expect(world.warnings.contains("test: warning: the remote file:///nowhere: \(words)\n"))
    }

    @Test func failedReadOfAListIsAnErrorAndNotAnEmptyList() throws {
        let world = try World()
        var list = SyncList()
        list.insert(document)
        try world.remote.write(list, for: .standard)
        #expect(try world.remote.list(of: .standard) == list)
        let content = try #require(world.storage.state.withLock { $0.objects.first { $0.key.hasPrefix("cas/") } })
        // A missing or damaged list is treated as empty.
        world.storage.state.withLock { $0.objects[content.key] = nil }
        #expect(try world.remote.list(of: .standard) == SyncList())
        #expect(world.warnings.last?.hasSuffix(": the content of the list is missing; ignoring it\n") == true)
        world.storage.state.withLock { $0.objects[content.key] = Array(content.value.dropLast()) + [0] }
        #expect(try world.remote.list(of: .standard) == SyncList())
        #expect(world.warnings.last?.hasSuffix(": the list has a different SHA-256; ignoring it\n") == true)
        world.storage.state.withLock { $0.objects[content.key] = content.value }
        #expect(try world.remote.list(of: .standard) == list)
        world.storage.state.withLock { $0.failure = .failed("no answer") }
        #expect(
            message { _ = try world.remote.list(of: .standard) }
                == "75 the remote file:///nowhere cannot be used; try again later")
    }

    @Test func offerReplacesADamagedDocument() throws {
        let world = try World()
        world.storage.state.withLock { $0.objects["ac/\(document.name.digest)"] = Array("{".utf8) }
        #expect(text(try world.remote.document(of: document.name, atMost: 1 << 20)) == "damaged")
        let folder = try TemporaryFolder()
        let path = try folder.write("picture", bytes)
        let offer = RemoteUpload(document, open: { try File.openInput(path) }) { _ in }
        #expect(try world.remote.uploadNow(offer) == SyncReport(moved: 1, bytes: bytes.count))
        #expect(try world.remote.uploadNow(offer) == SyncReport(there: 1))
        #expect(text(try world.remote.document(of: document.name, atMost: 1 << 20)) == "found")
    }
}
