import Libc
import Options
import Store
import Support

/// Runs `TOOL --complete WORD…`: prints candidates and exits with status 0. Changes no file. Prints no errors, which
/// would garble the prompt.
func complete(_ tool: Tool, _ words: ArraySlice<String>) -> Never {
    let environment = Environment.ofProcess()
    let words = words.map { word in
        // bash and zsh pass `~` without expanding it.
        word.hasPrefix("~/") ? (environment["HOME"] ?? "~") + word.dropFirst() : word
    }
    let answer = tool.command.completions(of: words) { completion, line, beginning in
        (try? tool.known(completion, line, environment, beginning)) ?? []
    }
    try? TextOutput.standard().write(answer.text)
    exit(0)
}

extension Tool {
    fileprivate func known(
        _ completion: Completion, _ line: Arguments, _ environment: Environment, _ beginning: String
    ) throws -> [String] {
        let context = try ToolContext(silent: line, environment: environment)
        let settings = try context.cacheSettings()
        if context.isConfined {
            var requirements = SandboxRequirements()
            requirements.inputs = settings.folders
            Confinement(requirements, cache: [], environment: environment).enforce()
        }
        switch completion {
        case .scopes: return try settings.scopeNames()
        case .keys: return try settings.keys(beginningWith: beginning)
        case .exercises(let field): return try exercises(field, context, settings)
        default: return []
        }
    }
}
