// swift-tools-version: 6.2
import PackageDescription

// A program outside, whose modules have the names that ours would have without a prefix. script/test-outside builds it.
let garner: Package.Dependency =
    if let folder = Context.environment["GARNER_FOLDER"] {
        .package(path: folder)
    } else {
        .package(url: Context.environment["GARNER_URL", default: ""], exact: "0.0.1")
    }

let package = Package(
    name: "outside",
    platforms: [.macOS(.v15)],
    dependencies: [garner],
    targets: [
        .systemLibrary(name: "CSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .target(name: "Model"), .target(name: "JSON"), .target(name: "SQLite", dependencies: ["CSQLite"]),
        .target(name: "Stream"),
        .executableTarget(
            name: "Outside",
            dependencies: [
                "JSON", "Model", "SQLite", "Stream",
                .product(name: "GarnerFetcher", package: "garner"),
                .product(name: "GarnerURLSessionTransport", package: "garner"),
            ]),
    ]
)
