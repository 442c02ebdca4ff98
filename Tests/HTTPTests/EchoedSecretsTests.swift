import Support
import Testing

@testable import HTTP

@Suite struct EchoedSecretsTests {
    private func shown(_ body: String, _ request: HTTPRequest) -> String {
        String(decoding: EchoedSecrets(of: request).removed(from: Array(body.utf8)), as: UTF8.self)
    }

    @Test func secretsSentWithTheRequestAreRedacted() throws {
        let request = HTTPRequest(
            url: try WebURL("http://user:pass%2Fword@a.example/"),
            headers: [
                HTTPHeader("X-Key", "k1/2"), HTTPHeader("Accept", "text/plain", survivesCrossOriginRedirect: true),
            ])
        // `user:pass/word` in Base64.
        let basic = "dXNlcjpwYXNzL3dvcmQ="
        #expect(Base64.encoded("user:pass/word".utf8) == basic)
        #expect(shown("Basic \(basic), pass/word, k1/2k1/2", request) == "Basic …, …, ……")
        #expect(shown(#"{"sent":"k1\/2 pass\/word"}"#, request) == #"{"sent":"… …"}"#)
        #expect(shown("text/plain for user, k1", request) == "text/plain for user, k1")
    }

    @Test func tokenIsRedactedWithAndWithoutItsScheme() throws {
        let request = HTTPRequest(
            url: try WebURL("http://a.example/"), headers: [HTTPHeader("Authorization", "Bearer abc123")])
        #expect(shown("not Bearer abc123, nor abc123", request) == "not …, nor …")
        #expect(shown("", request) == "")
    }

    @Test func refusalContainsNoSecret() throws {
        let transport = ScriptedTransport { _, _ in
            var answer = ScriptedTransport.Answer.status(403)
            answer.body = [Array("no such key: s3cret".utf8)]
            return answer
        }
        let client = HTTPClient(transport: transport, interruption: Interruption())
        let request = HTTPRequest(url: try WebURL("https://a.example/"), headers: [HTTPHeader("X-Key", "s3cret")])
        do {
            _ = try client.data(request)
            Issue.record("the request was accepted")
        } catch let failure as FetchFailure {
            #expect(failure.answer.map { String(decoding: $0.body, as: UTF8.self) } == "no such key: …")
        }
    }
}
