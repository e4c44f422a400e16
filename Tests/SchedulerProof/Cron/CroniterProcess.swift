import GarnerCatalog
import Foundation
import GarnerModel

/// A Python process that is asked what croniter says.
final class CroniterProcess {
    let version: String
    private let process: Process
    private let questions: FileHandle
    private let answers: LineReader

    enum Failure: Error {
        case ended
    }

    /// Returns nil if croniter is not installed.
    init?(python: String) throws {
        let (input, output, process) = (Pipe(), Pipe(), Process())
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "croniter_oracle.py")
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [python, script.path]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
        self.process = process
        questions = input.fileHandleForWriting
        answers = LineReader(output.fileHandleForReading)
        guard let version = answers.next() else {
            process.waitUntilExit()
            return nil
        }
        self.version = version
    }

    /// One answer for each case, in order.
    func answers(to cases: [CronCase]) throws -> [CroniterAnswer] {
        try questions.write(contentsOf: Data(cases.map { $0.question + "\n" }.joined().utf8))
        return try cases.map { _ in
            guard let line = answers.next() else { throw Failure.ended }
            return CroniterAnswer(line)
        }
    }

    func end() {
        try? questions.close()
        process.waitUntilExit()
    }
}

/// The answer of croniter to one case.
enum CroniterAnswer: CustomStringConvertible {
    case instant(Timestamp, offset: Int)
    /// Croniter found no instant.
    case none
    /// Croniter does not know the zone, or cannot read the expression.
    case refused(String)

    init(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 1)
        if words.count == 2, let second = Int64(words[0]), let offset = Int(words[1]) {
            self = .instant(Timestamp(millisecondsSince1970: second * 1000), offset: offset)
        } else {
            self = line == "none" ? .none : .refused(line)
        }
    }

    var description: String {
        switch self {
        case .instant(let instant, _): instant.description
        case .none: "none"
        case .refused(let reason): reason
        }
    }
}

/// Reads a pipe line by line.
private final class LineReader {
    private let handle: FileHandle
    private var buffer = Data()

    init(_ handle: FileHandle) {
        self.handle = handle
    }

    /// Returns the next line; nil at the end.
    func next() -> String? {
        while true {
            if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: buffer[..<end], as: UTF8.self)
                buffer = Data(buffer[(end + 1)...])
                return line
            }
            let more = handle.availableData
            if more.isEmpty { return nil }
            buffer.append(more)
        }
    }
}
