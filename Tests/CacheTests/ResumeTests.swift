import Formats
import HTTP
import Support
import Testing

@testable import CacheTools
@testable import Fetch
@testable import Store

/// Downloads interrupted and resumed, within one run and across runs.
@Suite struct ResumeTests {
    private let world: Surroundings
    private let moon: HTTPRequest
    private let whole = picture(1, bytes: 300_000)

    init() throws {
        world = try Surroundings()
        moon = try HTTPRequest("https://pictures.example/moon.gif")
    }

    /// Answers as RFC 9110 requires: with a range if the request has a range and its condition holds, otherwise with
    /// the whole body.
    private static func honest(
        _ request: HTTPRequest, _ body: [UInt8], validator: (name: String, value: String) = ("ETag", "\"1\""),
        date: String? = nil, breaksAfter: Int? = nil
    ) -> FakeServer.Answer {
        var headers = [validator] + (date.map { [("Date", $0)] } ?? [])
        guard let start = request.rangeStart, request.header("If-Range") == validator.value else {
            return .init(headers: headers + [("Content-Length", "\(body.count)")], body: body, breaksAfter: breaksAfter)
        }
        if start >= body.count { return .init(status: 416, headers: [("Content-Range", "bytes */\(body.count)")]) }
        headers.append(("Content-Range", "bytes \(start)-\(body.count - 1)/\(body.count)"))
        return .init(status: 206, headers: headers, body: Array(body[start...]), breaksAfter: breaksAfter)
    }

    private func expectWhole(_ entry: Entry, _ body: [UInt8]? = nil) throws {
        let body = body ?? whole
        #expect(try Surroundings.contents(entry.path) == body)
        #expect(entry.sha256 == (try BlobStore.sha256(of: MemorySource(body))))
        #expect(world.files("partial").isEmpty)
    }

    @Test func retryResumesWhereThePreviousAttemptStopped() throws {
        let server = FakeServer { [whole] request, number in
            Self.honest(request, whole, breaksAfter: number < 2 ? 100_000 : nil)
        }

        let cache = try world.cache()

        let (entry, _) = try cache.fetch(moon, client: world.client(server, retries: 2))

        #expect(server.requests.map(\.rangeStart) == [nil, 100_000, 200_000])
        #expect(server.requests.map { $0.header("If-Range") } == [nil, "\"1\"", "\"1\""])
        try expectWhole(entry)
        #expect(try cache.statistics()[.bytesFetched] == whole.count)
    }

    @Test func progressRestartsTheRetrySchedule() throws {
        let server = FakeServer { [whole] request, _ in
            let rest = whole.count - (request.rangeStart ?? 0)
            return Self.honest(request, whole, breaksAfter: rest > 70_000 ? 70_000 : nil)
        }

        // The download survives four interruptions with a single retry.
        let (entry, _) = try world.cache().fetch(moon, client: world.client(server, retries: 1))

        #expect(server.requests.map(\.rangeStart) == [nil, 70_000, 140_000, 210_000, 280_000])
        try expectWhole(entry)
    }

    @Test func attemptsThatReceiveFewBytesUseUpTheRetries() throws {
        let server = FakeServer { [whole] request, _ in Self.honest(request, whole, breaksAfter: 10) }

        #expect(throws: FetchFailure.self) {
            try world.cache().fetch(moon, client: world.client(server, retries: 3))
        }

        #expect(server.requests.map(\.rangeStart) == [nil, 10, 20, 30])
    }

    @Test func changedVersionRestartsTheDownload() throws {
        let other = picture(2, bytes: 300_000)
        let server = FakeServer { [whole] request, number in
            number == 0
                ? Self.honest(request, whole, breaksAfter: 100_000)
                : Self.honest(request, other, validator: ("ETag", "\"2\""))
        }

        let (entry, _) = try world.cache().fetch(moon, client: world.client(server, retries: 1))

        #expect(server.requests.map(\.rangeStart) == [nil, 100_000])
        try expectWhole(entry, other)
        #expect(entry.validators.etag == "\"2\"")
    }

    @Test(arguments: [
        ("another ETag", ["ETag": "\"2\"", "Content-Range": "bytes 100000-299999/300000"]),
        ("no ETag", ["Content-Range": "bytes 100000-299999/300000"]),
        ("another beginning", ["ETag": "\"1\"", "Content-Range": "bytes 0-199999/300000"]),
        ("another length", ["ETag": "\"1\"", "Content-Range": "bytes 100000-299999/300001"]),
        ("no range", ["ETag": "\"1\""]),
        ("a range that cannot be", ["ETag": "\"1\"", "Content-Range": "bytes 100000-99999/300000"]),
        ("several parts", ["ETag": "\"1\"", "Content-Type": "multipart/byteranges; boundary=x"]),
    ])
    func answerWithTheWrongRangeIsNeverJoined(_ what: String, _ headers: [String: String]) throws {
        let lie = picture(9, bytes: 200_000)
        let server = FakeServer { [whole] request, number in
            if request.rangeStart != nil { return .init(status: 206, headers: headers.map { ($0, $1) }, body: lie) }
            return Self.honest(request, whole, breaksAfter: number == 0 ? 100_000 : nil)
        }

        // The third request belongs to the same attempt as the second, so one retry is enough.
        let (entry, _) = try world.cache().fetch(moon, client: world.client(server, retries: 1))

        #expect(server.requests.map(\.rangeStart) == [nil, 100_000, nil], "\(what)")
        try expectWhole(entry)
    }

    @Test func refusedRangeRestartsTheDownload() throws {
        let server = FakeServer { [whole] request, number in
            if request.rangeStart != nil { return .init(status: 416) }
            return Self.honest(request, whole, breaksAfter: number == 0 ? 100_000 : nil)
        }

        try expectWhole(try world.cache().fetch(moon, client: world.client(server, retries: 1)).entry)

        #expect(server.requests.map(\.rangeStart) == [nil, 100_000, nil])
    }

    @Test func shorterRangeThanRequestedIsContinued() throws {
        let server = FakeServer { [whole] request, number in
            var answer = Self.honest(request, whole, breaksAfter: number == 0 ? 100_000 : nil)
            if number == 1 {
                // The server sends fewer bytes than requested, as RFC 9110 §14.2 allows.
                answer.headers = [("ETag", "\"1\""), ("Content-Range", "bytes 100000-199999/300000")]
                answer.body = Array(answer.body[..<100_000])
            }
            return answer
        }

        try expectWhole(try world.cache().fetch(moon, client: world.client(server, retries: 1)).entry)

        #expect(server.requests.map(\.rangeStart) == [nil, 100_000, 200_000])
    }

    @Test func resumedFileThatFailsInspectionIsFetchedAgain() throws {
        // The server sends garbage for the rest of the file, so the PNG has no end marker.
        let whole = png
        let server = FakeServer { request, number in
            if let start = request.rangeStart {
                return .init(
                    status: 206,
                    headers: [
                        ("ETag", "\"1\""), ("Content-Range", "bytes \(start)-\(whole.count - 1)/\(whole.count)"),
                    ],
                    body: [UInt8](repeating: 7, count: whole.count - start))
            }
            return Self.honest(request, whole, breaksAfter: number == 0 ? 40 : nil)
        }

        try expectWhole(try world.cache().fetch(moon, client: world.client(server, retries: 1)).entry, whole)

        #expect(server.requests.map(\.rangeStart) == [nil, 40, nil])
    }

    /// A transient failure of the inspection is handled like a permanent failure.
    @Test func resumedFileThatFailsInspectionTransientlyIsFetchedAgain() throws {
        struct Unfit: Failure {
            var code: String { "unfit" }
            var message: String { "it does not end as it should" }
            var exitCode: ExitCode { .temporary }
        }
        let server = FakeServer { [whole] request, number in
            let answer = Self.honest(request, whole, breaksAfter: number == 0 ? 100_000 : nil)
            return request.rangeStart == nil
                ? answer : .init(status: 206, headers: answer.headers, body: [UInt8](repeating: 7, count: 200_000))
        }
        let inspect: Inspection = { [whole] source in
            guard try source.bytes(0..<source.count) == whole else { throw Unfit() }
            return FileFacts(format: .gif, upright: PixelSize(width: 1, height: 1))
        }

        let client = world.client(server, retries: 1)
        try expectWhole(try world.cache().fetch(moon, client: client, inspect: inspect).entry)

        #expect(server.requests.map(\.rangeStart) == [nil, 100_000, nil])
    }

    @Test func strongLastModifiedIsUsedWithoutAnETag() throws {
        let changed = "Tue, 14 Nov 2023 00:00:00 GMT"
        let server = FakeServer { [whole] request, number in
            Self.honest(
                request, whole, validator: ("Last-Modified", changed), date: "Tue, 14 Nov 2023 00:00:01 GMT",
                breaksAfter: number == 0 ? 100_000 : nil)
        }

        let (entry, _) = try world.cache().fetch(moon, client: world.client(server, retries: 1))

        #expect(server.requests.map { $0.header("If-Range") } == [nil, changed])
        try expectWhole(entry)
        #expect(entry.validators == Validators(lastModified: changed))
    }

    @Test(
        arguments: [
            (Validators(etag: "\"1\""), nil, "\"1\""), (Validators(etag: "W/\"1\""), nil, nil),
            (Validators(etag: "1"), nil, nil), (Validators(etag: "\""), nil, nil),
            (Validators(), "Tue, 14 Nov 2023 00:00:01 GMT", nil),
            (Validators(lastModified: "Tue, 14 Nov 2023 00:00:00 GMT"), nil, nil),
            (Validators(lastModified: "Tue, 14 Nov 2023 00:00:00 GMT"), "Tue, 14 Nov 2023 00:00:00 GMT", nil),
            (
                Validators(lastModified: "Tue, 14 Nov 2023 00:00:00 GMT"), "Tue, 14 Nov 2023 00:00:01 GMT",
                "Tue, 14 Nov 2023 00:00:00 GMT"
            ),
            // Last-Modified does not replace a weak ETag.
            (
                Validators(etag: "W/\"1\"", lastModified: "Tue, 14 Nov 2023 00:00:00 GMT"),
                "Wed, 15 Nov 2023 00:00:01 GMT",
                nil
            ),
            (Validators(lastModified: "yesterday"), "Tue, 14 Nov 2023 00:00:01 GMT", nil),
        ] as [(Validators, String?, String?)])
    func onlyStrongValidatorsAllowARange(_ validators: Validators, _ date: String?, _ expected: String?) {
        #expect(validators.strong(date: date) == expected)
    }

    /// A killed process leaves a partial file of any length, with a note that describes the download.
    @Test(arguments: [1, 4095, 65_536, 299_999, 300_000])
    func partialFileOfAKilledProcessIsResumed(_ count: Int) throws {
        let cache = try world.cache()
        try leave(Array(whole[..<count]), in: cache)
        let server = FakeServer { [whole] request, _ in Self.honest(request, whole) }

        let (entry, _) = try cache.fetch(moon, client: world.client(server))

        // If the partial file is complete, only its last byte is requested again.
        #expect(server.requests.map(\.rangeStart) == [min(count, 299_999)])
        try expectWhole(entry)
    }

    @Test func partialFileOfANewerVersionIsResumedDespiteAnOlderEntry() throws {
        let cache = try world.cache { $0.ttl = .seconds(100) }
        let old = FakeServer(picture(5), etag: "\"0\"")
        _ = try cache.fetch(moon, client: world.client(old))
        world.time.advance(.seconds(100))
        try leave(Array(whole[..<1000]), in: cache)
        let server = FakeServer { [whole] request, _ in Self.honest(request, whole) }

        let (entry, status) = try cache.fetch(moon, client: world.client(server))

        #expect(status == .miss)
        #expect(server.requests.map(\.rangeStart) == [1000])
        #expect(server.requests[0].header("If-None-Match") == nil)
        try expectWhole(entry)
    }

    @Test func partialFileOfAnotherBootOrAddressIsNotUsed() throws {
        let cache = try world.cache()
        let server = FakeServer { [whole] request, _ in Self.honest(request, whole) }
        try leave(Array(whole[..<1000]), in: cache) { $0.boot += 1 }
        _ = try cache.fetch(moon, client: world.client(server))
        try cache.remove(CacheKey(url: moon.url))
        try leave(Array(whole[..<1000]), in: cache) { $0.address = "another" }
        _ = try cache.fetch(moon, client: world.client(server))

        #expect(server.requests.map(\.rangeStart) == [nil, nil])
    }

    /// The note must precede the bytes, because the process may be killed at any time.
    @Test func noteIsWrittenBeforeTheFirstBytes() throws {
        let partials = Monitor([String]())
        let server = FakeServer { [whole] request, _ in Self.honest(request, whole) }
        let world = world
        let look = try Thread.start {
            server.waitUntilHolding()
            partials.withLock { $0 = world.files("partial") }
            server.release()
        }
        server.hold()

        let (entry, _) = try world.cache().fetch(moon, client: world.client(server))

        look.join()
        #expect(partials.withLock { $0.filter { $0.hasSuffix(".note") }.count } == 1)
        try expectWhole(entry)
    }

    /// Joining parts of two versions would produce an invalid picture.
    @Test func rangeIsJoinedOnlyIfItsValidatorsMatch() throws {
        let date = "Sun, 06 Nov 1994 08:49:37 GMT"
        func isContinued(_ validator: String, by fields: KeyValuePairs<String, String>) throws -> Bool {
            let note = PartialFile.Note(address: "a", validator: validator, total: 10, boot: 7)
            var headers = HTTPHeaders(fields)
            headers.append(name: "Content-Range", value: "bytes 4-9/10")
            return note.isContinued(by: HTTPResponse(status: 206, headers: headers, url: moon.url), from: 4)
        }
        #expect(try isContinued(date, by: ["Last-Modified": date]))
        #expect(try !isContinued(date, by: ["Last-Modified": "Sun, 06 Nov 1994 08:49:38 GMT"]))
        #expect(try !isContinued(date, by: [:]))
        #expect(try !isContinued(date, by: ["Last-Modified": date, "ETag": "\"1\""]))
        #expect(try isContinued("\"1\"", by: ["ETag": "\"1\"", "Last-Modified": date]))
        #expect(try !isContinued("\"1\"", by: ["ETag": "\"2\""]))
        #expect(try !isContinued("\"1\"", by: [:]))
    }

    /// Leaves a partial download of `moon`, as a killed process would.
    private func leave(
        _ bytes: [UInt8], in cache: CacheStore, _ change: (inout PartialFile.Note) -> Void = { _ in }
    ) throws {
        let name = CacheKey(url: moon.url).name
        let partial = PartialFile(
            name: CacheRoot.partial(name, in: cache.scope, generation: 0), root: cache.index.root)
        let file = try partial.open()
        try partial.restart()
        var note = PartialFile.Note(
            address: Download.address(of: moon), validator: "\"1\"", total: whole.count,
            boot: try cache.index.root.boot)
        change(&note)
        try partial.write(note)
        try file.write(bytes)
    }
}
