import Support
import Testing

@testable import HTTP

@Suite struct VaryTests {
    private func vary(_ value: String, _ fields: [String: String] = [:]) -> Vary? {
        Vary(of: HTTPHeaders(["Vary": value]), fields: fields)
    }

    @Test(arguments: ["", " , ", "Accept-Encoding", "accept-encoding,ACCEPT-ENCODING"])
    func varyThatNamesNoFieldExceptAcceptEncodingIsNil(_ value: String) {
        #expect(vary(value) == nil)
        #expect(Vary(of: HTTPHeaders(), fields: ["foo": "1"]) == nil)
    }

    @Test func namedFieldsMustBeEqual() throws {
        let known = try #require(vary("Foo, bar", ["foo": "1", "other": "x"]))
        #expect(known.matches(["foo": "1"]) == true)
        #expect(known.matches(["foo": "1", "other": "y"]) == true)
        #expect(known.matches(["foo": "2"]) == false)
        #expect(known.matches([:]) == false)
        #expect(known.matches(["foo": "1", "bar": ""]) == false)
        #expect(known.renewed(by: ["foo": "2"]).matches(["foo": "2"]) == true)
    }

    private static let tooManyNames = (0..<200).map { "field-\($0)" }.joined(separator: ",")

    @Test(arguments: ["*", "*, *", ", *", "Foo, *", "*, Foo", tooManyNames])
    func starOrTooManyNamesMatchNoRequest(_ value: String) throws {
        let known = try #require(vary(value, ["foo": "1"]))
        #expect(known.text == "*")
        #expect(known.matches(["foo": "1"]) == nil)
        #expect(known.renewed(by: ["foo": "1"]) == known)
    }

    @Test func repeatedFieldsAreJoined() throws {
        let headers = HTTPHeaders(["Vary": "Foo", "VARY": "*"])
        #expect(try #require(Vary(of: headers, fields: [:])).text == "*")
    }

    @Test func textSurvivesARoundTripAndContainsNoValue() throws {
        let known = try #require(vary("Cookie, Authorization", ["cookie": "word", "authorization": "Bearer word"]))
        #expect(Vary(text: known.text) == known)
        #expect(known.text.hasPrefix("authorization,cookie ") && !known.text.contains("word"))
        #expect(Vary(text: "").text == "*" && Vary(text: "a b c").matches([:]) == nil)
    }

    @Test func equivalentRequestFieldsAreEqual() throws {
        let url = try WebURL("https://e.org/")
        let one = HTTPRequest(url: url, headers: [HTTPHeader("Foo", "1, 2")])
        let two = HTTPRequest(url: url, headers: [HTTPHeader("foo", " 1 "), HTTPHeader("FOO", "2 ")])
        #expect(one.userFields == two.userFields)
        #expect(one.userFields == ["foo": "1,2"])
        let languages = HTTPRequest(url: url, headers: [HTTPHeader("Accept-Language", "eN, De")])
        #expect(languages.userFields == ["accept-language": "en,de"])
    }

    @Test func passwordsAreComparedAsAuthorization() throws {
        let alice = HTTPRequest(url: try WebURL("https://alice:a@e.org/"))
        let bob = HTTPRequest(url: try WebURL("https://bob:b@e.org/"))
        let known = try #require(vary("Authorization", alice.userFields))
        #expect(known.matches(alice.userFields) == true)
        #expect(known.matches(bob.userFields) == false)
    }

    @Test(
        arguments: [
            ("no-cache", .zero), ("max-age=0", .zero), ("Max-Age=600", .seconds(600)), ("no-store", nil),
            ("max-stale=5", nil),
        ] as [(String, Duration?)])
    func requestLimitsTheAgeOfACachedAnswer(_ value: String, _ expected: Duration?) throws {
        let request = HTTPRequest(url: try WebURL("https://e.org/"), headers: [HTTPHeader("cache-control", value)])
        #expect(request.acceptedMaxAge == expected)
    }
}
