import Support

/// A JSON object whose members stay in the order in which they were added.
struct JSONObject {
    private var members: [String] = []

    mutating func add(_ name: String, _ text: String?) {
        guard let text else { return }
        members.append("\(TerminalText.jsonString(name)):\(TerminalText.jsonString(text))")
    }

    mutating func add(_ name: String, _ number: Int) { members.append("\(TerminalText.jsonString(name)):\(number)") }

    mutating func add(_ name: String, _ texts: [String]) {
        let list = texts.map { TerminalText.jsonString($0) }.joined(separator: ",")
        members.append("\(TerminalText.jsonString(name)):[\(list)]")
    }

    mutating func add(_ name: String, _ object: JSONObject) {
        members.append("\(TerminalText.jsonString(name)):\(object.text)")
    }

    var text: String { "{\(members.joined(separator: ","))}" }
}
