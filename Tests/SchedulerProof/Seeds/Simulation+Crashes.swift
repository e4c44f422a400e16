import Catalog
import Model
import Scheduler

extension Simulation {
    /// When the process is killed.
    package enum Crashes: Sendable, Equatable {
        /// Now and then, between two events.
        case atRandom
        /// At this step, too, of those that `steps` counts from 1.
        case atStep(Int)
        /// Behind each commit, too, so that no process hears of one.
        case afterEachCommit
    }

    /// Between what a process can be killed.
    enum Gap {
        /// A decision and what is done about it.
        case decision
        /// A commit and what it leads to.
        case commit
    }

    /// Where the process is killed on purpose, no file changes and no disk is full: `expectEachAccounted` holds then.
    var isCalm: Bool { crashes != .atRandom }

    /// One step further; false where the process is dead.
    mutating func lives(after gap: Gap) -> Bool {
        guard !isDead else { return false }
        steps += 1
        switch crashes {
        case .atRandom: break
        case .atStep(let step): isDead = steps == step
        case .afterEachCommit: isDead = gap == .commit
        }
        return !isDead
    }

    /// How many runs of instants have ended.
    package var commits: Int { books.values.reduce(0) { $0 + $1.committed.count } }

    /// From the first of a stream's instants that the database tells of to the last that it calls settled, each is
    /// there once: its run has ended, or it was left out.
    mutating func expectEachAccounted() {
        for book in books.values {
            // With a pause after each run, which instants there are is up to the runs.
            guard let timeline = book.timeline, book.pause == nil, let settled = book.stored?.settled else { continue }
            var next = (book.committed.union(book.leftOut.keys)).min()
            var accounts = 0
            while let instant = next, instant <= settled {
                guard let last = book.committed.contains(instant) ? instant : book.leftOut[instant] else {
                    fail("\(book.stream.name) \(instant) was lost")
                    break
                }
                accounts += 1
                next = timeline.next(after: last)
            }
            let isLost = next.map { $0 <= settled } ?? false
            expect(
                isLost || accounts == book.committed.count + book.leftOut.count,
                "\(book.stream.name) has an instant in two accounts")
        }
    }
}

extension Timetable.Action {
    /// Whether something is stored.
    var commits: Bool {
        switch self {
        case .skip, .remember: true
        case .run, .cancel, .clockWasAhead, .refuse, .wake, .startGrace, .cancelRuns, .finish: false
        }
    }
}
