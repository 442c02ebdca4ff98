import Testing

@testable import Commands

struct ArgumentSecretsTests {
    /// Replaces each byte of a secret with a star.
    private func concealed(_ arguments: [String]) -> [String] {
        var texts = arguments.map { Array($0.utf8) }
        for part in ArgumentSecrets(arguments).parts {
            for offset in part.bytes { texts[part.index][offset] = UInt8(ascii: "*") }
        }
        return texts.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        (["put", "--header", "X: 1", "x.png"], ["put", "--header", "****", "x.png"]),
        (["--header=X: 1", "--header"], ["--header=****", "--header"]),
        (["--header", "https://a", "X: 1", "y"], ["--header", "https://a", "****", "y"]),
        (["--header", "https://a X: 1", "y"], ["--header", "https://a*****", "y"]),
        (["--header=https://a X: 1", "y"], ["--header=https://a*****", "y"]),
        (["--header", "@my file", "y"], ["--header", "@my file", "y"]),
        (["--header", "a.example", "X: 1", "y"], ["--header", "*********", "****", "y"]),
        (["--header=https://a", "X: 1", "y"], ["--header=https://a", "****", "y"]),
        (["--header", "https://a"], ["--header", "https://a"]),
        (["put", "http://u:\u{E9}@a/?key=k&w=1"], ["put", "http://****@a/?key=*&w=1"]),
        (["--science-url=http://u:p@a/"], ["--science-url=http://***@a/"]),
        (["--", "http://u:p@a/", "b@c"], ["--", "http://***@a/", "b@c"]),
    ])
    func secretsInArgumentsAreFound(arguments: [String], shown: [String]) { #expect(concealed(arguments) == shown) }

    @Test func messagesAreRedacted() {
        let secrets = ArgumentSecrets(["stats", "http://u:pass@a/", "--header", "X: pass"])
        #expect(secrets.redacted("unexpected: http://u:pass@a/, X: pass") == "unexpected: http://***@a/, ***")
        #expect(ArgumentSecrets(["stats"]).redacted("words") == "words")
    }
}
