import GIFs
import HTTP
import Support
import Testing

@Suite struct ExerciseTransportTests {
    /// Sends a request through a client that retries without waiting, and returns the result.
    private func ask(_ transport: CannedTransport) throws -> Result<[UInt8], any Error> {
        let client = HTTPClient(
            transport: ExerciseTransport(over: transport), interruption: Interruption(), sleep: { _ in })
        let service = try ExerciseService(key: "k")
        let gif = try ExerciseGIF(id: ExerciseID("0001"))
        do {
            return .success(try client.data(service.imageRequest(for: gif)).1)
        } catch {
            return .failure(service.failure(of: error, for: gif))
        }
    }

    private func code(_ result: Result<[UInt8], any Error>) -> String? {
        if case .failure(let error) = result { return failure(of: error).code }
        return nil
    }

    @Test func exhaustedQuotaIsNotRetried() throws {
        let transport = CannedTransport(429, [:], #"{"message": "You have exceeded the MONTHLY quota for Requests"}"#)
        #expect(code(try ask(transport)) == "quota-exceeded")
        #expect(transport.requests == 1)
    }

    @Test func tooManyRequestsAreRetried() throws {
        let transport = CannedTransport(429, [:], #"{"message": "Too many requests"}"#)
        #expect(code(try ask(transport)) == "rate-limited")
        #expect(transport.requests == 4)
    }

    @Test(arguments: [200, 404, 401, 503], ["text/plain", "image/gif", "application/json"])
    func gatewayErrorIsRetriedForAnyContentType(_ status: Int, _ type: String) throws {
        for words in ["no healthy upstream", "\nUpstream connect error or disconnect/reset before headers."] {
            let transport = CannedTransport(status, ["Content-Type": type], words)
            let result = try ask(transport)
            #expect(code(result) == "server-error")
            if case .failure(let error) = result { #expect(failure(of: error).isTransient) }
            #expect(transport.requests == 4)
        }
    }

    @Test func otherTextIsNotAGatewayError() throws {
        let transport = CannedTransport(200, ["Content-Type": "text/plain"], "healthy: no healthy upstream")
        #expect(code(try ask(transport)) == "not-a-gif")
        #expect(transport.requests == 1)
        #expect(code(try ask(CannedTransport(200, ["Content-Type": "text/plain"], ""))) == "not-a-gif")
    }

    @Test(arguments: ["application/json", "text/html; charset=utf-8", "image/png"])
    func otherContentTypeIsNotRetried(_ type: String) throws {
        let transport = CannedTransport(200, ["Content-Type": type], "GIF89a")
        #expect(code(try ask(transport)) == "not-a-gif")
        #expect(transport.requests == 1)
    }

    @Test(arguments: ["image/gif", "Image/GIF;x=y", "application/octet-stream"])
    func gifTypeIsAccepted(_ type: String) throws {
        #expect(try ask(CannedTransport(200, ["Content-Type": type], "GIF89a")).get() == Array("GIF89a".utf8))
    }

    @Test func missingTypeIsAccepted() throws {
        #expect(try ask(CannedTransport(200, [:], "GIF89a")).get() == Array("GIF89a".utf8))
    }

    /// The client must send further requests even if this response uses up the monthly quota.
    @Test func remainingQuotaIsRemovedFromTheAnswer() throws {
        let transport = CannedTransport(
            200,
            ["Content-Type": "image/gif", "X-RateLimit-Requests-Remaining": "0", "X-RateLimit-Requests-Limit": "9"],
            "GIF89a")
        let client = HTTPClient(
            transport: ExerciseTransport(over: transport), interruption: Interruption(), sleep: { _ in })
        let gif = try ExerciseGIF(id: ExerciseID("0001"))
        var heads: [HTTPResponse] = []
        let response = try client.get(ExerciseService(key: "k").imageRequest(for: gif)) { event in
            if case .head(let head) = event { heads.append(head) }
        }
        for head in heads + [response] { #expect(head.headers.fields.map(\.name) == ["Content-Type"]) }
        #expect(heads.count == 1)
    }
}
