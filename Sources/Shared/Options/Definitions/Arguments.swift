/// A command line that has been read and checked: the values of its options, and its operands.
public struct Arguments: Sendable {
    struct Given: Sendable {
        let option: AnyOption
        let value: any Sendable
        let text: String
    }

    /// In the order of the line.
    let given: [Given]
    public let operands: [String]
    /// The commands that the line names, the tool first.
    public let path: [Command]

    init(_ given: [Given], operands: [String], path: [Command]) {
        self.given = given
        self.operands = operands
        self.path = path
    }

    /// The tool's name.
    public var tool: String { path[0].name }

    /// The last value that was given; nil if there was none.
    public subscript<Value>(_ option: Option<Value>) -> Value? { value(option).flatMap { $0 as? Value } }

    /// The last value that was given, or the default.
    public subscript<Value>(_ option: DefaultedOption<Value>) -> Value { option.value(value(option)) }

    /// The last value that was given, without its type; nil if there was none.
    public func value(_ option: AnyOption) -> (any Sendable)? { given.last { $0.option === option }?.value }

    /// Every value that was given, in order.
    public func all<Value>(_ option: Option<Value>) -> [Value] {
        // `compactMap` of a generic element costs 50,000 instructions.
        var values: [Value] = []
        for given in given where given.option === option {
            if let value = given.value as? Value { values.append(value) }
        }
        return values
    }

    public func isGiven(_ option: AnyOption) -> Bool { given.contains { $0.option === option } }

    /// The last value as it was typed; nil if there was none.
    public func text(_ option: AnyOption) -> String? { given.last { $0.option === option }?.text }
}
