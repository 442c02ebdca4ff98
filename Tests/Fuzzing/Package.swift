// swift-tools-version: 6.2
import PackageDescription

// A separate package, so that the tools' package builds without the sanitizers required here. scripts/fuzz builds it.
let package = Package(
    name: "fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "apod-tools", path: "../..")],
    targets: [
        .executableTarget(name: "fuzz", dependencies: [.product(name: "Shared", package: "apod-tools")])
    ],
    swiftLanguageModes: [.v6]
)
