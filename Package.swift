// swift-tools-version: 6.2
import PackageDescription

// Every folder of Sources/Shared except Executables is a module, so that the compiler enforces the layers:
//   tools → APOD, GIFs, Variants, Previews, Commands → CacheTools → Fetch, Remote, Placeholders → Store, Images → HTTP,
//   Records, Formats, HTML, Options → Support

/// A C library of the system, which pkg-config finds. `apt` and `brew` are the names of its packages.
func system(_ name: String, _ pkgConfig: String, apt: String, brew: String) -> Target {
    .systemLibrary(
        name: name, path: "Sources/Shared/\(name)", pkgConfig: pkgConfig, providers: [.apt([apt]), .brew([brew])])
}

/// A C target of this package. In release builds, FORTIFY checks the lengths of copies at run time. scripts/build adds
/// the flags that a package must not set.
func code(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(
        name: name, dependencies: dependencies, path: "Sources/Shared/\(name)",
        cSettings: [
            .define("_GNU_SOURCE"), .define("_FORTIFY_SOURCE", to: "3", .when(configuration: .release)),
        ])
}

/// Optimises a target even in debug builds, because pixel code is about ten times slower without optimisation.
/// Assertions remain enabled.
let optimised: [SwiftSetting] = [
    .unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))
]

/// Omits the implicit import of the regular expression module, which would add a megabyte to each tool. Code that uses
/// regular expressions then does not compile.
let withoutRegularExpressions: [SwiftSetting] = [
    .unsafeFlags(["-Xfrontend", "-disable-implicit-string-processing-module-import"])
]

/// A module of the shared library. All modules and tests may call libc.
func module(
    _ name: String, _ dependencies: [Target.Dependency] = [], _ settings: [SwiftSetting] = [], exclude: [String] = [],
    resources: [Resource] = []
) -> Target {
    .target(
        name: name, dependencies: dependencies + ["Libc"], path: "Sources/Shared/\(name)", exclude: exclude,
        resources: resources, swiftSettings: settings + withoutRegularExpressions)
}

/// The commands of one of the four tools.
func tool(_ name: String, _ folder: String, _ dependencies: [Target.Dependency]) -> Target {
    .target(
        name: name, dependencies: dependencies + ["Commands", "Options", "Records", "Support"],
        path: "Sources/\(folder)", swiftSettings: withoutRegularExpressions)
}

/// An executable that contains a single tool or all tools.
func program(_ name: String, _ tools: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: tools + ["Commands", "Support", "Libc"], path: "Sources/Shared/Executables/\(name)",
        swiftSettings: withoutRegularExpressions)
}

/// Compiles a target without optimisation even in release builds, because compiling tests takes longer than running
/// them. The compiler writes the module and its objects in one pass, which is a quarter cheaper than two.
let unoptimised: [SwiftSetting] = [
    .unsafeFlags(["-Onone", "-no-emit-module-separately-wmo"], .when(configuration: .release))
]

func tests(
    _ name: String, _ dependencies: [Target.Dependency], _ settings: [SwiftSetting] = unoptimised,
    exclude: [String] = []
) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: dependencies + ["Libc"], path: "Tests/\(name)Tests", exclude: exclude,
        swiftSettings: settings)
}

let package = Package(
    name: "apod-tools",
    platforms: [.macOS(.v15)],
    products: [
        .executable(name: "apod-fetch", targets: ["apod-fetch"]),
        .executable(name: "img-cache", targets: ["img-cache"]),
        .executable(name: "img-downsample", targets: ["img-downsample"]),
        .executable(name: "gif-cache", targets: ["gif-cache"]),
        .executable(name: "apod-tools", targets: ["apod-tools"]),
        .library(
            name: "Shared",
            targets: [
                "Libc", "Support", "Records", "HTTP", "Formats", "JPEG", "Images", "Placeholders", "Store", "Remote",
                "Fetch", "CacheTools",
                "Previews", "Articles", "HTML", "APOD", "GIFs", "Variants", "Gallery", "Options", "Commands",
            ]),
    ],
    targets: [
        // C libraries
        system("CSQLite", "sqlite3", apt: "libsqlite3-dev", brew: "sqlite"),
        system("CJPEG", "libjpeg", apt: "libjpeg62-turbo-dev", brew: "jpeg-turbo"),
        system("CPNG", "libpng", apt: "libpng-dev", brew: "libpng"),
        system("CZlib", "zlib", apt: "zlib1g-dev", brew: "zlib"),
        system("CDeflate", "libdeflate", apt: "libdeflate-dev", brew: "libdeflate"),
        system("CWebP", "libwebpmux", apt: "libwebp-dev", brew: "webp"),
        system("CLCMS", "lcms2", apt: "liblcms2-dev", brew: "little-cms2"),
        system("CGumbo", "gumbo", apt: "libgumbo-dev", brew: "gumbo-parser"),
        system("CNettle", "nettle", apt: "nettle-dev", brew: "nettle"),
        // C targets
        code("CSystem"),
        code("CLibraryLoading"),
        code("CCurl", ["CLibraryLoading"]),
        code("CAVIF", ["CLibraryLoading"]),
        code("CISAL", ["CLibraryLoading"]),
        code("CIDN", ["CLibraryLoading"]),
        code("CTIFF", ["CLibraryLoading"]),
        code("CHEIF", ["CLibraryLoading"]),
        code("CJXL", ["CLibraryLoading"]),
        code("CText", ["CLibraryLoading"]),
        code("CCodecs", ["CJPEG", "CPNG"]),
        code("CKernels"),
        // The shared library, lowest layer first
        .target(name: "Libc", path: "Sources/Shared/Libc"),
        module("Support", ["CSystem", "CNettle", "CIDN"]),
        module("Records", ["Support"]),
        module("HTTP", ["Support", "CCurl"]),
        module("Formats", ["Support", "CISAL", "CZlib"], optimised),
        module(
            "JPEG", ["Support", "Formats", "CKernels"],
            // CHECKED enables checks of the inner loops' invariants.
            optimised + [.define("CHECKED", .when(configuration: .debug))], exclude: ["README.md"]),
        module(
            "Images",
            [
                "Support", "Formats", "JPEG", "CCodecs", "CKernels", "CZlib", "CDeflate", "CWebP", "CLCMS", "CAVIF",
                "CTIFF", "CHEIF", "CJXL",
            ], optimised),
        module("Placeholders", ["Support", "Formats", "Images", "CText"], optimised),
        module("Store", ["Support", "CSQLite", "CSystem"]),
        module("Remote", ["Support", "Records", "HTTP", "Store"]),
        module("Fetch", ["Support", "Records", "HTTP", "Formats", "Store"]),
        module("CacheTools", ["Support", "Records", "HTTP", "Formats", "Store", "Fetch"]),
        module("Previews", ["Support", "Formats", "Store", "Fetch", "CacheTools", "CKernels", "CZlib"]),
        module("Articles", ["Support", "Records", "Formats"]),
        module("HTML", ["Articles", "CGumbo"]),
        module("APOD", ["Support", "Records", "HTTP", "Store", "Fetch", "Articles", "HTML"]),
        module("GIFs", ["Support", "Records", "HTTP", "Formats", "Images", "Store", "Fetch", "CacheTools"]),
        module(
            "Variants", ["Support", "Records", "Formats", "Images", "Placeholders", "Store", "Fetch", "CacheTools"]),
        module(
            "Gallery",
            ["Support", "Records", "HTTP", "Formats", "Images", "Store", "CacheTools", "Variants", "Articles"],
            resources: [
                "details.html", "favicon.svg", "gallery.js", "months.html", "not-found.html", "page.html",
                "picture.html", "style.css", "tile.html",
            ].map { .embedInCode("Resources/\($0)") }),
        module("Options", ["Support"]),
        module(
            "Commands",
            ["Support", "Options", "Records", "HTTP", "Formats", "Store", "Remote", "Fetch", "CacheTools"],
            // The completion scripts that --generate prints.
            resources: ["apod-tools.bash", "_apod-tools", "apod-tools.fish"].map {
                .embedInCode("../../../completions/\($0)")
            }),
        // The tools
        tool("ApodFetchTool", "apod-fetch", ["APOD", "Articles", "Store", "Fetch", "HTTP"]),
        tool("ImgCacheTool", "img-cache", ["Store", "Remote", "Fetch", "CacheTools", "HTTP", "Previews"]),
        tool(
            "ImgDownsampleTool", "img-downsample",
            ["Store", "Fetch", "HTTP", "CacheTools", "Images", "Placeholders", "Variants", "Formats", "Gallery"]),
        tool("GIFCacheTool", "gif-cache", ["Store", "Fetch", "CacheTools", "GIFs", "HTTP"]),
        program("apod-fetch", ["ApodFetchTool"]),
        program("img-cache", ["ImgCacheTool"]),
        program("img-downsample", ["ImgDownsampleTool"]),
        program("gif-cache", ["GIFCacheTool"]),
        program("apod-tools", ["ApodFetchTool", "ImgCacheTool", "ImgDownsampleTool", "GIFCacheTool"]),
        // Tests
        .target(name: "TestSupport", dependencies: ["Support", "Records", "Libc"], path: "Tests/TestSupport"),
        .executableTarget(
            name: "sample-service",
            dependencies: [
                "Support", "Options", "Records", "Formats", "Images", "TestSupport", "Libc",
            ],
            path: "Tests/SampleService"),
        .target(name: "ConfinementAttempts", path: "Tests/ConfinementAttempts"),
        .executableTarget(
            name: "confinement-probe", dependencies: ["Commands", "ConfinementAttempts", "Support", "Libc"],
            path: "Tests/ConfinementProbe"),
        tests("Support", ["CIDN", "CSystem", "Support", "TestSupport"]),
        tests("Records", ["Records", "Support", "TestSupport"]),
        tests("HTTP", ["HTTP", "Support", "TestSupport"]),
        tests("Formats", ["Formats", "CZlib", "Support", "TestSupport"]),
        tests("JPEG", ["JPEG", "Images", "CJPEG", "CKernels", "Formats", "Support", "TestSupport"], optimised),
        tests(
            "Images",
            ["Images", "CAVIF", "CHEIF", "CJXL", "CKernels", "CLCMS", "CTIFF", "Formats", "Support", "TestSupport"]),
        tests("Placeholders", ["Placeholders", "Images", "Formats", "Support", "TestSupport"], optimised),
        tests("Remote", ["Remote", "Store", "HTTP", "Records", "Support", "TestSupport"]),
        tests(
            "Cache",
            ["CIDN", "Store", "Fetch", "CacheTools", "Records", "HTTP", "Formats", "Support", "TestSupport"]),
        tests("Previews", ["Previews", "Formats", "Images", "Support", "TestSupport"]),
        tests("HTML", ["HTML", "Articles", "CGumbo", "TestSupport"]),
        tests("APOD", ["APOD", "Articles", "HTML", "Records", "HTTP", "Store", "Fetch", "Support", "TestSupport"]),
        tests(
            "GIFs",
            ["GIFs", "Store", "Fetch", "CacheTools", "Formats", "Images", "Records", "HTTP", "Support", "TestSupport"]),
        tests("Gallery", ["Articles", "Formats", "Gallery", "Records", "Support", "TestSupport", "Variants"]),
        tests("Variants", ["Variants", "Images", "Formats", "Records", "Support", "TestSupport"]),
        tests("Options", ["Options", "Support", "TestSupport"]),
        tests(
            "Commands",
            [
                "Commands", "Options", "APOD", "GIFs", "Records", "Remote", "HTTP", "Support", "TestSupport",
                "ApodFetchTool", "ImgCacheTool", "ImgDownsampleTool", "GIFCacheTool",
            ]),
        // These tests run the programs, but do not depend on them: tests and programs are compiled at the same time, and a
        // changed program does not need new tests.
        tests(
            "EndToEnd",
            [
                "TestSupport", "Support", "Records", "HTTP", "Formats", "Images", "Store", "Fetch", "Variants",
                "Remote", "Previews", "CSQLite",
            ], exclude: ["CorpusVerdicts.txt", "GIFVerdicts.txt"]),
    ],
    swiftLanguageModes: [.v6]
)
