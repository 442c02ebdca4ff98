import ApodFetchTool
import Commands
import GIFCacheTool
import ImgCacheTool
import ImgDownsampleTool
import Libc
import Support

/// The binary that packages install, which contains all four tools. Packages also install a link to it for each tool,
/// and the name of the link selects the tool. Swift's runtime, the largest part of each tool, is therefore on the disk
/// and in memory only once.
@main
enum Program {
    static func main() {
        switch ProgramArguments.programName() {
        case "apod-fetch": runTool(.apodFetch)
        case "img-cache": runTool(.imgCache)
        case "img-downsample": runTool(.imgDownsample)
        case "gif-cache": runTool(.gifCache)
        default:
            Log(tool: "apod-tools", format: .plain).error(
                "contains four tools; run it as apod-fetch, img-cache, img-downsample or gif-cache")
            exit(ExitCode.usage.rawValue)
        }
    }
}
