// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that the tools' package does not need the sanitizers used here. Built by scripts/fuzz.
let package = Package(
    name: "fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "apod-tools", path: "../..")],
    targets: [
        .executableTarget(name: "fuzz", dependencies: [.product(name: "Shared", package: "apod-tools")])
    ],
    swiftLanguageModes: [.v6]
)
