/// The fixed beginning of a GIF: signature and logical screen (GIF89a §17, §18).
enum GIFLayout {
    static func header(_ window: inout SourceWindow) throws -> ImageHeader {
        guard let width = try window.littleEndian(at: 6, 2), let height = try window.littleEndian(at: 8, 2) else {
            throw FormatFailure.truncated(.gif)
        }
        guard width > 0, height > 0 else { throw FormatFailure.corrupt(.gif, "a width or height of 0") }
        return ImageHeader(
            format: .gif, storedSize: PixelSize(width: width, height: height), isAnimated: nil, hasAlpha: nil)
    }
}
