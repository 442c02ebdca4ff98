import Formats
import Images
import Support

/// A size in which a picture is wanted, under a name of its own.
public struct Variant: Sendable, Hashable {
    /// Stands in records under `variants` and in file names.
    public let name: String
    /// What the upright picture is fitted into.
    public let box: FitBox

    public init(name: String, box: FitBox) {
        self.name = name
        self.box = box
    }

    /// For a page of pictures: fits 1024x1024.
    public static let pager = Variant(name: "pager", box: FitBox(width: 1024, height: 1024))
    /// For one picture over everything else: fits 2048x2048.
    public static let overlay = Variant(name: "overlay", box: FitBox(width: 2048, height: 2048))

    /// The variants that have a name by themselves.
    public static let named = [pager, overlay]

    /// A size of one's own, nil for a side that is not bounded; called `custom`.
    public static func custom(width: Int?, height: Int?) -> Variant {
        Variant(name: "custom", box: FitBox(width: width, height: height))
    }

    /// The variants of a list such as `pager,overlay`, each once, in its order. Throws `UsageFailure`.
    public static func list(_ texts: [String]) throws -> [Variant] {
        var variants: [Variant] = []
        for name in texts.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }) {
            guard let variant = named.first(where: { $0.name == name }) else {
                let names = named.map(\.name)
                throw UsageFailure(
                    "there is no variant \"\(name)\"\(NearMatch.advice(for: name, among: names)); there are"
                        + " \(names.joined(separator: ", "))")
            }
            if !variants.contains(variant) { variants.append(variant) }
        }
        return variants
    }
}
