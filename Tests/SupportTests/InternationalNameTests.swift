import CIDN
import Testing

@testable import Support

/// libidn2 is an optional library. Without it, these tests are skipped.
@Suite(.enabled(if: cidn_load() == nil)) struct InternationalNameTests {
    @Test(arguments: [
        ("Example.ORG", "example.org"), ("r3---sn-a.example", "r3---sn-a.example"), ("a_b.example.", "a_b.example."),
        ("bücher.example", "xn--bcher-kva.example"), ("BÜCHER.Example", "xn--bcher-kva.example"),
        // Composition, width, ignorable characters and compatibility forms make no difference.
        ("bu\u{308}cher.example", "xn--bcher-kva.example"), ("ｂüｃｈｅｒ．ｅｘａｍｐｌｅ", "xn--bcher-kva.example"),
        ("bü\u{AD}ch\u{200B}er.example", "xn--bcher-kva.example"), ("ﬁn.example", "fin.example"),
        ("XN--BCHER-KVA.example", "xn--bcher-kva.example"), ("ｘｎ－－ｂｃｈｅｒ－ｋｖａ", "xn--bcher-kva"),
        ("１２７。０｡０．１", "127.0.0.1"), ("①②⑦.1", "127.1"),
        // Nontransitional mapping keeps these letters.
        ("faß.example", "xn--fa-hia.example"), ("βόλος.example", "xn--nxasmm1c.example"),
        // Joiners that the rules of their scripts allow (RFC 5892 A.1, A.2).
        ("نامه\u{200C}ای.example", "xn--mgba3gch31f060k.example"), ("ශ්\u{200D}රී.example", "xn--10cl1a0b660p.example"),
        // Symbols, which IDNA 2008 does not allow.
        ("☃.example", "xn--n3h.example"), ("i❤\u{FE0F}.example", "xn--i-7iq.example"),
        ("xn--i-7iq.example", "xn--i-7iq.example"), ("💩.bücher.example", "xn--ls8h.xn--bcher-kva.example"),
        ("שלום.example", "xn--9dbne9b.example"), ("例え。テスト", "xn--r8jz45g.xn--zckzah"),
        // UTS #46 is not applied to ASCII labels.
        ("r3---sn.bücher.example", "r3---sn.xn--bcher-kva.example"), ("-.bücher", "-.xn--bcher-kva"),
        // Hyphens are allowed anywhere.
        ("-ü.example", "xn----eha.example"), ("Ü－.example", "xn----dha.example"), ("aü--b", "xn--a--b-0ra"),
        ("ab--ü", "xn--ab---3ra"),
        ("-☃-", "xn-----fsx"), ("_aü﹣", "xn--_a--ioa"), ("ﬁ-", "fi-"), ("ｘn----eha", "xn----eha"),
        // Left-to-right beside right-to-left labels (RFC 5893 §2).
        ("a1.שלום.éa\u{308}1", "a1.xn--9dbne9b.xn--1-zfao"), ("שלום.例え.", "xn--9dbne9b.xn--r8jz45g."),
    ])
    func namesAreMappedByUTS46(_ name: String, _ mapped: String) throws {
        #expect(try InternationalName.ascii(name) == mapped)
        #expect(try InternationalName.ascii(mapped) == mapped)
    }

    @Test(arguments: [
        // A combining mark at the start of a label, after any full stop.
        "a.\u{308}b", "a。\u{308}b", "a．\u{308}b", "a｡\u{308}b", "a.\u{AD}\u{308}b", "\u{308}a",
        // Joiners in other places.
        "a\u{200D}b", "نامه\u{200C}", "👩\u{200D}🚀", "xn--ab-m1t",
        // Symbols with characters that only nontransitional mapping checks.
        "❤ß", "❤ς", "ש❤ש", "xn--ueba628w", "1שלום",
        // Labels that begin with a digit, or end with a hyphen, in names with right-to-left letters (RFC 5893 §2).
        "שלום.1a", "1.שלום", "שלום.a-", "a_.שלום.example", "xn--9dbne9b.1a.example",
        "שלום.1ü", "☃a.שלום", "שלום.é-", "שלום.-é", "-שלום", "שלום-", "xn----9hcuf1d",
        // Invalid Punycode, and Punycode of labels that mapping would change.
        "xn--a", "xn--", "xn--abc-", "xn--999999999", "xn--bucher-xyd", "xn--u-ccb830z", "xn--n-sy8h", "xn--ß", "ｘn--ü",
        "xn--xn---3ra", "xn---abc-",
        "ü\u{E000}", "ü\u{FFFD}", "ü\u{2028}", "⒈ü", "ü/a", "ü%2e", "ü\u{0}", "ü b", "ü＜", "ü：80", "ü＠b", "ü／b", "ü＃b",
    ])
    func invalidNamesAreRefused(_ name: String) throws {
        #expect(try InternationalName.ascii(name).map { $0.utf8.allSatisfy(PercentEncoding.isUnreserved) } != true)
    }

    @Test func longLabelsAreRefusedAfterMapping() throws {
        #expect(try InternationalName.ascii(String(repeating: "ü", count: 16_000)) == nil)
        #expect(try InternationalName.ascii(String(repeating: "\u{AD}", count: 8000)) == "")
        let label = String(repeating: "a", count: 62)
        #expect(try InternationalName.ascii(label + "ü") == nil)
    }

    @Test(arguments: [
        ("https://example.org/ä%C3%BCxn--", false), ("https://bücher.example/a", true),
        ("https://b%C3%BCcher.example/a", true), ("https://xn--bcher-kva.example", true),
        ("https:\\\\a.XN--BCHER-KVA\\a", true), ("https://a-b.example?ü", false), ("bücher.jpg", false),
        ("key:ü", false),
    ])
    func onlyNonASCIIHostsNeedTheLibrary(_ address: String, _ mayBe: Bool) {
        #expect(InternationalName.mayBeHost(of: address) == mayBe)
    }

    @Test func unmappableNameIsComparedInLowerCase() {
        #expect(InternationalName.comparable("BÜCHER.example") == "xn--bcher-kva.example")
        #expect(InternationalName.comparable("A\u{200D}B") == "a\u{200D}b")
    }
}
