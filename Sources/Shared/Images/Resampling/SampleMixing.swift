/// The scale in which samples are mixed, as tables to and from 8-bit samples.
struct SampleMixing: Sendable {
    /// The value of each of the 256 samples, 0...1.
    let values: [Float]
    /// The sample for each step of a value.
    let samples: [UInt8]

    var steps: Int { samples.count - 1 }

    /// Linear light of sRGB.
    static let light = SampleMixing(values: SRGBCurve.light, samples: SRGBCurve.samples)

    /// The encoded samples, with 64 steps between neighbours.
    static let coded = SampleMixing(
        values: (0...255).map { Float($0) / 255 }, samples: (0...255 * 64).map { UInt8(($0 + 32) / 64) })
}
