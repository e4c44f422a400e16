// swift-tools-version: 6.2
import PackageDescription

// Homebrew's headers need pkg-config to be found; Debian's do not, and its .pc file holds a flag that SwiftPM refuses.
#if os(macOS)
    let simdjsonPkgConfig: String? = "simdjson"
    let xxhashPkgConfig: String? = "libxxhash"
    let yamlPkgConfig: String? = "yaml-0.1"
#else
    let simdjsonPkgConfig: String? = nil
    let xxhashPkgConfig: String? = nil
    let yamlPkgConfig: String? = nil
#endif

// In a package, what the usual commands call lies side by side (docs/decisions/speed.md). script/order-functions writes the list.
let ordered =
    Context.environment["GARNER_FUNCTION_ORDER"].map {
        ["-Xlinker", "--symbol-ordering-file=\($0)", "-Xlinker", "--no-warn-symbol-ordering"]
    } ?? []

// On Linux the release binary holds the Swift runtime and FoundationEssentials: it runs where no Swift is, and starts in two
// thirds of the time (docs/decisions/speed.md). Its parts are named, since only modules that are compiled for it name
// them themselves. A module that imports all of Foundation cannot be linked: it would bring ICU
// (docs/decisions/0053-foundation-essentials.md).
let standalone: [LinkerSetting] = [
    .unsafeFlags(
        [
            "-static-stdlib", "-l_FoundationCShims", "-l_FoundationCollections", "-lstdc++",
            "-Xlinker", "--strip-debug",
            // Half a million addresses to relocate are packed into a few kilobytes of bits.
            "-use-ld=lld", "-Xlinker", "-z", "-Xlinker", "pack-relative-relocs",
            // Nobody links with the program, and a symbol that it shows is one more to look through for each that it needs.
            "-Xlinker", "--no-export-dynamic",
        ] + ordered, .when(platforms: [.linux], configuration: .release))
]

// A package holds simdjson itself, from the archive that script/build names (docs/decisions/0045-packages.md).
let simdjson: LinkerSetting =
    if let archive = Context.environment["GARNER_STATIC_SIMDJSON"] {
        .unsafeFlags(["-Xlinker", archive])
    } else {
        .linkedLibrary("simdjson")
    }

// And libyaml, which Debian ships as an archive, too.
let yaml: LinkerSetting = .linkedLibrary(
    Context.environment["GARNER_PORTABLE", default: ""].isEmpty ? "yaml" : ":libyaml.a")

let package = Package(
    name: "garner",
    platforms: [.macOS(.v15)],
    products: [
        .library(name: "GarnerFetcher", targets: ["GarnerFetcher"]),
        .library(name: "GarnerURLSessionTransport", targets: ["GarnerURLSessionTransport"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-http-structured-headers", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1", traits: []),
        .package(url: "https://github.com/swift-server/async-http-client", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
    ],
    targets: [
        // Which C library stores the data? The module map of the system's libsqlite3.
        .systemLibrary(
            name: "CGarnerSQLite", path: "Sources/CSQLite", pkgConfig: "sqlite3",
            providers: [.apt(["libsqlite3-dev"]), .brew(["sqlite"])]),

        // How do bytes come from the disk and go to it? A VFS that reads long scans many pages at a time, and one
        // for a database that is no file.
        .target(name: "CGarnerVFS", dependencies: ["CGarnerSQLite"], path: "Sources/CVFS"),

        // What does the system offer? Its C library under one name, threads, and the environment of the process.
        .target(name: "GarnerLibC", path: "Sources/LibC"),

        // How do tasks wait for each other? The first of two, some at a time, callers that share one result, a stopwatch.
        .target(name: "GarnerTasks", path: "Sources/Tasks"),

        // What is a database to us? Values, rows, the guard of a query, without an engine.
        .target(name: "GarnerDatabase", path: "Sources/Database"),

        // How do we speak to SQLite safely? Connection, statement, row, transaction; knows none of our tables.
        .target(
            name: "GarnerSQLite", dependencies: ["CGarnerSQLite", "CGarnerVFS", "GarnerDatabase", "GarnerLibC"],
            path: "Sources/SQLite"),

        // Where is PostgreSQL's client library? Its functions, loaded when they are first needed.
        .target(name: "CGarnerPostgres", path: "Sources/CPostgres"),

        // How do we speak to PostgreSQL safely? Connection, values, COPY, kinds of errors; knows none of our tables.
        .target(
            name: "GarnerPostgres", dependencies: ["CGarnerPostgres", "GarnerLibC", "GarnerTasks"],
            path: "Sources/Postgres"),

        // Where is the C++ JSON parser? The compiler flags of the system's libsimdjson.
        .systemLibrary(
            name: "CGarnerLibSimdJSON", path: "Sources/LibSimdJSON", pkgConfig: simdjsonPkgConfig,
            providers: [.apt(["libsimdjson-dev"]), .brew(["simdjson"])]),

        // Which JSON parser? A C interface that lays a document out as one flat array of nodes.
        .target(
            name: "CGarnerSimdJSON", dependencies: ["CGarnerLibSimdJSON"], path: "Sources/CSimdJSON",
            linkerSettings: [simdjson]),

        // What does a document say? Documents, elements, selectors, exact numbers.
        .target(name: "GarnerJSON", dependencies: ["CGarnerSimdJSON"], path: "Sources/JSON"),

        // Which values do several modules speak of? Names, times, runs, row numbers, columns, verdicts.
        .target(name: "GarnerModel", path: "Sources/Model"),

        // Which YAML parser? The module map of the system's libyaml.
        .systemLibrary(
            name: "CGarnerYAML", path: "Sources/CYAML", pkgConfig: yamlPkgConfig,
            providers: [.apt(["libyaml-dev"]), .brew(["libyaml"])]),

        // What does a YAML text say? Nodes with their places.
        .target(
            name: "GarnerYAML", dependencies: ["CGarnerYAML"], path: "Sources/YAML", linkerSettings: [yaml]),

        // What is synchronised? `garner.yaml` becomes validated values, and pages are followed as it says.
        .target(
            name: "GarnerCatalog", dependencies: ["GarnerJSON", "GarnerLibC", "GarnerModel", "GarnerYAML"],
            path: "Sources/Catalog"),

        // What does a connector's file of another program say? An Airbyte manifest or an OpenAPI document becomes a configuration.
        .target(
            name: "GarnerImport", dependencies: ["GarnerCatalog", "GarnerJSON", "GarnerModel", "GarnerYAML"],
            path: "Sources/Import"),

        // Which fast hash? The module map of the system's xxhash, whose header holds all of it.
        .systemLibrary(
            name: "CGarnerXXHash", path: "Sources/CXXHash", pkgConfig: xxhashPkgConfig,
            providers: [.apt(["libxxhash-dev"]), .brew(["xxhash"])]),

        // How is a value of a CSV file written? A copy of sixteen bytes at a time, in quotes where it must be.
        .target(name: "CGarnerCSV", path: "Sources/CCSV"),

        // How are exports compressed, and files of APIs unpacked? The module map of the system's zlib.
        .systemLibrary(name: "CGarnerZlib", path: "Sources/CZlib", providers: [.apt(["zlib1g-dev"])]),

        // How does the processor hash? Its instructions for SHA-256, where it has them.
        .target(name: "CGarnerSHA256", path: "Sources/CSHA256"),

        // Are these the same bytes? SHA-256, and a fingerprint.
        .target(name: "GarnerDigest", dependencies: ["CGarnerSHA256", "CGarnerXXHash"], path: "Sources/Digest"),

        // How does a result read? Tables, JSON, NDJSON, CSV, TSV and Markdown as text; it prints nothing.
        .target(name: "GarnerPresentation", dependencies: ["GarnerJSON", "GarnerModel"], path: "Sources/Presentation"),

        // How do documents come in? Transport, checks, paging, retry, limits.
        .target(
            name: "GarnerFetcher",
            dependencies: [
                "CGarnerZlib", "GarnerCatalog", "GarnerDigest", "GarnerJSON", "GarnerLibC", "GarnerModel",
                "GarnerTasks",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "RawStructuredFieldValues", package: "swift-http-structured-headers"),
            ], path: "Sources/Fetcher"),

        // And if it has to be Foundation's URLSession? A second transport, which `garner` is not linked with.
        .target(
            name: "GarnerURLSessionTransport", dependencies: ["GarnerCatalog", "GarnerFetcher"],
            path: "Sources/URLSessionTransport"),

        // Who is connected to our servers? No more than the program has descriptors to spare for.
        .target(
            name: "Connections",
            dependencies: [
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTPTypes", package: "swift-nio-extras"),
            ]),

        // What is our own schema, and how did it get here? Numbered SQL files, embedded in the binary.
        .target(
            name: "GarnerMigrations", path: "migrations",
            resources: [
                .embedInCode("schema.sql"), .embedInCode("0001_initial.sql"), .embedInCode("0002_requests.sql"),
                .embedInCode("0003_slices.sql"),
                .embedInCode("0004_attachments.sql"), .embedInCode("0005_fingerprints.sql"),
                .embedInCode("0006_replacing.sql"), .embedInCode("0007_child_tables.sql"),
                .embedInCode("0008_contract.sql"), .embedInCode("0009_history.sql"),
                .embedInCode("0010_schedules.sql"), .embedInCode("0011_hashes.sql"),
                .embedInCode("0012_completeness.sql"), .embedInCode("0013_full_reads.sql"),
                .embedInCode("0014_record_hashes.sql"), .embedInCode("0015_full_pages.sql"),
                .embedInCode("0016_overdue_streams.sql"), .embedInCode("0017_head_totals.sql"),
                .embedInCode("0018_kept_rows.sql"),
                .embedInCode("0019_change_check.sql"),
                .embedInCode("0020_earlier_answers.sql"),
                .embedInCode("0021_odd_columns.sql"),
                .embedInCode("0022_runs_not_begun.sql"),
                .embedInCode("0023_named_fields.sql"),
                .embedInCode("0024_emptied_columns.sql"),
                .embedInCode("0025_publication.sql"),
            ]),

        // How are records kept and found again? Loading, schema evolution, state, runs, query, export.
        .target(
            name: "GarnerPersistence",
            dependencies: [
                "CGarnerCSV", "CGarnerZlib", "GarnerCatalog", "GarnerDatabase", "GarnerDigest", "GarnerJSON",
                "GarnerLibC", "GarnerMigrations", "GarnerModel", "GarnerPresentation",
                "GarnerSQLite", "GarnerTasks",
            ], path: "Sources/Persistence"),

        // How do rows come to PostgreSQL? Every changed row of the file goes to a table there, once.
        .target(
            name: "GarnerPublish",
            dependencies: [
                "GarnerCatalog", "GarnerDatabase", "GarnerJSON", "GarnerLibC", "GarnerModel", "GarnerPersistence",
                "GarnerPostgres", "GarnerTasks",
            ], path: "Sources/Publish"),

        // Where does a file live that no machine keeps? Its pages in PostgreSQL, and the right to write them.
        .target(
            name: "GarnerShards",
            dependencies: [
                "GarnerCatalog", "GarnerDigest", "GarnerJSON", "GarnerLibC", "GarnerModel", "GarnerPersistence",
                "GarnerPostgres", "GarnerSQLite", "GarnerTasks",
            ], path: "Sources/Shards"),

        // What do operators do with a database? Backup, examination, pruning, dropping and renaming streams.
        .target(
            name: "GarnerMaintenance",
            dependencies: [
                "GarnerCatalog", "GarnerDatabase", "GarnerJSON", "GarnerLibC", "GarnerMigrations", "GarnerModel",
                "GarnerPersistence", "GarnerSQLite",
            ], path: "Sources/Maintenance"),

        // What is one run of one stream? Pages in, transactions out, one outcome.
        .target(
            name: "GarnerSync",
            dependencies: [
                "GarnerCatalog", "GarnerFetcher", "GarnerJSON", "GarnerModel", "GarnerPersistence", "GarnerTasks",
            ], path: "Sources/Sync"),

        // When, and what if it fails? Pure schedules, a thin service that sleeps.
        .target(
            name: "GarnerScheduler",
            dependencies: [
                "GarnerCatalog", "GarnerModel", "GarnerSync", "GarnerTasks",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ], path: "Sources/Scheduler"),

        // What is told of streams, runs, changes and tables? Records of named fields, for every way to show them.
        .target(
            name: "GarnerReports",
            dependencies: [
                "GarnerCatalog", "GarnerDatabase", "GarnerJSON", "GarnerModel", "GarnerPersistence",
                "GarnerPresentation", "GarnerScheduler",
            ], path: "Sources/Reports"),

        // How does one garner ask another? Requests to the running service over a Unix socket.
        .target(
            name: "GarnerControl",
            dependencies: [
                "GarnerDigest", "GarnerLibC", "GarnerModel", "GarnerTasks",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ], path: "Sources/Control"),

        // How does the work go on by itself? The service of a database, its hooks and programs, and what they are made with.
        .target(
            name: "GarnerRuntime",
            dependencies: [
                "GarnerCatalog", "GarnerControl", "GarnerFetcher", "GarnerJSON", "GarnerLibC", "GarnerModel",
                "GarnerPersistence", "GarnerPostgres", "GarnerPresentation", "GarnerPublish", "GarnerReports",
                "GarnerScheduler", "GarnerShards", "GarnerSQLite", "GarnerSync", "GarnerTasks",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ], path: "Sources/Runtime"),

        // How does it look in a browser? Pages over the database, metrics, and the server that gives them.
        .target(
            name: "Dashboard",
            dependencies: [
                "GarnerCatalog", "Connections", "GarnerDatabase", "GarnerDigest", "GarnerJSON", "GarnerLibC",
                "GarnerModel", "GarnerPersistence", "GarnerPresentation",
                "GarnerReports", "GarnerTasks",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            resources: [
                .embedInCode("Resources/icon.svg"), .embedInCode("Resources/script.js"),
                .embedInCode("Resources/style.css"),
            ]),

        // What can be tried offline? An animals API on loopback, in two states.
        .target(
            name: "DemoAPI",
            dependencies: [
                "Connections", "GarnerDigest", "GarnerJSON", "GarnerLibC",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdCore", package: "hummingbird"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ], resources: [.embedInCode("animals.ndjson")]),

        // What does the system keep of the process? Calls that Swift cannot make: what the allocator keeps, and what a crash leaves.
        .systemLibrary(name: "CProcess"),

        // What was it built of? The versions of C libraries, and a place that the packager fills.
        .target(name: "CBuild", dependencies: ["CGarnerSQLite", "CGarnerXXHash", "CGarnerYAML", "CGarnerLibSimdJSON"]),

        // How does a person drive it? One file a subcommand, one composition root.
        .executableTarget(
            name: "garner",
            dependencies: [
                "CBuild", "CProcess", "GarnerCatalog", "Connections", "GarnerControl", "Dashboard", "GarnerDatabase",
                "DemoAPI",
                "GarnerFetcher",
                "GarnerImport", "GarnerJSON", "GarnerLibC", "GarnerMaintenance", "GarnerModel", "GarnerPersistence",
                "GarnerPostgres", "GarnerPresentation", "GarnerPublish", "GarnerReports", "GarnerRuntime",
                "GarnerScheduler", "GarnerShards", "GarnerSync", "GarnerTasks",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ], path: "Sources/GarnerCommand",
            linkerSettings: standalone),

        // What is the floor for storing? The same rows through raw C calls.
        .target(name: "RawUpsert", dependencies: ["CGarnerSQLite"], path: "Benchmarks/RawUpsert"),

        // How far is our storing from that floor?
        .executableTarget(
            name: "StoringBenchmark",
            dependencies: ["GarnerCatalog", "GarnerJSON", "GarnerModel", "GarnerPersistence", "RawUpsert"],
            path: "Benchmarks/StoringBenchmark"),

        // What do tests share? Folders, clocks, and servers on loopback.
        .target(
            name: "TestSupport",
            dependencies: [
                "GarnerLibC", "GarnerSQLite",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "Logging", package: "swift-log"),
            ], path: "Tests/TestSupport"),

        // Which PostgreSQL do tests speak to? A new cluster of their own, which ends with them.
        .target(name: "PostgresCluster", dependencies: ["GarnerLibC"], path: "Tests/PostgresCluster"),

        // How do well-known APIs answer? Their envelopes, paging, errors and limits, in the place of a network.
        .target(
            name: "SimulatedAPIs", dependencies: ["GarnerCatalog", "GarnerFetcher", "GarnerSync"],
            path: "Tests/SimulatedAPIs"),

        // What is left when ten thousand requests have failed? A process whose descriptors and memory are counted.
        .executableTarget(
            name: "FaultSoak", dependencies: ["GarnerCatalog", "GarnerFetcher", "GarnerModel", "TestSupport"],
            path: "Tests/FaultSoak"),

        // What if the disk fails? A VFS that counts, shows, fails and limits the calls of SQLite.
        .target(name: "FaultyStorage", dependencies: ["CGarnerSQLite"], path: "Tests/FaultyStorage"),

        // Is storing safe from crashes? A process that fails every call, cuts the power, fills the disk and kills.
        .executableTarget(
            name: "StorageProof",
            dependencies: [
                "GarnerCatalog", "GarnerDatabase", "FaultyStorage", "GarnerFetcher", "GarnerJSON", "GarnerLibC",
                "GarnerModel", "GarnerPersistence", "GarnerPostgres", "GarnerSQLite", "PostgresCluster",
                "SimulatedAPIs", "GarnerSync", "TestSupport",
            ],
            path: "Tests/StorageProof", exclude: ["PublishFaults", "WorkersFaults"]),

        // Do the schedules say what they mean? A process that asks other programs, and lets virtual years pass.
        .executableTarget(
            name: "SchedulerProof", dependencies: ["GarnerCatalog", "GarnerModel", "GarnerScheduler", "TestSupport"],
            path: "Tests/SchedulerProof", exclude: ["Cron/croniter_oracle.py"]),

        // Is what is public enough? A program that sees no more of the library than one of another package does.
        .target(
            name: "OutsideProgram", dependencies: ["GarnerFetcher", "GarnerURLSessionTransport"],
            path: "Tests/OutsideProgram",
            packageAccess: false),

        .testTarget(name: "TasksTests", dependencies: ["GarnerTasks", "TestSupport"]),
        .testTarget(name: "JSONTests", dependencies: ["GarnerJSON", "TestSupport"], exclude: ["Resources"]),
        .testTarget(
            name: "SQLiteTests",
            dependencies: ["CGarnerSQLite", "CGarnerVFS", "GarnerDatabase", "GarnerSQLite", "TestSupport"]),
        .testTarget(name: "PostgresTests", dependencies: ["GarnerLibC", "GarnerPostgres", "PostgresCluster"]),
        .testTarget(
            name: "PublishTests",
            dependencies: [
                "GarnerCatalog", "GarnerDatabase", "GarnerJSON", "GarnerLibC", "GarnerModel", "GarnerPersistence",
                "GarnerPostgres", "GarnerPublish", "GarnerSQLite", "PostgresCluster", "TestSupport",
            ]),
        .testTarget(
            name: "ShardsTests",
            dependencies: [
                "GarnerCatalog", "GarnerDatabase", "GarnerLibC", "GarnerModel", "GarnerPersistence", "GarnerPostgres",
                "GarnerShards", "GarnerSQLite", "GarnerTasks", "PostgresCluster", "TestSupport",
            ]),
        .testTarget(
            name: "PresentationTests",
            dependencies: ["GarnerCatalog", "GarnerJSON", "GarnerModel", "GarnerPresentation"]),
        .testTarget(
            name: "CatalogTests",
            dependencies: ["GarnerCatalog", "GarnerJSON", "GarnerLibC", "GarnerModel", "GarnerYAML", "TestSupport"]),
        .testTarget(
            name: "ImportTests",
            dependencies: [
                "GarnerCatalog", "GarnerImport", "GarnerJSON", "GarnerModel", "GarnerYAML", "TestSupport",
            ],
            exclude: ["Manifests"]),
        .testTarget(
            name: "FetcherTests",
            dependencies: [
                "GarnerCatalog", "FaultSoak", "GarnerFetcher", "GarnerJSON", "GarnerLibC", "GarnerModel",
                "OutsideProgram", "TestSupport",
                "GarnerURLSessionTransport",
                .product(name: "AsyncHTTPClient", package: "async-http-client"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOEmbedded", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ]),
        .testTarget(
            name: "PersistenceTests",
            dependencies: [
                "CGarnerSQLite", "GarnerCatalog", "GarnerDatabase", "GarnerJSON", "GarnerMaintenance",
                "GarnerMigrations", "GarnerModel",
                "GarnerPersistence", "GarnerPresentation",
                "GarnerSQLite", "TestSupport",
            ]),
        .testTarget(
            name: "StorageProofTests",
            dependencies: [
                "GarnerDatabase", "GarnerFetcher", "GarnerModel", "SimulatedAPIs", "StorageProof", "TestSupport",
            ]),
        .testTarget(
            name: "SyncTests",
            dependencies: [
                "GarnerCatalog", "GarnerDatabase", "GarnerFetcher", "GarnerJSON", "GarnerModel", "GarnerPersistence",
                "GarnerPresentation", "GarnerSQLite", "SimulatedAPIs", "GarnerSync",
                "TestSupport",
            ]),
        .testTarget(
            name: "SchedulerTests",
            dependencies: [
                "GarnerCatalog", "GarnerModel", "GarnerScheduler", "SchedulerProof", "GarnerSync", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .testTarget(
            name: "ControlTests",
            dependencies: [
                "GarnerCatalog", "GarnerControl", "GarnerModel", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .testTarget(
            name: "RuntimeTests",
            dependencies: [
                "GarnerCatalog", "GarnerModel", "GarnerPersistence", "GarnerRuntime", "GarnerScheduler", "GarnerSync",
                "TestSupport",
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ]),
        .testTarget(
            name: "DashboardTests",
            dependencies: [
                "GarnerCatalog", "Connections", "Dashboard", "GarnerDatabase", "GarnerJSON", "GarnerModel",
                "GarnerPersistence", "GarnerPresentation",
                "GarnerReports", "GarnerScheduler", "GarnerSQLite", "TestSupport",
                .product(name: "Logging", package: "swift-log"),
            ]),
        .testTarget(
            name: "DemoAPITests",
            dependencies: [
                "DemoAPI", "GarnerDigest", "GarnerJSON", "TestSupport",
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
            ]),
        .testTarget(
            name: "garnerTests",
            dependencies: [
                "GarnerCatalog", "GarnerControl", "GarnerDatabase", "DemoAPI", "GarnerJSON", "GarnerLibC",
                "GarnerMaintenance", "GarnerModel", "GarnerPersistence", "GarnerPostgres", "GarnerPresentation",
                "GarnerRuntime", "GarnerSQLite", "GarnerScheduler", "GarnerShards", "GarnerSync", "PostgresCluster",
                "TestSupport", "garner",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ], exclude: ["Examples/Recipes", "Parity/zoo.json", "Parity/zoo.manifest.yaml"]),
    ],
    cxxLanguageStandard: .cxx17
)

for target in package.targets where target.type == .regular || target.type == .executable || target.type == .test {
    target.swiftSettings = [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    ]
}
