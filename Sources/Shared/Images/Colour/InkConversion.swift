import CKernels

/// Inks without a profile, each of which takes its share of the light.
struct InkConversion: RowConversion {
    func convert(_ input: UnsafePointer<UInt8>, _ output: UnsafeMutablePointer<UInt8>, count: Int) {
        apod_cmyk_to_rgb(input, output, count)
    }
}
