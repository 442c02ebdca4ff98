/// One GIF of the service: an exercise in a resolution. Addresses change, so these two are its only lasting name.
public struct ExerciseGIF: Sendable, Hashable, CustomStringConvertible {
    public let id: ExerciseID
    public let resolution: Resolution

    public init(id: ExerciseID, resolution: Resolution = .standard) {
        self.id = id
        self.resolution = resolution
    }

    /// What the GIF is kept under in the cache: `exercisedb:0001@180`.
    public var cacheKey: String { "exercisedb:\(id)@\(resolution)" }

    public var description: String { "exercise \(id) at \(resolution)" }
}
