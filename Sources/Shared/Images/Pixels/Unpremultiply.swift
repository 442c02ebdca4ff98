/// Divides colours by premultiplied alpha, in pixels of 2 or 4 samples with alpha last.
func unpremultiply<Sample: FixedWidthInteger & UnsignedInteger>(
    _ row: UnsafeMutablePointer<Sample>, count: Int, channels: Int
) {
    let most = UInt64(Sample.max)
    for x in 0..<count {
        let pixel = row + x * channels
        let alpha = UInt64(pixel[channels - 1])
        guard alpha > 0, alpha < most else { continue }
        for channel in 0..<channels - 1 {
            pixel[channel] = Sample(min((UInt64(pixel[channel]) * most + alpha / 2) / alpha, most))
        }
    }
}
