import TestSupport
import Testing

/// All tools in a single executable, as packages install them: each tool is a link to the executable.
struct OneProgramTests {
    private let home: ToolHome
    private let bin: String

    init() throws {
        home = try ToolHome()
        bin = home.path("bin")
        try home.folder.makeFolder("work/bin")
        for tool in Self.tools {
            try home.shell("ln -s '\(Tools.path("apod-tools"))' '\(bin)/\(tool)'").expect(0)
        }
    }

    private static let tools = ["apod-fetch", "img-cache", "img-downsample", "gif-cache"]

    @Test(arguments: tools) func eachLinkRunsTheToolThatItNames(_ tool: String) throws {
        for option in ["--version", "--help"] {
            #expect(try home.run("\(bin)/\(tool)", [option]).expect(0).stdout == run(tool, [option]).expect(0).stdout)
        }
    }

    @Test func pipelineOfLinkedToolsMakesAVariant() throws {
        let path = try home.write("m31.png", DrawnPicture.gradient(40, 30).png())
        let output = try home.shell(
            "PATH='\(bin)':$PATH; img-cache put '\(path)' | img-downsample --width 20 --print variants.custom.path")
        #expect(try TestFile.exists(output.expect(0).lines[0]))
    }

    @Test func toolThatStartsItselfRunsTheSameTool() throws {
        let path = try home.write("m31.png", DrawnPicture.gradient(4, 3).png())
        try home.run("\(bin)/img-cache", ["put", path]).expect(0)
        #expect(home.blobs.count == 1)
        try home.run("\(bin)/img-cache", ["scope", "switch", "other", "--purge"]).expect(0)
        #expect(eventually { home.blobs.isEmpty })
    }

    @Test func unknownProgramNameListsTheTools() throws {
        let output = try home.run("apod-tools", ["--version"]).expect(64)
        for tool in Self.tools { #expect(output.stderr.contains(tool)) }
    }
}
