import Formats
import Testing

@Suite struct XMPCopyTests {
    private func copy(_ text: String, isSRGB: Bool = true) -> String? {
        XMPPacket(Array(text.utf8)).ofCopy(isSRGB: isSRGB).map { String(decoding: $0.bytes, as: UTF8.self) }
    }

    /// The packet of a phone's picture with a gain map and a copyright notice.
    private let ultraHDR = """
        <?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?>
        <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
        <rdf:Description xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" hdrgm:Version="1.0"
         xmlns:Container="http://ns.google.com/photos/1.0/container/" xmlns:dc="http://purl.org/dc/elements/1.1/"
         tiff:Orientation="6" exif:PixelXDimension='4000' dc:format="image/jpeg">
        <Container:Directory><rdf:Seq><rdf:li rdf:parseType="Resource">
        <Container:Item Item:Semantic="GainMap" Item:Length="1234"/></rdf:li></rdf:Seq></Container:Directory>
        <dc:rights><rdf:Alt><rdf:li>A &gt; B</rdf:li></rdf:Alt></dc:rights>
        <hdrgm:GainMapMax>2.3</hdrgm:GainMapMax>
        </rdf:Description></rdf:RDF></x:xmpmeta>
        <?xpacket end="w"?>
        """

    @Test func gainMapPropertiesAreRemovedAndOthersAreKept() throws {
        let copied = try #require(copy(ultraHDR))
        #expect(copied.utf8.count == ultraHDR.utf8.count)
        for gone in ["hdrgm", "GainMap", "Container", "1234", "2.3", "4000"] {
            #expect(!copied.contains(gone), "\(gone)")
        }
        for kept in [
            "xpacket begin", "xmlns:dc=\"http://purl.org/dc/elements/1.1/\"", "tiff:Orientation=\"1\"",
            "dc:format=\"image/jpeg\"", "</rdf:Description></rdf:RDF></x:xmpmeta>", "xpacket end=\"w\"",
        ] {
            #expect(copied.contains(kept), "\(kept)")
        }
        #expect(XMPPacket(Array(copied.utf8)).rights == "A > B")
    }

    @Test func colourSpacePropertiesAreRemovedIfColoursAreConverted() throws {
        let packet = "<a photoshop:ICCProfile=\"Display P3\" exif:ColorSpace=\"65535\" b=\"c\">d</a>"
        let converted = try #require(copy(packet))
        #expect(!converted.contains("P3") && !converted.contains("65535") && converted.contains(" b=\"c\">d</a>"))
        #expect(copy(packet, isSRGB: false) == packet)
    }

    @Test func nestedElementsOfTheSameNameAreRemoved() {
        #expect(
            copy("x<hdrgm:a><hdrgm:a/><hdrgm:a>1</hdrgm:a></hdrgm:a>y") == "x" + String(repeating: " ", count: 49) + "y"
        )
    }

    /// Regression test: after a comment without spaces, everything up to the next comment was kept.
    @Test(arguments: ["<!--a-->", "<!---->", "<!-- \" -->", "<![CDATA[<hdrgm:a>]]>", "<![CDATA[]]]]>"])
    func elementAfterACommentOrLiteralTextIsRemoved(text: String) {
        #expect(copy(text + "<hdrgm:a/><!--b-->") == text + "          <!--b-->")
    }

    @Test(arguments: ["<hdrgm:a>", "<a b=\"c", "<a", "<hdrgm:a><b", "<", "<!--", "<!-->", "<![CDATA[>", "<![CDATA[]>"])
    func malformedPacketHasNoCopy(text: String) {
        #expect(copy(text) == nil)
    }

    @Test func packetWithoutRemovablePropertiesIsUnchanged() {
        #expect(copy("") == "")
        #expect(copy("<!-- don't > -->") == "<!-- don't > -->")
        #expect(copy("no tag > \" here") == "no tag > \" here")
        #expect(copy("<a b = 'hdrgm:x=\"1\"' />") == "<a b = 'hdrgm:x=\"1\"' />")
    }
}
