/// The ladder of sizes that wishes are rounded up to, so that near ones share a variant in the cache.
public enum Bucket {
    /// Pixels on the long side. Steps of a third to a half: no picture is more than half as long again as
    /// was asked for.
    public static let ladder = [128, 192, 256, 384, 512, 768, 1024, 1536, 2048, 3072, 4096]

    /// The smallest step that covers `side` pixels; nil above the ladder, where nothing is rounded.
    public static func covering(_ side: Int) -> Int? { ladder.first { $0 >= side } }
}
