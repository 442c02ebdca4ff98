import Commands
import Images
import Options
import Store

extension Tool {
    public static let imgDownsample = Tool(
        Command(
            "img-downsample", summary: "Shrink pictures, fast and faithfully.",
            details: """
                Takes pictures as arguments, or on standard input: records with a `path`, or one path per line. Adds \
                `variants` to the records. Variants are stored in the cache, or in --output-dir. With -o, a single \
                picture is written to a file. Variants are upright, in sRGB, without metadata, and not enlarged, \
                unless an option says otherwise.

                Each variant has a name. pager fits into 1024x1024 pixels, overlay into 2048x2048. --fit makes the \
                variant fit, in points. --width, --height and --aspect-ratio make the variant custom, in pixels. \
                `img-downsample styles` lists the styles of cards.
                """,
            examples: [
                "apod-fetch --date | img-cache put | img-downsample --variant overlay",
                "img-downsample m31.jpg --width 800 -o small.jpg",
                "img-downsample m31.jpg --width 400 --aspect-ratio 1:1 -o square.jpg",
                "img-downsample m31.jpg --region 40%,40%,20%,20% -o core.jpg",
                "img-downsample *.jpg --variant pager,launch-card --output-dir thumbs",
                "img-downsample dance.gif --variant rocket-card --frame 0 -o first.png",
                "curl -s https://example.org/m31.jpg | img-downsample - -o - --height 200",
                "img-downsample --variant pager --print variants.pager.path < in.ndjson",
                "apod-fetch --date | img-cache put | img-downsample --fallback --width 900",
            ],
            operands: .init(
                "PICTURE", "Files, or - for standard input: records or paths, or with -o a picture.", completion: .files
            ),
            options: { [.sizes, .looks, .files, .placeholders, .limits, .stream, .sharing, .common] },
            subcommands: [.gallery, .styles], synonyms: ["shrink", "thumbnail"], run: downsample),
        exitStatus: """
            0 all done, 64 usage, 65 not a picture or damaged, 66 no such file,
            69 a library is missing, 70 fault of the tool, 73/74 cannot write,
            75 try again later, 77 over a limit, 78 configuration.
            """,
        libraries: { [indexLibraryVersion] + codecVersions() })
}
