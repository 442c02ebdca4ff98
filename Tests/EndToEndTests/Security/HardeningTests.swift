import Support
import TestSupport
import Testing

/// Whether the tools are stripped: `scripts/build` strips them, and `swift build` does not.
private let areBuiltForUse: Bool = {
    guard let home = try? ToolHome(), let path = try? Tools.path("img-cache"),
        let sections = try? home.run("/usr/bin/env", ["readelf", "-SW", path]), sections.status == 0
    else {
        print("NO READELF: the tests of how the tools are linked are SKIPPED")
        return false
    }
    let isStripped = !sections.stdout.contains(".symtab")
    if !isStripped { print("NOT BUILT BY scripts/build: the tests of how the tools are linked are SKIPPED") }
    return isStripped
}()

/// Hardening by the compiler and the linker.
@Suite(.enabled(if: areBuiltForUse))
struct HardeningTests {
    static let tools = ["apod-fetch", "img-cache", "img-downsample", "gif-cache"]

    private func readelf(_ option: String, _ tool: String) throws -> String {
        try ToolHome().run("/usr/bin/env", ["readelf", option, Tools.path(tool)]).expect(0).stdout
    }

    /// A position-independent tool is loaded at a random address.
    @Test(arguments: tools) func toolIsPositionIndependent(_ tool: String) throws {
        let type = try #require(readelf("-hW", tool).split(separator: "\n").first { $0.contains("Type:") })
        #expect(type.contains("DYN"))
        #expect(try !readelf("-dW", tool).contains("TEXTREL"))
    }

    /// Function tables are filled when a tool starts, and then made read-only.
    @Test(arguments: tools) func functionTablesAreReadOnly(_ tool: String) throws {
        #expect(try readelf("-lW", tool).contains("GNU_RELRO"))
        let flags = try readelf("-dW", tool).split(separator: "\n").filter { $0.contains("FLAGS") }
        #expect(flags.contains { $0.contains("BIND_NOW") || $0.contains(" NOW") })
    }

    @Test(arguments: tools) func stackIsNotExecutable(_ tool: String) throws {
        let stack = try #require(readelf("-lW", tool).split(separator: "\n").first { $0.contains("GNU_STACK") })
        #expect(stack.contains(" RW "))
        #expect(!stack.contains("RWE"))
    }

    @Test(arguments: tools) func toolHasNoLibrarySearchPath(_ tool: String) throws {
        let entries = try readelf("-dW", tool)
        #expect(!entries.contains("RUNPATH") && !entries.contains("RPATH"))
    }

    @Test(arguments: tools) func stackProtectorIsEnabled(_ tool: String) throws {
        #expect(try readelf("-sW", tool).contains("__stack_chk_fail"))
    }

    @Test func sourceIsFortified() throws {
        #expect(try readelf("-sW", "img-downsample").contains("_chk@"))
    }
}
