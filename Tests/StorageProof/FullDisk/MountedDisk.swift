import Foundation
import TestSupport

/// `garner` on a file system of 4 MiB that is mounted for it alone, where this user may do that.
struct MountedDisk {
    let binary: String
    /// Runs a program with mounts of its own (unshare(1)).
    let unshare: String

    enum Outcome: Sendable {
        case sound
        case failed(String)
        case impossible
    }

    private static let pages = 48
    private static let records = 16

    func outcome() async throws -> Outcome {
        for flags in ["-m", "-rm"]
        where try await shell(["-c", "\"$1\" \(flags) mount -t tmpfs none /mnt", "sh", unshare]) == 0 {
            return try await outcome(flags)
        }
        return .impossible
    }

    private func outcome(_ flags: String) async throws -> Outcome {
        try await LoopbackServer.serve({ Self.reply(to: $0) }) { server in
            let folder = try TemporaryFolder()
            try Self.configuration(server.url)
                .write(toFile: folder.path("garner.yaml"), atomically: false, encoding: .utf8)
            try FileManager.default.createDirectory(atPath: folder.path("disk"), withIntermediateDirectories: false)
            let code = try await shell([
                "-c", "cd \"$1\" && exec \"$4\" \(flags) /bin/sh -c \"$2\" sh \"$3\"", "sh", folder.url.path,
                Self.script, binary, unshare,
            ])
            return code == 0
                ? .sound : .failed((try? String(contentsOfFile: folder.path("log"), encoding: .utf8)) ?? "code \(code)")
        }
    }

    /// Fills the disk, reads from it, makes it larger, and goes on; then tries disks that have no room for one more file:
    /// the database, its log, the log's index.
    private static let script = """
        exec > log 2>&1
        count() { "$1" query "$2" -f csv | tail -n 1; }
        garner=$1
        # With full, each page is a transaction. Otherwise many share one, which is lost as a whole.
        for mode in full normal; do
            mount -t tmpfs -o size=4m none disk || exit 1
            GARNER_SYNCHRONOUS=$mode "$garner" sync; code=$?
            [ "$code" = 74 ] || { echo "the sync on the full disk ended with $code"; exit 1; }
            pages=$(count "$garner" 'SELECT sum(pages) FROM _garner_runs')
            rows=0
            [ "$pages" = 0 ] || rows=$(count "$garner" 'SELECT count(*) FROM animals')
            [ "$rows" = $((pages * \(records))) ] || { echo "$rows rows of $pages pages"; exit 1; }
            [ "$mode" = normal ] || [ "$pages" -gt 0 ] || { echo "no page is stored"; exit 1; }
            "$garner" sync; code=$?
            [ "$code" = 74 ] || { echo "the second sync ended with $code"; exit 1; }
            mount -o remount,size=64m disk || exit 1
            "$garner" sync || { echo "with space again it ended with $?"; exit 1; }
            rows=$(count "$garner" 'SELECT count(*) FROM animals')
            [ "$rows" = \(pages * records) ] || { echo "$rows rows in the end"; exit 1; }
            umount disk || exit 1
        done
        for files in 2 3 4; do
            mount -t tmpfs -o nr_inodes=$files none disk || exit 1
            "$garner" sync; code=$?
            [ "$code" = 74 ] || { echo "with room for $((files - 1)) files the sync ended with $code"; exit 1; }
            umount disk || exit 1
        done
        """

    private static func configuration(_ url: String) -> String {
        """
        version: 1
        database: disk/garner.db
        sources:
          zoo:
            base_url: \(url)
            retry: { max_attempts: 1 }
            streams:
              animals: { path: animals, primary_key: id }
        """
    }

    private static func reply(to request: LoopbackRequest) -> LoopbackReply {
        let page = Ledger.page(of: request)
        let text = String(repeating: "x", count: 8 << 10)
        let records = (0..<records).map { #"{"id":\#(page * Self.records + $0),"text":"\#(text)"}"# }
        let next = page < pages ? #""?page=\#(page + 1)""# : "null"
        return .json(#"{"data":[\#(records.joined(separator: ","))],"next":\#(next)}"#)
    }

    private func shell(_ arguments: [String]) async throws -> Int32 {
        try await Victim("/bin/sh", arguments, in: FileManager.default.temporaryDirectory).end()
    }
}
