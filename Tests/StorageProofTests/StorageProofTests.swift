import Foundation
import TestSupport
import Testing

/// A sample of the storage proofs, run in their own process; `script/prove` runs all of them.
@Suite(.timeLimit(.minutes(3)))
struct StorageProofTests {
    @Test func `reading the same again writes no page of a stream's table or of its indexes`() async throws {
        #expect(try await proof(["pages"]) == "pages: 16 cases, 0 failed")
    }

    @Test func `a run waits for the disk at its end, and where a page may not come again`() async throws {
        #expect(try await proof(["waits"]) == "waits: 7 cases, 0 failed")
    }

    @Test func `a scan takes few calls, and each may fail`() async throws {
        #expect(try await proof(["reads"]).hasSuffix(" cases, 0 failed"))
    }

    @Test func `files that may have 4 MiB in all hold whole pages`() async throws {
        #expect(try await proof(["--case", "full/pages of 256 KiB"]) == "full: 1 cases, 0 failed")
    }

    @Test func `a call that fails leaves what was acknowledged`() async throws {
        #expect(try await proof(["--case", "faults/call 300 eio for ever"]).hasPrefix("faults: 1 cases, 0 failed"))
    }

    @Test(arguments: [("small", 0, "0 failed, no file system could be mounted"), ("full", 1, "1 failed")])
    func `only the full-size proof fails when no file system can be mounted`(
        size: String, code: Int32, result: String
    ) async throws {
        let arguments = ["--size", size, "--unshare", "/bin/false", "--case", "full/mount"]
        #expect(try await proof(arguments, endsWith: code) == "full: 1 cases, \(result)")
    }

    @Test func `a random history ends as its model says`() async throws {
        #expect(try await proof(["--case", "histories/1"]).hasPrefix("histories: 1 cases, 0 failed"))
    }

    @Test(arguments: ["HAL, init", "Stripe, alone", "2"])
    func `an API with bad manners, or with none, is read as it says`(name: String) async throws {
        #expect(try await proof(["--case", "manners/\(name)"]).hasPrefix("manners: 1 cases, 0 failed"))
    }

    @Test func `what another machine was told is on the disk when the power goes`() async throws {
        #expect(try await proof(["--case", "publish/together power 7"]).hasPrefix("publish: 1 cases, 0 failed"))
    }

    @Test func `tables that are published through cut connections are those of the file`() async throws {
        #expect(try await proof(["--case", "publish/cuts"]).hasPrefix("publish: 1 cases, 0 failed"))
    }

    @Test func `bytes of the file that become others crash nothing, and nothing hangs`() async throws {
        #expect(try await proof(["--case", "flips/copy 1"]).hasPrefix("flips: 1 cases, 0 failed"))
    }

    /// The last line that the process writes, without the time that it took.
    private func proof(_ arguments: [String], endsWith code: Int32 = 0) async throws -> String {
        let folder = try TemporaryFolder()
        let output = folder.url.appending(path: "output")
        try Data().write(to: output)
        let process = Process()
        process.executableURL = Self.binary
        process.arguments = arguments
        process.standardOutput = try FileHandle(forWritingTo: output)
        let ending = Watched<Int32?>(nil)
        process.terminationHandler = { ended in ending.value = ended.terminationStatus }
        try process.run()
        await ending.until { $0 != nil }
        if ending.value == nil { process.terminate() }
        let text = try String(contentsOf: output, encoding: .utf8)
        #expect(ending.value == code, "\(text)")
        let line = text.split(separator: "\n").last ?? ""
        return line.split(separator: ", ").dropLast().joined(separator: ", ")
    }

    /// The `StorageProof` program that was built with these tests.
    private static let binary: URL = {
        let tests = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        let root = URL(filePath: #filePath).appending(path: "../../..").standardizedFileURL
        let places = [tests, Bundle.main.bundleURL, root.appending(path: ".build/debug")]
            .map { $0.appending(path: "StorageProof") }
        return places.first { FileManager.default.isExecutableFile(atPath: $0.path) } ?? places[0]
    }()
}
