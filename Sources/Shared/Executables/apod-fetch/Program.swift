import ApodFetchTool
import Commands

@main
enum Program {
    static func main() { runTool(.apodFetch) }
}
