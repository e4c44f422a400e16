import GarnerCatalog
import TestSupport

extension Fault {
    /// The compression is broken, or nobody asked for it.
    static let compression: [Fault] = [
        compressed("cuts gzip short", .error("decompression")) { $0.dropLast(12) },
        compressed("leaves the end of gzip out", .error("decompression")) { $0.dropLast(4) },
        compressed("sends gzip with a wrong checksum", .error("decompression")) {
            $0.dropLast(8) + [0, 0, 0, 0] + $0.suffix(4)
        },
        compressed("sends gzip with a wrong size", .error("decompression")) { $0.dropLast(4) + [0, 0, 0, 0] },
        compressed("sends something behind gzip", .error("decompression")) { $0 + [1, 2, 3] },
        compressed("sends gzip twice, one behind the other", .error("json")) { $0 + $0 },
        compressed("sends the header of gzip alone", .error("decompression")) { $0.prefix(10) },
        compressed("sends nothing as gzip", .error("decompression")) { $0.prefix(0) },
        Fault("sends an empty body in gzip", .error("empty_body"), in: [.gzip]) {
            $0.answer.with { $0.body = [] }.reply
        },
        encoded("says gzip of what is not compressed", "gzip", .error("decompression")),
        Fault("does not say that it is gzip", .page) {
            $0.answer.with { $0.body = Gzip.stored($0.body) }.reply
        },
        Fault("sends a gzip file in gzip", .page, in: [.gzip]) {
            $0.answer.with { $0.body = Gzip.stored($0.body) }.reply
        },
        Fault("sends a gzip file that is cut off", .error("decompression")) {
            $0.answer.with { $0.body = Gzip.stored($0.body).dropLast(9) }.reply
        },
        Fault("sends a gzip file with a wrong checksum", .error("decompression")) {
            $0.answer.with {
                let file = Gzip.stored($0.body)
                $0.body = file.dropLast(8) + [0, 0, 0, 0] + file.suffix(4)
            }.reply
        },
        Fault("sends a gzip file of three gzip files, one in another", .error("json")) {
            $0.answer.with { $0.body = Gzip.stored(Gzip.stored(Gzip.stored($0.body))) }.reply
        },
        Fault("compresses twice", .error("decompression")) {
            $0.answer.with {
                $0.fields.append(("Content-Encoding", "gzip, gzip")); $0.body = Gzip.stored(Gzip.stored($0.body))
            }.reply
        },
        Fault("compresses twice, in two fields", .error("decompression")) {
            $0.answer.with {
                $0.fields += [("Content-Encoding", "gzip"), ("Content-Encoding", "gzip")]
                $0.body = Gzip.stored(Gzip.stored($0.body))
            }.reply
        },
        encoded("sends br", "br", .error("decompression")),
        encoded("sends zstd", "zstd", .error("decompression")),
        Fault("sends x-gzip", .page) {
            $0.answer.with {
                $0.fields.append(("Content-Encoding", "x-gzip")); $0.body = Gzip.stored($0.body)
            }.reply
        },
        encoded("says identity", "identity", .page),
        Fault("sends 1000 times as much as it compressed", .error("body_too_large"), in: [.plain, .chunked]) {
            $0.answer.with {
                $0.fields.append(("Content-Encoding", "gzip")); $0.body = Gzip.bomb(size: 2000)
            }.reply
        }.limited { $0.body = 200_000 },
    ]

    private static func compressed(
        _ name: String, _ outcome: Outcome, _ change: @escaping @Sendable ([UInt8]) -> some Collection<UInt8>
    ) -> Fault {
        // In chunks and with a length: what is wrong is not the framing.
        Fault(name, outcome, in: [.plain, .chunked]) {
            $0.answer.with {
                $0.fields.append(("Content-Encoding", "gzip")); $0.body = Array(change(Gzip.stored($0.body)))
            }.reply
        }
    }

    private static func encoded(_ name: String, _ encoding: String, _ outcome: Outcome) -> Fault {
        Fault(name, outcome, in: [.plain, .chunked]) {
            $0.answer.with { $0.fields.append(("Content-Encoding", encoding)) }.reply
        }
    }
}
