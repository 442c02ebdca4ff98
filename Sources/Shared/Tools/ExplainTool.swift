import Fetch
import HTTP
import Records
import Store
import Support

/// Says of each record's picture what `put` would do: the work of `img-cache explain`.
public struct ExplainTool: CacheTool {
    /// The field with the explanation for a person, where that is wanted instead of JSON.
    public static let textField: FieldPath = "explanation_text"

    public let name = "img-cache"
    private let explainer: Explainer
    private let rules: CacheItem.Rules
    private let request: @Sendable (WebURL) -> HTTPRequest
    private let writesText: Bool

    /// - Parameter writesText: sets `textField` rather than `explain`.
    public init(
        explainer: Explainer, rules: CacheItem.Rules, writesText: Bool,
        request: @escaping @Sendable (WebURL) -> HTTPRequest
    ) {
        self.explainer = explainer
        self.rules = rules
        self.writesText = writesText
        self.request = request
    }

    public func prepare(_ job: RecordJob) -> Prepared {
        .work { record, _ in
            switch try rules.item(of: job) {
            case .file(let path):
                throw UsageFailure("explain takes addresses: the file \(path) is stored whenever it is put")
            case .addresses(let addresses):
                let explanations = try addresses.map { try explanation(of: $0, record) }
                guard let chosen = explanations.first(where: \.serves) ?? explanations.first else { throw NoPicture() }
                if writesText {
                    let others = explanations.filter { $0.url != chosen.url }.map { "  otherwise \($0.line)" }
                    record.set(
                        Self.textField.description, .string(([chosen.text] + others).joined(separator: "\n")))
                } else {
                    record.set("explain", chosen.json(among: explanations))
                }
            }
        }
    }

    private func explanation(of candidate: CacheItem.Addresses.Element, _ record: Record) throws -> Explained {
        switch candidate {
        case .failure(let failure): .refused(failure)
        case .success(let address):
            .address(try explainer.explain(request(address.url), key: try rules.key(address, record: record)))
        }
    }
}

/// One of a record's addresses.
private enum Explained {
    case address(Explanation)
    /// No address that could be asked for at all.
    case refused(WebURLFailure)

    var decision: Explanation.Decision {
        switch self {
        case .address(let explanation): explanation.decision
        case .refused: .refused
        }
    }

    /// Whether `put` would not go on to the next one, as far as can be told.
    var serves: Bool { decision != .refused && decision != .rememberedFailure }

    var url: String? {
        if case .address(let explanation) = self { return explanation.url }
        return nil
    }

    var line: String {
        switch self {
        case .address(let explanation):
            TerminalText.escaped("\(explanation.url): \(explanation.decision.rawValue): \(explanation.reason)")
        case .refused(let failure): TerminalText.escaped("refused: \(failure.message)")
        }
    }

    var text: String {
        switch self {
        case .address(let explanation): explanation.text
        case .refused: line
        }
    }

    /// The explanation; with a short one of each address, in the order in which they are tried, where there are
    /// several.
    func json(among all: [Explained]) -> JSON {
        guard case .object(let members) = json else { return json }
        guard all.count > 1 else { return json }
        return .object(members + [JSON.Member("candidates", .array(all.map(\.short)))])
    }

    private var json: JSON {
        switch self {
        case .address(let explanation): explanation.json
        case .refused: short
        }
    }

    private var short: JSON {
        switch self {
        case .address(let explanation):
            .object([
                "url": .string(explanation.url), "key": .string(explanation.key),
                "decision": .string(explanation.decision.rawValue), "reason": .string(explanation.reason),
            ])
        case .refused(let failure):
            .object(["decision": .string(Explanation.Decision.refused.rawValue), "reason": .string(failure.message)])
        }
    }
}
