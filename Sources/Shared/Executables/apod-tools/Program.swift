import ApodFetchTool
import Commands
import GIFCacheTool
import ImgCacheTool
import ImgDownsampleTool
import Libc
import Support

/// The program that packages install: all four tools in one file. Links with their names lead to it, and the name of
/// the link selects the tool, so Swift's runtime, most of each tool, is on the disk and in memory once.
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
                "holds four programs; start it by one of their names: apod-fetch, img-cache, img-downsample, gif-cache")
            exit(ExitCode.usage.rawValue)
        }
    }
}
