import Foundation
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A started program with both ends of its pipes.
final class HookProcess: Sendable {
    private let id: pid_t
    private let input: Int32
    private let output: Int32
    /// Its other end is closed when the program ends.
    private let ended: Int32
    private let isReaped = Mutex(false)

    /// Throws `HookProblem`.
    init(_ words: [String], _ environment: [String: String]) throws(HookProblem) {
        let started = try Spawn.alone { () throws(HookProblem) in
            var spawn = try Spawn(program: words[0])
            let (input, output, ended) = (try spawn.input(), try spawn.output(), try spawn.pipe())
            return (id: try spawn.start(words, environment), input, output, ended)
        }
        (input, output, ended) = (started.1, started.2, started.3.reading)
        id = started.id
        let (id, writing) = (id, started.3.writing)
        Thread.detachNewThread {
            // It stays a zombie, so that its number and that of its group are no one else's before it is reaped.
            var information = siginfo_t()
            while waitid(P_PID, id_t(id), &information, WEXITED | WNOWAIT) < 0, errno == EINTR {}
            close(writing)
        }
    }

    /// Ends the program and all that it has started in its group.
    func kill() {
        isReaped.withLock { isReaped in
            if !isReaped { _ = killpg(id, SIGKILL) }
        }
    }

    /// All that a pipe holds, and all that is kept.
    private static let readsAtOnce = 2 * HookCommand.maximumOutput / (16 << 10)

    /// Blocks until the program has ended.
    func attend(input text: String) -> HookCommand.Ending {
        var rest = Array(text.utf8)[...]
        var said: [UInt8] = []
        var isCut = false
        var (isWriting, isReading, isRunning) = (true, true, true)
        // What is there: a while only, as it may be without end, and another one's that was left behind.
        func listen() {
            var buffer = [UInt8](repeating: 0, count: 16 << 10)
            for _ in 0..<Self.readsAtOnce where isReading {
                let count = read(output, &buffer, buffer.count)
                if count < 0, errno == EINTR { continue }
                if count < 0, errno == EAGAIN { return }
                if count <= 0 { isReading = false }
                let room = HookCommand.maximumOutput - said.count
                if count > room { isCut = true }
                said += buffer.prefix(max(0, min(count, room)))
            }
        }
        while isRunning {
            var watched = [
                pollfd(fd: ended, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isReading ? output : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isWriting ? input : -1, events: Int16(POLLOUT), revents: 0),
            ]
            guard poll(&watched, 3, -1) >= 0 || errno == EINTR else { break }
            if watched[0].revents != 0 { isRunning = false }
            if watched[1].revents != 0 { listen() }
            if watched[2].revents != 0 {
                let count = rest.withUnsafeBytes { write(input, $0.baseAddress, $0.count) }
                if count > 0 { rest = rest.dropFirst(count) }
                // One that does not read is no failure.
                if rest.isEmpty || (count < 0 && errno != EAGAIN && errno != EINTR) {
                    close(input)
                    isWriting = false
                }
            }
        }
        listen()
        if isWriting { close(input) }
        close(output)
        close(ended)
        return HookCommand.Ending(status: reap(), output: said, isCut: isCut)
    }

    private func reap() -> Int32 {
        isReaped.withLock { isReaped in
            isReaped = true
            var status: Int32 = 0
            while waitpid(id, &status, 0) < 0, errno == EINTR {}
            return status
        }
    }
}
