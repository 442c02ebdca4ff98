import Records
import Support

/// The maximum number of pictures that `--prune` may remove. Protects the gallery if the input of a run is incomplete.
public enum PruneLimit: String, Sendable, CaseIterable {
    /// At most half of the pictures.
    case half
    case all

    /// Returns the failure if the removal is not allowed, otherwise nil.
    ///
    /// - Parameters:
    ///   - removed: the number of the gallery's pictures that are not in the input.
    ///   - count: the number of pictures before the run.
    func refusal(of removed: Int, of count: Int, itemsOfRun: [GalleryItem]) -> PruneRefusal? {
        if removed == 0 { return nil }
        let failures = itemsOfRun.count(where: \.isTransient)
        if failures > 0 { return .transientFailures(failures) }
        if !itemsOfRun.contains(where: \.hasPicture) { return .noPictures }
        return self == .half && removed > count / 2 ? .tooMany(removed, of: count) : nil
    }
}

/// The failure if `--prune` is refused. No picture was removed, and the pages are complete.
public enum PruneRefusal: Failure, Equatable {
    case noPictures
    case transientFailures(Int)
    case tooMany(Int, of: Int)

    public var code: String { "prune-refused" }

    public var message: String {
        switch self {
        case .noPictures: "nothing is pruned: the input has no pictures; check the command before the pipe"
        case .transientFailures(let count):
            "nothing is pruned: \(counted(count, "record")) of the input failed temporarily; "
                + "try again later"
        case .tooMany(let removed, let count):
            "nothing is pruned: the input lacks \(removed) of the gallery's \(count) pictures, more than half; "
                + "check that the input is complete"
        }
    }

    public var exitCode: ExitCode {
        if case .transientFailures = self { return .temporary }
        return .data
    }
}
