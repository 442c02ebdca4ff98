import Commands
import GIFCacheTool

@main
enum Program {
    static func main() { runTool(.gifCache) }
}
