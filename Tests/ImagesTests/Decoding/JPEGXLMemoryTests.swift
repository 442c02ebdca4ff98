import Testing

@testable import Formats
@testable import Images

/// Memory estimates, compared with measured values and the default limit of 1 GiB.
@Suite struct JPEGXLMemoryTests {
    /// A kind of picture, and the format of the pixels that libjxl returns.
    private struct Kind {
        var frame = JPEGXLPicture.Frame(size: PixelSize(width: 1, height: 1))
        var extra = 0
        var channels = 3
        var sampleBytes = 1
        /// The slots in which earlier frames are stored.
        var layers: [Int] = []

        init(_ change: (inout Kind) -> Void = { _ in }) { change(&self) }

        /// Returns the estimate in megabytes.
        func megabytes(_ megapixels: Int) -> Int {
            let size = PixelSize(width: 1000 * megapixels, height: 1000)
            var last = frame
            last.size = size
            var frames = [last]
            for slot in layers.reversed() {
                last.slot = slot
                frames.insert(last, at: 0)
            }
            let picture = JPEGXLPicture(size: size, extraChannels: extra, frames: frames)
            return JPEGXLMemory.bytes(picture, channels: channels, sampleBytes: sampleBytes) / 1_000_000
        }
    }

    private static let blocks = Kind()
    private static let alpha = Kind { ($0.extra, $0.channels) = (1, 4) }
    private static let modular = Kind { $0.frame.isModular = true }
    private static let passes = Kind { $0.frame.passes = 3 }
    private static let noise = Kind { $0.frame.hasNoise = true }

    @Test func defaultLimitAllowsPhonePicturesDependingOnTheirCoding() {
        let limit = DecodeLimits.standard.maxMemoryBytes / 1_000_000
        for (name, kind, megapixels, fits) in [
            ("blocks", Self.blocks, 108, true), ("noise", Self.noise, 108, true), ("alpha", Self.alpha, 28, true),
            ("alpha", Self.alpha, 48, false), ("in passes", Self.passes, 48, true),
            ("in passes", Self.passes, 108, false),
            ("lossless", Self.modular, 48, true), ("lossless", Self.modular, 108, false),
            ("16 bits", Kind { $0.sampleBytes = 2 }, 48, true), ("16 bits", Kind { $0.sampleBytes = 2 }, 108, false),
        ] {
            #expect((kind.megabytes(megapixels) <= limit) == fits, "\(name), \(megapixels) megapixels")
        }
    }

    /// Measured bytes per pixel, including the returned pixels; see `JPEGXLMemory`.
    private static let measured: [(name: String, bytes: Double, kind: Kind)] = [
        ("blocks", 5.7, blocks), ("noise", 7.5, noise), ("alpha", 33.5, alpha), ("in passes", 17.2, passes),
        ("gray", 15.5, Kind { $0.channels = 1 }),
        ("gray and alpha", 45.7, Kind { ($0.extra, $0.channels) = (1, 2) }),
        ("16 bits", 20.5, Kind { $0.sampleBytes = 2 }),
        ("16 bits, two channels", 59.9, Kind { ($0.extra, $0.sampleBytes) = (2, 2) }),
        ("five channels", 74.3, Kind { ($0.extra, $0.channels) = (5, 4) }),
        ("noise and alpha", 52.4, Kind { ($0.frame.hasNoise, $0.extra, $0.channels) = (true, 1, 4) }),
        ("gray in passes", 27.4, Kind { ($0.frame.passes, $0.channels) = (3, 1) }),
        ("modular", 18.3, modular),
        ("modular and alpha", 23.5, Kind { ($0.frame.isModular, $0.extra, $0.channels) = (true, 1, 4) }),
        ("modular, five channels", 48.0, Kind { ($0.frame.isModular, $0.extra, $0.channels) = (true, 5, 4) }),
        (
            "modular, 16 bits, two channels", 40.6,
            Kind { ($0.frame.isModular, $0.extra, $0.sampleBytes) = (true, 2, 2) }
        ),
        ("modular with noise", 52.5, Kind { ($0.frame.isModular, $0.frame.hasNoise) = (true, true) }),
        ("two layers", 26.6, Kind { $0.layers = [1] }), ("a layer replaced", 38.8, Kind { $0.layers = [1, 1] }),
        ("four layers", 50.8, Kind { $0.layers = [1, 2, 3] }),
        ("four layers with alpha", 94.9, Kind { ($0.layers, $0.extra, $0.channels) = ([1, 2, 3], 1, 4) }),
        (
            "four modular layers with alpha", 80.8,
            Kind { ($0.frame.isModular, $0.layers, $0.extra, $0.channels) = (true, [1, 2, 3], 1, 4) }
        ),
    ]

    @Test func estimatesSlightlyExceedMeasuredValues() {
        for (name, bytes, kind) in Self.measured {
            let estimate = Double(kind.megabytes(1000)) / 1000
            #expect(estimate >= bytes && estimate < bytes * 1.45, "\(name): \(estimate) for \(bytes)")
        }
    }

    @Test func sectionsAndCanvasAddToTheEstimate() {
        let size = PixelSize(width: 1000, height: 1000)
        var frame = JPEGXLPicture.Frame(size: PixelSize(width: 1, height: 1))
        func bytes(_ frame: JPEGXLPicture.Frame) -> Int {
            JPEGXLMemory.bytes(JPEGXLPicture(size: size, frames: [frame]), channels: 3, sampleBytes: 1)
        }
        let small = bytes(frame)
        frame.canvas = size
        #expect(bytes(frame) / 100_000 == small / 100_000 + 29)
        frame.sectionBytes = 1_000_000
        #expect(bytes(frame) / 100_000 == small / 100_000 + 49)
    }

    @Test func overflowingSizesSaturate() {
        let size = PixelSize(width: .max, height: 2)
        let frame = JPEGXLPicture.Frame(size: size, slot: 1, sectionBytes: .max)
        let picture = JPEGXLPicture(size: size, extraChannels: 4096, frames: [frame, frame])
        #expect(JPEGXLMemory.bytes(picture, channels: 4, sampleBytes: 2) == .max)
    }
}
