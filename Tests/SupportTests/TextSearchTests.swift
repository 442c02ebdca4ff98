import Testing

@testable import Support

struct TextSearchTests {
    @Test(arguments: [
        ("", true), ("a", true), ("bc", true), ("abc", true), ("cb", false), ("abcd", false), ("é", false),
    ])
    func textIsFoundAtAnyPosition(_ text: String, _ isThere: Bool) {
        #expect("abc".contains(text: text) == isThere)
    }

    @Test func textBeforeASeparatorIsFound() {
        #expect("https://a".prefix(before: "://") == "https")
        #expect("://".prefix(before: "://") == "")
        #expect("a:b".prefix(before: "://") == nil)
    }

    @Test func occurrencesAreReplacedFromTheLeft() {
        #expect("aaa".replacing(text: "aa", with: "b") == "ba")
        #expect("key=s3cret&x=s3cret".replacing(text: "s3cret", with: "***") == "key=***&x=***")
        #expect("é".replacing(text: "e", with: "x") == "é")
        #expect("abc".replacing(text: "", with: "x") == "abc")
        #expect("abc".replacing(text: "abc", with: "") == "")
    }
}
