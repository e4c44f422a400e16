import Foundation
import TestSupport
import Testing

@testable import garner

@Suite(.timeLimit(.minutes(5)))
struct LogWriterTests {
    private static func lost(_ count: Int) -> String { "lost \(count)\n" }

    @Test func `lines come in their order`() {
        let pipe = LogPipe()
        let writer = LogWriter(pipe.writing)
        for number in 0..<1000 { writer.add("\(number)\n", tellLoss: Self.lost) }
        #expect(writer.flush(within: .seconds(30)))
        #expect(pipe.read() == (0..<1000).map { "\($0)\n" }.joined())
    }

    @Test func `a reader that stops keeps nobody waiting, and what was lost is told`() {
        let pipe = LogPipe()
        let writer = LogWriter(pipe.writing, capacity: 100)
        // 64 KiB fill the pipe, and some lines are in the thread's hands; then the queue is full.
        let line = String(repeating: "x", count: 1023) + "\n"
        for _ in 0..<10_000 { writer.add(line, tellLoss: Self.lost) }
        #expect(!writer.flush(within: .milliseconds(1)))
        func written(_ text: String) -> Int { text.split(separator: "\n").filter { $0.hasPrefix("x") }.count }
        func lost(_ text: String) -> Int {
            text.matches(of: /lost (\d+)\n/).compactMap { Int($0.1) }.reduce(0, +)
        }
        let text = pipe.read { written($0) + lost($0) == 10_000 && $0.hasSuffix("\n") }
        #expect(written(text) + lost(text) == 10_000)
        #expect(written(text) >= 100 && lost(text) >= 1000)
        writer.add("back\n", tellLoss: Self.lost)
        #expect(writer.flush(within: .seconds(30)))
        #expect(pipe.read() == "back\n")
    }

    @Test func `a reader that is gone stops nobody either`() {
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [-1, -1]
        _ = pipe(&ends)
        close(ends[0])
        let writer = LogWriter(ends[1])
        for _ in 0..<100 { writer.add("a line\n", tellLoss: Self.lost) }
        #expect(writer.flush(within: .seconds(30)))
        close(ends[1])
    }

    @Test func `flushing an empty log writer returns at once`() {
        #expect(LogWriter(-1).flush(within: .seconds(60)))
    }
}
