import Foundation
import GarnerLibC

/// A pipe that is read when a test wants it.
final class LogPipe: Sendable {
    let reading: Int32
    let writing: Int32

    init() {
        var ends: [Int32] = [-1, -1]
        _ = pipe(&ends)
        (reading, writing) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(reading, F_SETFL, fcntl(reading, F_GETFL) | O_NONBLOCK)
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// Reads the bytes that are there, without waiting.
    func read() -> String {
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        while case let count = Foundation.read(reading, &buffer, buffer.count), count > 0 {
            text += buffer.prefix(count)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads until the text is enough, or nothing comes for a minute.
    func read(until isEnough: (String) -> Bool) -> String {
        var text = ""
        while !isEnough(text) {
            var watched = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
            guard poll(&watched, 1, 60_000) > 0 else { return text }
            text += read()
        }
        return text
    }
}
