import Formats
import Support

/// How a picture is read.
public struct DecodeOptions: Sendable {
    /// What it may cost.
    public var limits: DecodeLimits
    /// What stops the work.
    public var interruption: Interruption
    /// Takes what there is of a picture that ends too early, instead of refusing it. Default false.
    public var allowsTruncated: Bool
    /// Goes on behind damage that every viewer passes over, instead of refusing the picture. Default false.
    public var allowsDamage: Bool
    /// Whether a picture that is made much smaller may lose what is hardly seen. Default `.auto`.
    public var quality: Quality
    /// What decodes JPEGs. Default `.auto`.
    public var decoder: Decoder
    /// Threads that a reader may start, shared by all pictures of a run. Default: the machine's processors but one.
    public var spareThreads: SpareThreads
    /// Memory that all pictures of a run share. Default: one of its own, of `limits.maxMemoryBytes`.
    public var memory: MemoryBudget
    /// The picture that these options are being used for; nil before it has begun.
    private var picture: PictureAllowance?

    public enum Quality: String, Sendable, Hashable, CaseIterable {
        /// As fast as the output's own loss hides it: see `leftToResample`. Leaves out the scans of a progressive JPEG
        /// that bring less than 0.03 dB to so small a picture.
        case auto
        /// Leaves no more to the resampler than it needs.
        case fast
        /// Decodes all that there is.
        case full
    }

    public enum Decoder: String, Sendable, Hashable, CaseIterable {
        /// Our own decoder what it can read, libjpeg-turbo the rest.
        case auto
        /// libjpeg-turbo alone.
        case libjpeg
    }

    public init(
        limits: DecodeLimits = .standard, interruption: Interruption = Interruption(), allowsTruncated: Bool = false,
        allowsDamage: Bool = false, quality: Quality = .auto, decoder: Decoder = .auto,
        spareThreads: SpareThreads = SpareThreads(), memory: MemoryBudget? = nil
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

    /// The same options for one picture: from now on its time is counted, and what it reserves is taken as a whole.
    /// Every reader of a picture begins with it; begun options stay as they are, so that all who work on the picture
    /// share them.
    public func begun() -> DecodeOptions {
        guard picture == nil else { return self }
        var options = self
        options.picture = PictureAllowance(number: memory.newPicture())
        return options
    }

    /// Throws `Cancelled` once the run is being stopped, and `ImageError.tooSlow` once the picture that has begun takes
    /// too long. To be called between the steps of any longer work.
    ///
    /// - Parameter step: what follows, if it cannot be stopped once it has begun: it must end in time, too.
    public func check(before step: UnstoppableStep? = nil) throws {
        try interruption.check()
        let ahead = step?.seconds ?? 0
        if let picture {
            try picture.check(seconds: limits.maxSeconds, ahead: ahead)
        } else if ahead > limits.maxSeconds {
            throw ImageError.tooSlow(seconds: limits.maxSeconds)
        }
    }

    /// Reserves memory for the picture that has begun, for as long as the result lives; waits while others hold too
    /// much. Options that have not begun only count it, so that they never wait for a picture of their own thread.
    /// Throws `ImageError.tooMuchMemory` if that is more than one picture may have, and `Cancelled`.
    public func reserve(memory bytes: Int) throws -> MemoryReservation {
        try limits.check(memory: bytes)
        guard let picture else { return try memory.count(bytes, for: memory.newPicture()) }
        return try picture.waiting {
            try memory.reserve(bytes, for: picture.number, interruption: interruption)
        }
    }

    /// The same for a whole picture. Throws as for a count of bytes.
    public func reserve(memory size: PixelSize, bytesPerPixel: Int) throws -> MemoryReservation {
        try reserve(memory: limits.check(memory: size, bytesPerPixel: bytesPerPixel))
    }
}
