extension DecodeOptions.Quality {
    /// How many times the output's size a JPEG's decoder must leave to the resampler when it makes the picture smaller
    /// itself; infinite if it must not. What the decoder's box-like filter lets through becomes rings around edges.
    ///
    /// Measured by PSNR of luma against a full decode, over 14 photographs and maps: twice the size costs JPEGs of
    /// quality 82 up to 0.43 dB, 2.3 times up to 0.25; at quality 95 that is 1.1 and 0.6, and three times 0.2. An output
    /// without loss shows it all: 41 to 50 dB remain where a full decode brings 58. The exception
    /// is a map of gamma rays in full colours on black (0.2 to 1 dB at quality 82, however much is left): there a full
    /// decode clips overshoot that a scaled one averages.
    func leftToResample(_ output: EncodeOptions) -> Double {
        switch self {
        case .fast: 2
        case .full: .infinity
        case .auto:
            switch output.format {
            case .png: .infinity
            case .gif: 2.3
            case .jpeg, .webp, .avif: output.quality < 90 ? 2.3 : 3
            }
        }
    }
}
