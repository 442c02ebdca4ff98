import Formats
import Support
import Testing

@Suite struct ImageFormatTests {
    @Test func formatsDifferInNamesExtensionsAndSignatures() throws {
        let formats = ImageFormat.all
        #expect(Set(formats.map(\.id)).count == formats.count && Set(formats.map(\.name)).count == formats.count)
        let extensions = formats.flatMap(\.fileExtensions)
        #expect(Set(extensions).count == extensions.count)
        for ending in extensions {
            #expect(ImageFormat.named(byExtension: ending)?.fileExtensions.contains(ending) == true)
        }
        for (name, bytes) in Tiny.all {
            #expect(formats.count { $0.matches(bytes[...]) } == 1, "\(name)")
        }
    }

    @Test func pictureThatEndsWithinItsSignatureIsTruncated() {
        for (name, bytes) in Tiny.all {
            guard let format = ImageFormat.detected(in: bytes[...]), ![.avif, .heic].contains(format) else { continue }
            let count = (1...bytes.count).first { ImageFormat.detected(in: bytes[..<$0]) != nil }!
            for count in 1..<count {
                let fault = failure { _ = try ImageHeader.read(MemorySource(Array(bytes[..<count]))) }
                #expect(fault?.code == "truncated-image", "\(name) \(count)")
            }
        }
    }
}
