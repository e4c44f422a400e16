import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports

/// The state of a stream, in the order of what needs attention first.
enum StreamCondition: Int, Comparable, CaseIterable {
    case suspended, failing, failingPaused, late, partial, unknown, keepsRows, running, waiting, inStep, paused, never

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    init(_ status: StreamStatus) {
        let isFailing = status.isFailing || status.record?.circuitOpenedAt != nil
        self =
            if status.isPaused {
                isFailing ? .failingPaused : .paused
            } else if status.history?.lastRun?.status == .running {
                status.isOverdue ? .late : .running
            } else if status.record?.circuitOpenedAt != nil {
                .suspended
            } else if status.isWaiting {
                .waiting
            } else if isFailing {
                .failing
            } else if status.isOverdue {
                status.history == nil && status.record == nil ? .never : .late
            } else if status.history?.lastRun == nil {
                .never
            } else if status.isIncomplete {
                switch status.history?.lastVerdict?.completeness {
                case .partial: .partial
                case .complete: .keepsRows
                case .unknown: .unknown
                case nil: status.partOfFirstRead == nil ? .unknown : .partial
                }
            } else {
                .inStep
            }
    }

    var needsAttention: Bool { self <= .keepsRows }

    var word: String { look.word }
    var icon: Icon { look.icon }
    var tone: Component.Tone { look.tone }

    private var look: (word: String, icon: Icon, tone: Component.Tone) {
        switch self {
        case .suspended: ("suspended", .failing, .fail)
        case .failing: ("failing", .failing, .fail)
        case .failingPaused: ("failing, paused", .failing, .fail)
        case .late: ("late", .late, .warn)
        case .partial: ("partial", .partial, .warn)
        case .unknown: ("unknown", .partial, .warn)
        case .keepsRows: ("keeps rows", .partial, .warn)
        case .running: ("running", .running, .run)
        case .waiting: ("waiting", .paused, .quiet)
        case .inStep: ("in step", .inStep, .ok)
        case .paused: ("paused", .paused, .quiet)
        case .never: ("never run", .never, .quiet)
        }
    }

    func badge(_ status: StreamStatus) -> HTML {
        let failures = status.history?.consecutiveFailures ?? 0
        guard icon == .failing, failures > 1 else { return Component.badge(icon, word, tone) }
        let (verb, rest) = (self == .suspended ? "suspended" : "failing", self == .failingPaused ? ", paused" : "")
        return Component.badge(icon, "\(verb) ×\(Component.grouped(failures))\(rest)", tone)
    }
}

/// A stream as the front page shows it.
///
/// A page sorts and counts them, so it is a reference, and what they are sorted by is kept.
final class StreamLine: Sendable {
    let status: StreamStatus
    let recent: [RunBrief]
    let condition: StreamCondition
    let name: String

    init(status: StreamStatus, recent: [RunBrief]) {
        (self.status, self.recent) = (status, recent)
        condition = StreamCondition(status)
        name = status.stream.name.description
    }

    var link: Link { Link("streams", name) }
}

/// Runs that usually take longer than their schedule allows, so that there are fewer of them than it says.
struct SlowRuns: Equatable {
    /// The runs that are looked at.
    private static let latest = 10

    let usual: Duration
    let period: Duration

    /// Returns nil if the runs keep up, or if that is unknown.
    ///
    /// - Parameter durations: The times that the latest successful runs took, newest first.
    init?(_ durations: some Sequence<Duration>, of status: StreamStatus, now: Timestamp) {
        guard let period = status.period(at: now),
            let usual = Charts.percentile(50, of: Array(durations.prefix(Self.latest))), usual > period
        else { return nil }
        (self.usual, self.period) = (usual, period)
    }

    var sentence: HTML {
        """
        A run usually takes \(Component.took(usual)), and its schedule has one every \(Component.took(period)): there are fewer \
        runs than it says.
        """
    }

    let advised: HTML =
        """
        <p class="try"><b>Try:</b> give it a longer <code>schedule</code>, or read less in each run, with \
        <code>incremental</code>.</p>
        """
}

extension StreamLine {
    func slowRuns(now: Timestamp) -> SlowRuns? {
        let durations = recent.filter { $0.status == .succeeded }.compactMap { run in
            run.endedAt.map { max(.zero, run.startedAt.duration(to: $0)) }
        }
        return SlowRuns(durations, of: status, now: now)
    }
}
