import Support

/// The codestream of a JPEG XL, bare or in boxes (ISO/IEC 18181-2 §9).
enum JPEGXLLayout {
    /// More frames than any file has.
    private static let frameLimit = 65_536

    /// Throws `FormatFailure`.
    static func header(_ window: inout SourceWindow) throws -> ImageHeader {
        var bits = JPEGXLBits(window, try parts(&window, mayBeCut: true))
        var image = try JPEGXLImage(&bits)
        _ = try image.readChannels(&bits)
        return ImageHeader(
            format: .jpegXL, storedSize: image.size, orientation: image.orientation, isAnimated: image.isAnimated,
            hasAlpha: image.hasAlpha)
    }

    /// Walks over the boxes, if there are any, and over the frames up to the last. A codestream with unreadable headers
    /// passes: its decoder refuses it. Throws `FormatFailure`.
    static func checkEnd(_ window: inout SourceWindow) throws {
        var bits = JPEGXLBits(window, try parts(&window, mayBeCut: false))
        do {
            var image = try JPEGXLImage(&bits)
            let (isUsual, hasTones) = try image.readChannels(&bits)
            try image.readColours(&bits, isUsual: isUsual, hasTones: hasTones)
            if let preview = image.previewSize { _ = try JPEGXLFrame(&bits, image, canvas: preview) }
            for _ in 0..<frameLimit where try JPEGXLFrame(&bits, image, canvas: image.size).isLast { return }
        } catch is JPEGXLNumbers.Unreadable {
        }
    }

    /// The ranges of the file that hold the codestream.
    ///
    /// - Parameter mayBeCut: accepts a file that ends within a box behind the first part.
    private static func parts(_ window: inout SourceWindow, mayBeCut: Bool) throws -> [Range<Int>] {
        let end = window.count
        guard try window.byte(at: 0) == 0 else { return [0..<end] }
        var parts: [Range<Int>] = []
        do {
            try Boxes.walk(&window, 0..<end) { _, box in
                switch box.type {
                case "jxlc": parts.append(box.body)
                // The part's number comes first.
                case "jxlp": parts.append(box.body.dropFirst(4))
                default: break
                }
                return true
            }
        } catch Boxes.Fault.truncated {
            guard mayBeCut, !parts.isEmpty else { throw FormatFailure.truncated(.jpegXL) }
        } catch Boxes.Fault.corrupt(let fault) {
            throw FormatFailure.corrupt(.jpegXL, fault)
        }
        guard !parts.isEmpty else { throw FormatFailure.truncated(.jpegXL) }
        return parts
    }
}
