import Libc
import Support
import TestSupport
import Testing

/// Whether libidn2 is installed where the tools find it.
private let hasLibidn2: Bool = {
    #if os(Linux)
    let library = dlopen("libidn2.so.0", RTLD_LAZY)
    if library == nil { print("NO LIBIDN2: the tests of hosts beyond ASCII are SKIPPED") }
    return library != nil
    #else
    return false
    #endif
}()

/// Host names with non-ASCII characters, which libidn2 maps. Confined tools load the library when an input names such a
/// host.
@Suite(.enabled(if: hasLibidn2)) struct InternationalHostTests {
    private static let written = "http://bu\u{308}cher.example/a.jpg"
    private static let mapped = "http://xn--bcher-kva.example/a.jpg"

    /// Returns an environment in which libidn2 cannot be loaded.
    private func withoutLibrary(_ home: ToolHome) throws -> [String: String] {
        try home.write("broken/libidn2.so.0", "none")
        return ["LD_LIBRARY_PATH": home.path("broken")]
    }

    @Test(arguments: ["get", "has", "path", "info", "rm", "pin"])
    func confinedLookupLoadsTheLibrary(_ command: String) throws {
        let home = try ToolHome()
        let byArgument = try home.run("img-cache", [command, Self.written, "-v"]).expect(1)
        let byLine = try home.run("img-cache", [command, "-v"], stdin: .lines([Self.written])).expect(1)
        let byRecord = try home.run("img-cache", [command, "-v"], stdin: .lines([#"{"url":"\#(Self.written)"}"#]))
        for output in [byArgument, byLine, try byRecord.expect(1)] {
            #expect(output.stderr.contains("not in the cache: \(Self.mapped)"))
            if canConfine { #expect(output.stderr.contains("confined by Landlock")) }
        }
    }

    @Test func asciiHostDoesNotLoadTheLibrary() throws {
        let home = try ToolHome(environment: ["LD_DEBUG": "files", "LD_DEBUG_OUTPUT": "loaded"])
        func loads(_ address: String) throws -> Bool {
            try home.run("img-cache", ["get", address]).expect(1)
            let output = try home.shell("env -u LD_DEBUG cat loaded.*; env -u LD_DEBUG rm loaded.*").expect(0)
            return output.stdout.contains("libidn2.so.0")
        }
        #expect(try !loads("http://a--b.example/ä.jpg?ü"))
        #expect(try loads(Self.written))
    }

    @Test func missingLibraryIsReportedWithTheHostAndARemedy() throws {
        let home = try ToolHome()
        let environment = try withoutLibrary(home)
        for command in ["put", "get"] {
            let output = try home.run("img-cache", [command, Self.written], environment: environment).expect(69)
            try output.expectFailure(69, code: "no-libidn2", tool: "img-cache")
            #expect(output.stderr.contains("cher.example") && output.stderr.contains("libidn2-0"))
        }
        // A mapped host and an ASCII host do not need the library.
        for address in [Self.mapped, "http://example.org/ü.jpg"] {
            try home.run("img-cache", ["get", address], environment: environment).expect(1)
        }
    }
}
