import TestSupport
import Testing

@testable import Formats

@Suite struct XMPPacketTests {
    private func packet(_ text: String) -> XMPPacket { XMPPacket(Array(text.utf8)) }

    private static let whole = """
        <?xpacket begin="" id="W5M0MpCehiHzreSzNTczkc9d"?><x:xmpmeta xmlns:x="adobe:ns:meta/">
        <rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
        <rdf:Description xmlns:tiff="http://ns.adobe.com/tiff/1.0/" tiff:Orientation="6" tiff:Make="M">
        <dc:creator><rdf:Seq><rdf:li>Jane &amp; Jo</rdf:li><rdf:li>X</rdf:li></rdf:Seq></dc:creator>
        <dc:rights><rdf:Alt><rdf:li xml:lang="x-default">&#xA9; 2026 &lt;NASA&gt;</rdf:li></rdf:Alt></dc:rights>
        </rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>
        """

    @Test func propertiesAreReadFromAPacket() {
        let packet = packet(Self.whole)
        #expect(packet.orientation == .rotated90Clockwise)
        #expect(packet.rights == "© 2026 <NASA>")
        #expect(packet.creator == "Jane & Jo")
    }

    @Test func orientationIsReadFromAttributesAndElements() {
        #expect(packet("<d tiff:Orientation='3'/>").orientation == .rotated180)
        #expect(packet("<tiff:Orientation> 8 </tiff:Orientation>").orientation == .rotated90CounterClockwise)
        #expect(packet("<d exif:Orientation = \"2\"/>").orientation == .mirrored)
        for text in [
            "", "tiff:Orientation", "<d tiff:Orientation='9'/>", "<d tiff:Orientation='16'/>", "<d tiff:Orientation=",
            "<d xtiff:Orientation='3'/>", "<d tiff:Orientations='3'/>", "</tiff:Orientation>3<", "tiff:Orientation=\"",
        ] {
            #expect(packet(text).orientation == nil, "\(text)")
        }
    }

    @Test func uprightPacketDiffersOnlyInItsOrientation() {
        let upright = packet(Self.whole).upright
        #expect(upright.orientation == .upright)
        #expect(upright.bytes == Array(Self.whole.replacing("Orientation=\"6\"", with: "Orientation=\"1\"").utf8))
        let two = packet("<a tiff:Orientation=\"5\"/><exif:Orientation>7</exif:Orientation>").upright
        #expect(
            String(decoding: two.bytes, as: UTF8.self)
                == "<a tiff:Orientation=\"1\"/><exif:Orientation>1</exif:Orientation>")
    }

    @Test func rightsMayBeASimpleText() {
        #expect(packet("<d dc:rights=\"free &unknown; &#0;\"/>").rights == "free &unknown;")
        #expect(packet("<dc:rights>  mine\n</dc:rights>").rights == "mine")
        #expect(packet("<dc:rights></dc:rights><rdf:li>other</rdf:li>").rights == nil)
    }

    @Test func damagedPacketsNeverCrash() {
        var random = SeededRandom(name: "xmp")
        let original = Array(Self.whole.utf8)
        for round in 0..<1000 {
            var bytes = original
            for _ in 0..<1 + random.below(5) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            if round % 2 == 0 { bytes.removeLast(random.below(bytes.count)) }
            let packet = XMPPacket(bytes)
            _ = (packet.orientation, packet.rights, packet.creator)
            #expect(packet.upright.bytes.count == bytes.count)
        }
    }

    /// A quadratic search would take minutes for each packet.
    @Test(.timeLimit(.minutes(1))) func repeatedNamesAreReadInLinearTime() {
        for text in ["tiff:Orientation>", "<dc:rights>", "<dc:rights><rdf:li", "&", "tiff:Orientation='"] {
            let hostile = XMPPacket(Array(String(repeating: text, count: (1 << 18) / text.utf8.count).utf8))
            _ = (hostile.orientation, hostile.rights, hostile.creator)
            #expect(hostile.upright.bytes.count == hostile.bytes.count)
        }
    }
}
