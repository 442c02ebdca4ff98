import Support
import Testing

@testable import HTTP

@Suite struct CacheControlTests {
    @Test func directivesAreCaseInsensitiveAndUnknownDirectivesAreIgnored() {
        let control = CacheControl("Public, NO-STORE ,immutable, x=\"a, no-cache\", Max-Age = 60,stale-if-error=1")
        #expect(control.noStore && !control.noCache && !control.mustRevalidate)
        #expect(control.maxAge == 60)
        #expect(control.isImmutable && control.staleIfError == 1 && control.staleWhileRevalidate == nil)
    }

    @Test func quotedValuesAreParsedWithTheirCommas() {
        #expect(CacheControl("max-age=\"60\"").maxAge == 60)
        #expect(CacheControl("no-cache=\"Set-Cookie, no-store\"").noCache)
        #expect(!CacheControl("no-cache=\"Set-Cookie, no-store\"").noStore)
        #expect(!CacheControl("x=\"a\\\", no-store\"").noStore)
        #expect(!CacheControl("x=\"never closed, no-store").noStore)
    }

    @Test func mostRestrictiveDuplicateDirectiveWins() {
        #expect(CacheControl("max-age=60, max-age=10, max-age=30").maxAge == 10)
        #expect(
            CacheControl(
                HTTPHeaders([
                    .init(name: "cache-control", value: "max-age=9"), .init(name: "Cache-Control", value: "no-store"),
                ])
            ).noStore)
    }

    @Test func shortestDuplicateStaleWindowWins() {
        let control = CacheControl(
            "stale-if-error=9, stale-while-revalidate=7, stale-if-error=8, stale-while-revalidate=x")
        #expect(control.staleIfError == 8 && control.staleWhileRevalidate == 0)
    }

    @Test(arguments: ["", "abc", "-1", "1.5", "\"\"", "0x10"])
    func invalidTimeIsTreatedAsZero(_ value: String) {
        #expect(CacheControl("max-age=\(value)").maxAge == 0)
    }

    @Test func overflowingTimeIsLimited() {
        #expect(CacheControl("max-age=99999999999999999999").maxAge == Int(Int32.max))
    }

    @Test(
        arguments: [
            (["Cache-Control": "max-age=100"], 100), (["Cache-Control": "max-age=100", "Age": "40"], 60),
            (["Cache-Control": "max-age=100", "Age": "400"], -300), (["Cache-Control": "s-maxage=50"], nil),
            (["Expires": "Thu, 01 Jan 1970 00:10:00 GMT", "Cache-Control": "s-maxage=50"], 100),
            (["Cache-Control": "immutable, stale-while-revalidate=5, stale-if-error=5"], nil),
            (["Cache-Control": "s-maxage=50, max-age=70"], 70),
            (["Expires": "Thu, 01 Jan 1970 00:10:00 GMT", "Date": "Thu, 01 Jan 1970 00:00:00 GMT"], 600),
            (["Expires": "Thu, 01 Jan 1970 00:10:00 GMT"], 100), (["Expires": "0"], 0),
            (["Expires": "Thu, 01 Jan 1970 00:00:00 GMT"], -500), (["Expires": "0", "Age": "7"], -7),
            (["Expires": "Thu, 01 Jan 1970 00:00:00 GMT", "Cache-Control": "max-age=5"], 5), (["Age": "5"], nil),
            (["Cache-Control": "max-age=9000", "Age": "7200, 0"], 1800),
            (["Cache-Control": "max-age=9000", "Age": "0, 7200"], 9000),
            (["Cache-Control": "max-age=9000", "Age": "-7200"], 9000),
            (["Expires": "Thu, 01 Jan 1970 00:10:00 GMT, Thu, 01 Jan 1970 00:10:00 GMT"], 0),
            (["Expires": "Thu,  01 Jan 1970 00:10:00 GMT"], 0), (["Expires": "Thu 01 Jan 1970 00:10:00 GMT"], 0),
            (["Cache-Control": "public"], nil),
        ] as [([String: String], Int?)])
    func freshnessIsTheLifetimeMinusTheAge(_ fields: [String: String], _ expected: Int?) {
        let headers = HTTPHeaders(fields.map { HTTPHeaders.Field(name: $0, value: $1) })
        let now = Timestamp(milliseconds: 500_000)
        #expect(headers.freshness(now: now) == expected.map { .seconds($0) })
    }

    /// An earlier version used the second `Age` field.
    @Test func firstAgeFieldWins() {
        let headers = HTTPHeaders(["Cache-Control": "max-age=3600", "Age": "7200", "age": "0"])
        #expect(headers.freshness(now: Timestamp(milliseconds: 0)) == .seconds(-3600))
    }

    @Test func mustUnderstandOverridesNoStore() {
        let control = CacheControl("must-understand, no-store, max-age=60")
        #expect(control.mustUnderstand && !control.noStore && control.maxAge == 60)
    }
}
