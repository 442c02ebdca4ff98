import Libc

/// Returns the peak signal-to-noise ratio in dB over all samples; infinite if both are equal.
public func psnr(_ a: [UInt8], _ b: [UInt8]) -> Double {
    precondition(a.count == b.count)
    var sum = 0.0
    for i in a.indices {
        let d = Double(Int(a[i]) - Int(b[i]))
        sum += d * d
    }
    return sum == 0 ? .infinity : 10 * log10(255 * 255 * Double(a.count) / sum)
}
