/// The numbers in which samples are mixed, as tables from samples of 8 bits and back.
struct SampleMixing: Sendable {
    /// What each of the 256 samples stands for, 0...1.
    let values: [Float]
    /// The sample for each step of a value.
    let samples: [UInt8]

    var steps: Int { samples.count - 1 }

    /// In sRGB's light.
    static let light = SampleMixing(values: SRGBCurve.light, samples: SRGBCurve.samples)

    /// As they are coded, by 64 steps from each to the next.
    static let coded = SampleMixing(
        values: (0...255).map { Float($0) / 255 }, samples: (0...255 * 64).map { UInt8(($0 + 32) / 64) })
}
