import Commands
import ImgDownsampleTool

@main
enum Program {
    static func main() { runTool(.imgDownsample) }
}
