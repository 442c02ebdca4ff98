/// What is wrong with bytes that are not JSON.
public enum JSONFault: Sendable {
    case syntax, controlCharacter, encoding, depth
}
