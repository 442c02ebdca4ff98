/// The option values and operands of a valid command line.
public struct Arguments: Sendable {
    struct Given: Sendable {
        let option: AnyOption
        let value: any Sendable
        let text: String
    }

    /// In the order of the command line.
    let given: [Given]
    public let operands: [String]
    /// The tool, followed by the commands that the line names.
    public let path: [Command]

    init(_ given: [Given], operands: [String], path: [Command]) {
        self.given = given
        self.operands = operands
        self.path = path
    }

    public var tool: String { path[0].name }

    /// The last given value of the option, or nil.
    public subscript<Value>(_ option: Option<Value>) -> Value? { value(option).flatMap { $0 as? Value } }

    /// The last given value of the option, or its default.
    public subscript<Value>(_ option: DefaultedOption<Value>) -> Value { option.value(value(option)) }

    public func value(_ option: AnyOption) -> (any Sendable)? { given.last { $0.option === option }?.value }

    /// Returns all values of a repeatable option, in the order of the command line.
    public func all<Value>(_ option: Option<Value>) -> [Value] {
        // A loop, because `compactMap` to a generic type costs 50,000 instructions.
        var values: [Value] = []
        for given in given where given.option === option {
            if let value = given.value as? Value { values.append(value) }
        }
        return values
    }

    public func isGiven(_ option: AnyOption) -> Bool { given.contains { $0.option === option } }

    /// Returns the last value as the user typed it, or nil.
    public func text(_ option: AnyOption) -> String? { given.last { $0.option === option }?.text }
}
