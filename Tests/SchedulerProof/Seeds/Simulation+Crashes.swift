import GarnerCatalog
import GarnerModel
import GarnerScheduler

extension Simulation {
    /// The moments at which the process is killed.
    package enum Crashes: Sendable, Equatable {
        /// Random moments between two events.
        case atRandom
        /// The same, and this step, as `steps` counts them from 1.
        case atStep(Int)
        /// The same, and after each commit, so that no process learns of one.
        case afterEachCommit
    }

    /// A point at which a process can be killed.
    enum Gap {
        /// The point between a decision and its effect.
        case decision
        /// The point between a commit and its consequences.
        case commit
    }

    /// True if the process is killed on purpose. No file changes and no disk fills up then, so that
    /// `expectEachAccounted` holds.
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

    /// The number of instants whose run has ended.
    package var commits: Int { books.values.reduce(0) { $0 + $1.committed.count } }

    /// Expects that the database has each instant of a stream once, from the first that it names to the last that it
    /// calls settled: either its run has ended, or it was left out.
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
    /// True if the action stores something.
    var commits: Bool {
        switch self {
        case .skip, .remember: true
        case .run, .cancel, .clockWasAhead, .refuse, .wake, .startGrace, .cancelRuns, .finish: false
        }
    }
}
