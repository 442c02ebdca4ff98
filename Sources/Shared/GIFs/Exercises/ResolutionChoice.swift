/// Which resolutions of an exercise will do where several may be in the cache.
public enum ResolutionChoice: Sendable, Hashable {
    /// This one alone: somebody asked for it by name.
    case exactly(Resolution)
    /// This one; where it is not there, the nearest larger one, which can be made smaller, then the nearest smaller.
    case preferably(Resolution)

    /// The one that is wanted most.
    public var wanted: Resolution {
        switch self {
        case .exactly(let resolution), .preferably(let resolution): resolution
        }
    }

    /// What to look for, the best first.
    public var inOrder: [Resolution] {
        switch self {
        case .exactly(let resolution): [resolution]
        case .preferably(let resolution):
            Resolution.allCases.filter { $0.rawValue >= resolution.rawValue }
                + Resolution.allCases.filter { $0.rawValue < resolution.rawValue }.reversed()
        }
    }
}
