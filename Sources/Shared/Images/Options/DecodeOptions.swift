import Formats
import Support

public struct DecodeOptions: Sendable {
    public var limits: DecodeLimits
    public var interruption: Interruption
    /// Whether to decode the available part of a truncated picture instead of failing. Default false.
    public var allowsTruncated: Bool
    /// Whether to skip invalid data that every viewer skips, instead of failing. Default false.
    public var allowsDamage: Bool
    /// How much detail a greatly reduced picture may lose. Default `.auto`.
    public var quality: Quality
    /// The decoder of JPEGs. Default `.auto`.
    public var decoder: Decoder
    /// The threads that readers may start, shared by all pictures of a run. Default: the number of processors minus 1.
    public var spareThreads: ThreadBudget
    /// Whether readers leave the only spare thread to `DecodeAhead`. Default false.
    var leavesThread = false
    /// The memory shared by all pictures of a run. Default: a separate budget of `limits.maxMemoryBytes`.
    public var memory: MemoryBudget
    /// The time used by the picture being decoded, and its number in the memory budget; nil before `begun`.
    private var picture: PictureAllowance?

    public enum Quality: String, Sendable, Hashable, CaseIterable {
        /// Loses at most as much detail as the output's compression hides (`leftToResample`). Skips scans of a
        /// progressive JPEG that improve the reduced picture by less than 0.03 dB.
        case auto
        /// Loses as much detail for any output, even a lossless one.
        case fast
        /// Decodes all data at full size.
        case full
    }

    public enum Decoder: String, Sendable, Hashable, CaseIterable {
        /// This package's decoder for the JPEGs that it supports, libjpeg-turbo for others.
        case auto
        /// libjpeg-turbo only.
        case libjpeg
    }

    public init(
        limits: DecodeLimits = .standard, interruption: Interruption = Interruption(), allowsTruncated: Bool = false,
        allowsDamage: Bool = false, quality: Quality = .auto, decoder: Decoder = .auto,
        spareThreads: ThreadBudget = ThreadBudget(), memory: MemoryBudget? = nil
    ) {
        self.limits = limits
        self.interruption = interruption
        self.allowsTruncated = allowsTruncated
        self.allowsDamage = allowsDamage
        self.quality = quality
        self.decoder = decoder
        self.spareThreads = spareThreads
        self.memory = memory ?? MemoryBudget(bytes: limits.maxMemoryBytes)
    }

    /// Starts the time limit of a single picture, and groups its memory reservations. Every reader calls this first.
    /// Returns `self` if `begun` was called before, so all readers of a picture share the same time limit.
    public func begun() -> DecodeOptions {
        guard picture == nil else { return self }
        var options = self
        options.picture = PictureAllowance(number: memory.newPicture())
        return options
    }

    /// Throws `Cancelled` if the run is being stopped, and `ImageError.tooSlow` if the picture has taken too long. Call
    /// this regularly during longer work.
    ///
    /// - Parameter step: the next step, if it cannot be interrupted. Throws if it might exceed the time limit.
    public func check(before step: UninterruptibleCost? = nil) throws {
        try interruption.check()
        let ahead = step?.seconds ?? 0
        if let picture {
            try picture.check(seconds: limits.maxSeconds, ahead: ahead)
        } else if ahead > limits.maxSeconds {
            throw ImageError.tooSlow(seconds: limits.maxSeconds)
        }
    }

    /// Reserves memory for the picture until the result is released. Waits while other pictures hold too much memory.
    /// Before `begun`, counts the memory without waiting: another picture of the same thread could hold the memory that
    /// is missing, and waiting for it would never end. Throws `ImageError.tooMuchMemory` if the picture exceeds its
    /// limit, and `Cancelled`.
    public func reserve(memory bytes: Int) throws -> MemoryReservation {
        try limits.check(memory: bytes)
        guard let picture else { return try memory.count(bytes, for: memory.newPicture()) }
        return try picture.waiting { try memory.reserve(bytes, for: picture.number, interruption: interruption) }
    }

    public func reserve(memory size: PixelSize, bytesPerPixel: Int) throws -> MemoryReservation {
        try reserve(memory: limits.check(memory: size, bytesPerPixel: bytesPerPixel))
    }
}

extension DecodeOptions.Quality {
    /// Returns the minimum size of a JPEG decoded at `scale` eighths, as a multiple of the output's size; infinity if
    /// the decoder must not scale. Scaling in the decoder cuts frequencies off sharply, which causes ringing at edges.
    ///
    /// Compared with a full decode, ten pictures that are reduced by a factor of 2.5 to 8.5 to JPEGs of quality 89 have
    /// a SSIMULACRA2 score that is 0.4 to 1.0 points higher on average, and at most 0.9 lower (`scripts/bench eighths`).
    /// At a scale of 1 and a size of 1.75, one would lose 4.8 points. At quality 95, the PSNR of luma falls by up to 1.7
    /// dB at a size of 2, and by up to 0.8 dB at 4. A lossless output would show the full loss.
    func leftToResample(at scale: Int, for output: EncodeOptions) -> Double {
        // The scales 1/8 and 2/8 alias most.
        let least = scale == 1 ? 2 : scale == 2 ? 1.95 : 1.75
        return switch self {
        case .fast: least
        case .full: .infinity
        case .auto:
            switch output.format {
            case .png: .infinity
            case .gif: least
            case .jpeg, .webp, .avif: output.quality < 90 ? least : 4
            }
        }
    }
}

/// Measures the time spent on a picture, without the time spent waiting.
final class PictureAllowance: Sendable {
    /// The picture's number in the run's memory budget.
    let number: Int
    /// The start of the work. Each wait moves the start forward by its duration.
    private let start = Monitor(SteadyTime.now())

    init(number: Int) { self.number = number }

    /// Throws `.tooSlow` if the work so far plus the next `ahead` seconds exceeds `limit`.
    func check(seconds limit: Double, ahead: Double) throws(ImageError) {
        let worked = start.withLock { SteadyTime.now() - $0 }
        if worked / .seconds(1) + ahead > limit { throw .tooSlow(seconds: limit) }
    }

    /// Runs `body` without counting its time.
    func waiting<Result>(_ body: () throws -> Result) rethrows -> Result {
        let begun = SteadyTime.now()
        defer { start.withLock { $0 += SteadyTime.now() - begun } }
        return try body()
    }
}
