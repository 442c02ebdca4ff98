// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that the tools' own package builds without the sanitizers that this one needs. scripts/fuzz
// builds it.
let package = Package(
    name: "fuzzing",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "apod-tools", path: "../..")],
    targets: [
        .executableTarget(name: "fuzz", dependencies: [.product(name: "Shared", package: "apod-tools")])
    ],
    swiftLanguageModes: [.v6]
)
