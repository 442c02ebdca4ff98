import ArgumentParser
import Commands

/// The options that nearly every call has. They are few, since each costs a cold start about 20 microseconds.
struct ShrinkOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Variants and styles to make; repeatable, or a list with commas.", valueName: "names"))
    var variant: [String] = []

    @Option(help: ArgumentHelp("Columns at most.", valueName: "pixels"))
    var width: String?

    @Option(help: ArgumentHelp("Rows at most.", valueName: "pixels"))
    var height: String?

    @Option(help: ArgumentHelp("Cover this box of points, such as 300x200.", valueName: "size"))
    var fit: String?

    @Option(help: ArgumentHelp("auto (as the source), jpeg, png, webp, avif or gif.", valueName: "format"))
    var format: String?

    @Option(help: ArgumentHelp("1 to 100 (82).", valueName: "n"))
    var quality: String?

    @Option(
        name: [.customShort("o"), .customLong("output")],
        help: ArgumentHelp("Write the one picture here; - is standard output.", valueName: "file"))
    var output: String?

    @Option(
        help: ArgumentHelp("Write variants into this folder, which is made where it is missing.", valueName: "folder"))
    var outputDir: String?

    @Option(
        help: ArgumentHelp(
            "Names in --output-dir, of {stem}, {variant}, {ext}, {width}, {height} and {date}.", valueName: "template"))
    var nameTemplate: String?
}

/// All others.
struct FineOptions: ParsableArguments {
    @Option(help: ArgumentHelp("Width to height, such as 16:9, for the side that is not given.", valueName: "ratio"))
    var aspectRatio: String?

    @Option(help: ArgumentHelp("Pixels for each point of --fit and of styles, 1 to 3 (2).", valueName: "factor"))
    var scale: String?

    @Flag(help: "Do not round --fit.")
    var exact = false

    @Flag(help: "Make small pictures larger.")
    var enlarge = false

    @Option(help: ArgumentHelp("fit (show all), fill (cut what stands over) or force (stretch).", valueName: "mode"))
    var contentMode: String?

    @Option(
        help: ArgumentHelp(
            "What fill keeps: center, north, northeast ... northwest, attention, entropy.", valueName: "where"))
    var gravity: String?

    @Option(
        help: ArgumentHelp(
            "Look at this part alone: X,Y,WIDTH,HEIGHT of the upright picture, in pixels or percent.",
            valueName: "region"))
    var region: String?

    @Option(
        help: ArgumentHelp(
            "Turn clockwise by 90, 180 or 270 degrees, before anything is measured.", valueName: "degrees"))
    var rotate: String?

    @Option(
        help: ArgumentHelp(
            "Darken towards the bottom: standard, enhanced (up to the middle) or none.", valueName: "kind"))
    var gradient: String?

    @Option(help: ArgumentHelp("Round the corners: points for styles, else pixels.", valueName: "radius"))
    var cornerRadius: String?

    @Option(
        help: ArgumentHelp(
            "What lies under transparent pixels where the format has none (#ffffff).", valueName: "colour"))
    var background: String?

    @Option(help: ArgumentHelp("Lower the quality until it fits, such as 100KB.", valueName: "size"))
    var fitBytes: String?

    @Flag(help: "Write JPEG in scans, PNG interlaced.")
    var progressive = false

    @Flag(help: "Mix colours in linear light.")
    var linear = false

    @Flag(help: "Keep colours in their profile and embed it, instead of sRGB.")
    var keepProfile = false

    @Flag(help: "Keep EXIF and XMP, where the picture was taken included.")
    var keepMetadata = false

    @Flag(help: "Keep copyright and artist alone.")
    var keepCopyright = false

    @Flag(help: "Add the dominant colour and a ThumbHash to each variant.")
    var printHash = false

    @Flag(help: "Show the first frame of an animation alone.")
    var poster = false

    @Option(help: ArgumentHelp("Show this frame of an animation alone, counted from 0.", valueName: "n"))
    var frame: String?

    @Flag(help: "Take what there is of pictures that end too early.")
    var allowTruncated = false

    @Option(help: ArgumentHelp("fast (leave out what a small output would not show) or full.", valueName: "quality"))
    var qualityDecode: String?

    @Flag(help: "Draw a placeholder where there is no picture.")
    var fallback = false

    @Option(help: ArgumentHelp("What the placeholder says.", valueName: "text"))
    var fallbackMessage: String?

    @Option(help: ArgumentHelp("The placeholder's colours: light or dark.", valueName: "theme"))
    var theme: String?

    @Option(help: ArgumentHelp("The placeholder's font: a file or a family.", valueName: "font"))
    var font: String?

    @Option(
        help: ArgumentHelp(
            "Let records name files below this folder, too; repeatable (APOD_TOOLS_ALLOW_PATH).", valueName: "folder"))
    var allowPath: [String] = []

    @Flag(help: "Write a record each time a variant is done, the picture's thumbnail first.")
    var progressiveRecords = false

    @Flag(help: "End only when files of -o and --output-dir are on the disk, safe from a power cut.")
    var sync = false

    @Option(help: ArgumentHelp("Bytes of a picture (256MiB).", valueName: "size"))
    var maxBytes: String?

    @Option(help: ArgumentHelp("Pixels of a picture (400 million).", valueName: "n"))
    var maxPixels: String?

    @Option(help: ArgumentHelp("Frames of an animation (2000).", valueName: "n"))
    var maxFrames: String?

    @Option(help: ArgumentHelp("Pixels times frames of an animation (4000 million).", valueName: "n"))
    var maxAnimationPixels: String?

    @Option(help: ArgumentHelp("Memory for pictures in all (1GiB).", valueName: "size"))
    var maxMemory: String?

    @Option(help: ArgumentHelp("Seconds for a picture (60).", valueName: "n"))
    var maxSeconds: String?
}
