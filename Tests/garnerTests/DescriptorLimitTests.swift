import Foundation
import GarnerModel
import TestSupport
import Testing

@testable import garner

@Suite(.serialized, .timeLimit(.minutes(2)))
struct DescriptorLimitTests {
    @Test(
        arguments: [
            (1024, 1024, nil), (1 << 63, 1 << 63, nil), (256, 4096, 4096), (10, 100, 100), (1023, 1023, nil),
            (46, 46, nil), (1024, 4096, 4096), (1024, 1 << 63, 65_536), (100_000, 1 << 20, nil),
        ] as [(UInt64, UInt64, UInt64?)])
    func `the limit is raised as far as it goes, or until there is more than enough`(
        soft: UInt64, hard: UInt64, raised: UInt64?
    ) throws {
        #expect(try DescriptorLimit(soft: soft, hard: hard).raised(for: .command, cores: 2) == raised)
    }

    @Test(arguments: [(1024, 256, 32), (1023, 255, 32), (134, 33, 8), (1 << 63, 256, 32), (8, 2, 1), (1, 1, 1)])
    func `browsers get a quarter of the descriptors, and no more than 256`(soft: UInt64, browsers: Int, clients: Int) {
        let limit = DescriptorLimit(soft: soft, hard: soft)
        #expect(limit.browsers == browsers)
        #expect(limit.clients == clients)
    }

    @Test(arguments: [(10, 45, 2), (46, 46, 3), (16, 16, 1)] as [(UInt64, UInt64, Int)])
    func `a descriptor limit that is too low and cannot be raised ends the program`(
        soft: UInt64, hard: UInt64, cores: Int
    ) throws {
        let failure = #expect(throws: CommandError.self) {
            try DescriptorLimit(soft: soft, hard: hard).raised(for: .command, cores: cores)
        }
        #expect(failure?.category == .system)
    }

    private static func run(_ limit: String, _ arguments: String, in place: Workplace) async throws
        -> GarnerProcess.Ending
    {
        try await place.shell("ulimit \(limit); exec garner \(arguments)")
    }

    @Test(
        arguments: [
            ("-n 10", "have 1"), ("-n 16", "have 1"), ("-v 200000", "map 195.3 MiB of memory"),
        ], ["sync", "serve", "query 'SELECT 1'"])
    func `a process that may open too few files, or map too little memory, says how much it needs`(
        limit: (option: String, words: String), command: String
    ) async throws {
        let place = try Workplace(api: "http://127.0.0.1:9")
        let ending = try await Self.run(limit.option, command, in: place)
        #expect(ending.code == 71 && ending.output == "")
        expectThreeParts(ending.errors, beginning: "Error: the system lets this program \(limit.words)")
        #expect(place.names == ["garner.yaml"])
    }

    @Test func `a process that may open few files tells its version`() async throws {
        #expect(try await Self.run("-n 10", "--version", in: try Workplace()).code == 0)
    }

    @Test(arguments: [
        "-Sn 10", "-n \(DescriptorLimit.least(for: .command, onCores: ProcessInfo.processInfo.activeProcessorCount))",
    ])
    func `twenty streams are synchronised, and demonstrated, with the least that there may be`(limit: String)
        async throws
    {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url, streams: (1...20).map { "s\($0)" })
            let sync = try await Self.run(limit, "sync", in: place)
            #expect(sync.code == 0, "\(sync.errors)")
            #expect(try place.integers("SELECT count(*) FROM _garner_runs WHERE status = 'succeeded'") == [20])
            let demo = try await Self.run(limit, "demo", in: try Workplace())
            #expect(demo.code == 0, "\(demo.errors)")
        }
    }

    @Test(arguments: [(287, 1, false), (288, 1, true), (319, 2, false), (1 << 43, 64, true)] as [(UInt64, Int, Bool)])
    func `each core needs memory for its threads`(mebibytes: UInt64, cores: Int, isEnough: Bool) {
        #expect(((try? AddressSpaceLimit.check(mebibytes << 20, cores: cores)) != nil) == isEnough)
    }

    /// The limit that the message names is one for a release build. This one maps more, and has other threads under load.
    @Test func `a program that may map too little memory changes nothing`() async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let place = try Workplace(api: server.url)
            #expect(try await place.garner("sync").code == 0)
            let before = try Data(contentsOf: URL(filePath: place.database))
            let refused = try await Self.run("-v 200000", "sync", in: place)
            #expect(refused.code == 71)
            #expect(refused.errors.contains(#/Try: .*'ulimit -v \d+'/#), "\(refused.errors)")
            #expect(try Data(contentsOf: URL(filePath: place.database)) == before)
            #expect(try await place.garner("sync").code == 0)
            #expect(try place.integers("SELECT id FROM animals ORDER BY 1") == [1, 2])
        }
    }

    #if os(Linux)
        /// The limit alone can be raised from outside, and does not hold for a program that collects dumps.
        @Test func `a crash leaves no file with the memory`() async throws {
            let place = try Workplace(
                api: "http://127.0.0.1:9", streams: ["s"], "primary_key: id, schedule: { every: 1000d }")
            let serve = try GarnerProcess(
                ["-c", #"ulimit -Sc 4; exec "$0" serve"#, GarnerProcess.binary], of: "/bin/sh", in: place.folder,
                environment: ["HOME": place.path, "PATH": "/usr/bin:/bin", "SWIFT_BACKTRACE": "enable=no"])
            try await eventually { serve.errorsSoFar.contains("Scheduler started") }
            try await eventually {
                let limits = try String(contentsOfFile: "/proc/\(serve.id)/limits", encoding: .utf8)
                return limits.contains(#/Max core file size +0 /#)
            }
            _ = try await place.shell("prlimit --pid \(serve.id) --core=unlimited:")
            serve.send(SIGABRT)
            #expect(try await serve.end().code == 128 + SIGABRT)
            #expect(!place.names.contains { $0.hasPrefix("core") }, "\(place.names)")
        }
    #endif

    @Test func `a service serves sixteen streams at once with the least that there may be`() async throws {
        try await LoopbackServer.serve({ .page($0.page, of: 1) }) { server in
            let streams = (1...16).map { "s\($0)" }
            let place = try Workplace(api: server.url, streams: streams, "primary_key: id, schedule: { every: 1000d }")
            let least = DescriptorLimit.least(for: .service, onCores: ProcessInfo.processInfo.activeProcessorCount)
            let serve = try GarnerProcess(
                ["-c", #"ulimit -n \#(least); exec "$0" serve"#, GarnerProcess.binary], of: "/bin/sh", in: place.folder,
                environment: ["HOME": place.path, "PATH": "/usr/bin:/bin"])
            try await eventually {
                (try? place.integers("SELECT count(*) FROM _garner_runs WHERE status = 'succeeded'")) == [16]
            }
            serve.send(SIGTERM)
            #expect(try await serve.end().code == 0)
        }
    }
}
