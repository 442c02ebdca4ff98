import HTTP
import Support
import TestSupport
import Testing

@testable import GIFs

@Suite struct ExerciseServiceTests {
    private let gif = try? ExerciseGIF(id: ExerciseID("0001"))

    @Test func requestHasTheUnchangedIDAndTheKeyOnlyInAHeader() throws {
        let service = try ExerciseService(key: " secret-key\n")
        let request = try service.imageRequest(for: #require(gif))
        #expect(
            request.url.description == "https://exercisedb.p.rapidapi.com/image?exerciseId=0001&resolution=180")
        let key = try #require(request.headers.first { $0.name == "X-RapidAPI-Key" })
        #expect(key.value == "secret-key")
        #expect(!key.survivesCrossOriginRedirect)
        #expect(request.headers.first { $0.name == "X-RapidAPI-Host" }?.value == "exercisedb.p.rapidapi.com")
        #expect("\(service)" == "ExerciseDB at https://exercisedb.p.rapidapi.com")
        var dumped = ""
        dump(service, to: &dumped)
        #expect(!dumped.contains("secret"))
    }

    @Test func addressMayHaveAPathAndAPort() throws {
        let service = try ExerciseService(address: "http://127.0.0.1:8080/db/")
        let request = try service.imageRequest(for: #require(gif))
        #expect(request.url.description == "http://127.0.0.1:8080/db/image?exerciseId=0001&resolution=180")
        #expect(!request.headers.contains { $0.name == "X-RapidAPI-Key" })
        #expect(!service.hasKey)
    }

    @Test(arguments: ["https://example.org", "HTTP://Example.org:80/%7edb/../a%2Fc/", "http://[::1]:8080"])
    func policiesMatchTheRequestedAddress(_ address: String) throws {
        let service = try ExerciseService(address: address)
        let gif = try #require(gif)
        #expect(try service.address(of: gif) == service.imageRequest(for: gif).url.normalized)
    }

    @Test func emptyKeyIsIgnored() throws {
        let service = try ExerciseService(key: " \n")
        #expect(service.address == ExerciseService.standardAddress)
        #expect(!service.hasKey)
    }

    private static let badKey =
        "the key for ExerciseDB contains blanks or other invalid characters; check EXERCISEDB_API_KEY or "
        + "EXERCISEDB_API_KEY_FILE"

    @Test(arguments: [
        (
            "exercisedb", nil,
            "EXERCISEDB_API_URL: \"exercisedb\" is not an absolute URL; write it in full, beginning with https://"
        ),
        (
            "ftp://example.org", nil,
            "EXERCISEDB_API_URL: \"ftp://example.org\" has an unsupported scheme; use http or https"
        ),
        (
            "https://example.org/?rapidapi-key=s3cret", nil,
            "EXERCISEDB_API_URL has a query or fragment; use only the part before the ? or #"
        ),
        (ExerciseService.standardAddress, "s3c\nret", badKey), (ExerciseService.standardAddress, "s3c ret", badKey),
    ])
    func invalidSettingsAreConfigurationFailures(_ address: String, _ key: String?, _ words: String) throws {
        #expect(summary { _ = try ExerciseService(address: address, key: key) } == "78 configuration: \(words)")
    }

    @Test(arguments: [
        (
            401, #"{"message": "Invalid API key. Go to https://docs.rapidapi.com/docs/keys for more info."}"#, true,
            "api-key-invalid", ExitCode.notAllowed
        ),
        (
            401, #"{"message": "Invalid API key. Go to https://docs.rapidapi.com/docs/keys for more info."}"#, false,
            "api-key-missing", .notAllowed
        ),
        (403, #"{"message": "You are not subscribed to this API."}"#, true, "not-subscribed", .notAllowed),
        (403, "<html>Forbidden</html>", true, "forbidden", .notAllowed),
        (404, "", true, "unknown-exercise", .unavailable),
        (404, #"{"message": "Endpoint '/image' does not exist"}"#, true, "not-found", .unavailable),
        (422, "{}", true, "unknown-exercise", .unavailable),
        (
            429, #"{"message": "You have exceeded the MONTHLY quota for Requests on your current plan, BASIC."}"#, true,
            "quota-exceeded", .temporary
        ),
        (
            429, #"{"message": "You have exceeded the DAILY quota for Requests on your current plan, BASIC."}"#, true,
            "quota-exceeded", .temporary
        ),
        (429, #"{"message": "Too many requests"}"#, true, "rate-limited", .temporary),
        (500, "", true, "server-error", .temporary),
    ])
    func statusAndBodyDetermineRefusals(status: Int, body: String, hasKey: Bool, code: String, exit: ExitCode) throws {
        let service = try ExerciseService(key: hasKey ? "k" : nil)
        let answer = FetchFailure.Answer(
            status: status, headers: HTTPHeaders(), url: try WebURL(ExerciseService.standardAddress),
            body: Array(body.utf8))
        let failed = failure(of: service.failure(of: FetchFailure.status(answer), for: gif))
        #expect(failed.code == code)
        #expect(failed.exitCode == exit)
        #expect(failed.isTransient == (exit == .temporary))
    }

    @Test(
        .enabled(if: Corpus.isPresent),
        arguments: [
            ("error-401-invalid-key", 401, "api-key-invalid"), ("error-403-not-subscribed", 403, "not-subscribed"),
            ("error-429-monthly-quota", 429, "quota-exceeded"), ("error-429-too-many-requests", 429, "rate-limited"),
        ])
    func recordedRefusalsHaveTheExpectedCodes(file: String, status: Int, code: String) throws {
        let answer = FetchFailure.Answer(
            status: status, headers: HTTPHeaders(), url: try WebURL(ExerciseService.standardAddress),
            body: try Corpus.bytes("api/exercisedb/\(file).json"))
        let service = try ExerciseService(key: "k")
        #expect(failure(of: service.failure(of: FetchFailure.status(answer), for: gif)).code == code)
    }

    @Test(arguments: [401, 403, 404]) func refusalsOfAnotherOriginDoNotConcernTheKey(_ status: Int) throws {
        let answer = FetchFailure.Answer(
            status: status, headers: HTTPHeaders(), url: try WebURL("https://cdn.test/1.gif"))
        let failed = try ExerciseService(key: "k").failure(of: FetchFailure.status(answer), for: gif)
        #expect(failed is FetchFailure)
    }

    @Test(arguments: [
        ("https://db.test/media/1.gif", true, "https://db.test/media/1.gif"),
        ("../../media/1.gif", true, "https://db.test/media/1.gif"),
        ("https://cdn.test/1.gif", false, "https://cdn.test/1.gif"),
        ("//cdn.test/1.gif", false, "https://cdn.test/1.gif"),
        ("https://db.test:8443/1.gif", false, "https://db.test:8443/1.gif"),
        ("http://db.test/1.gif", false, "http://db.test/1.gif"),
        ("https://db.test.evil.test/1.gif", false, "https://db.test.evil.test/1.gif"),
    ])
    func onlyTheOriginOfTheServiceGetsTheKey(_ gifURL: String, hasKey: Bool, url: String) throws {
        let service = try ExerciseService(address: "https://db.test/api/v1", key: "s3cret")
        let request = try service.imageRequest(for: #require(gif), at: gifURL)
        #expect(request.url.description == url)
        #expect(request.headers.contains { $0.value == "s3cret" } == hasKey)
        #expect(request.headers.allSatisfy(\.survivesCrossOriginRedirect) == !hasKey)
    }

    @Test(arguments: [
        (ExerciseService.standardAddress, nil, false), ("https://Other.P.RapidAPI.com./x", nil, false),
        (ExerciseService.standardAddress, "k", true), ("http://localhost:3000/api/v1", nil, true),
        ("https://notrapidapi.com", nil, true),
    ])
    func rapidAPIRequiresAKey(_ address: String, _ key: String?, isAsked: Bool) throws {
        let service = try ExerciseService(address: address, key: key)
        let words = """
            78 configuration: no ExerciseDB service is set; host its open version and set EXERCISEDB_API_URL \
            (http://HOST:PORT/api/v1), or set EXERCISEDB_API_KEY to a RapidAPI key, if its terms allow your use \
            (gif-cache(1), SERVICES)
            """
        #expect(summary { try service.requireChoice() } == (isAsked ? nil : words))
    }

    @Test func cancellationAndTimeoutAreNotTranslated() throws {
        let service = try ExerciseService()
        let gif = try #require(gif)
        #expect(service.failure(of: Cancelled(), for: gif) is Cancelled)
        let timeout = FetchFailure.timedOut(url: try WebURL("https://a.b/"), .waiting)
        #expect(failure(of: service.failure(of: timeout, for: gif)).code == "timed-out")
    }
}
