import Commands
import ImgCacheTool

@main
enum Program {
    static func main() { runTool(.imgCache) }
}
