import GarnerCatalog
import GarnerModel
import GarnerPersistence
import GarnerPresentation
import GarnerReports

/// The trouble of a stream that needs attention: what is wrong, since when, and what to try.
struct Trouble {
    /// The failure of the last run in one sentence; nil if it did not fail.
    var failure: HTML?
    /// Sentences.
    var said: [HTML] = []
    var advice: HTML?

    var advised: HTML? { Component.tried(advice) }
}

extension Dashboard {
    /// A stream that needs attention, in the list above all streams.
    func wrong(_ line: StreamLine, _ now: Timestamp) -> HTML {
        let trouble = trouble(of: line.status, line.condition, now)
        let said = [trouble.failure].compactMap(\.self) + trouble.said
        return Self.item(
            line.condition.badge(line.status), line.name, line.link, said, advised: trouble.advised, act: act(on: line))
    }

    /// Says what is wrong with a stream that needs attention, for the first page and for its own.
    func trouble(of status: StreamStatus, _ condition: StreamCondition, _ now: Timestamp) -> Trouble {
        var trouble = Trouble()
        switch condition {
        case .suspended, .failing, .failingPaused:
            if let failure = status.history?.lastRun?.failure {
                trouble.failure = "\(Component.foreign(failure.message.capitalizedAtStart))."
                trouble.advice = advice(for: failure, of: status, condition)
            } else if let last = status.history?.lastRun {
                trouble.failure = "The last run was \(last.status.rawValue), and those before it failed."
                trouble.advice = Self.adviceToSeeFailures(of: status.stream.name)
            }
            if let history = status.history, let since = history.failingSince {
                let failures = history.consecutiveFailures
                trouble.said.append(
                    "Failing since \(Component.time(since, now: now))\(failures > 1 ? ", \(Component.grouped(failures)) times in a row" : "")."
                )
            }
            trouble.said += [lastSuccess(of: status, now), nextTry(of: status, now)]
        case .late:
            if let due = status.missedDue {
                trouble.said.append("Due \(Component.time(due, now: now)), and not done since.")
            }
            let last = status.history?.lastRun
            if let last, last.status == .running {
                trouble.said.append("A run has been going on since \(Component.time(last.startedAt, now: now)).")
            }
            if let failures = status.history?.consecutiveFailures, failures > 0 {
                trouble.said.append("The last \(Component.counted(failures, "run")) that ended failed.")
            }
            if let standstill = status.standstill { trouble.said.append(Self.sentence(standstill, now)) }
            trouble.said.append(lastSuccess(of: status, now))
            trouble.advice =
                if last?.status == .running, status.isFailing {
                    Self.adviceToSeeFailures(of: status.stream.name)
                } else if last?.status == .running {
                    "see on the run's page if it still gets pages; <code>limits</code> and a longer <code>schedule</code> bound runs that take too long"
                } else if actions == nil {
                    "start <code>garner serve</code>, which runs what is due"
                } else {
                    "sync it now"
                }
        case .keepsRows:
            if let obstacle = status.obstacle {
                trouble.said.append("\(obstacle.text.capitalizedAtStart).")
                trouble.advice = HTML(obstacle.remedy(for: status.stream.name))
            }
            if let since = status.history?.keptSince {
                trouble.said.append("So since \(Component.time(since, now: now)).")
            }
        default:
            if let part = status.partOfFirstRead { trouble.said.append("\(part.capitalizedAtStart).") }
            let verdict = status.history?.lastVerdict
            if let finding = verdict?.cause?.finding {
                trouble.said.append("\(Component.foreign(finding.capitalizedAtStart)).")
            }
            if let history = status.history, let since = history.incompleteSince {
                let reads = history.consecutiveIncomplete
                trouble.said.append(
                    "No complete read since \(Component.time(since, now: now))\(reads > 1 ? ", \(Component.grouped(reads)) in a row" : "")."
                )
            }
            if status.stream.deletesRows { trouble.said.append("Nothing that may be missing was deleted.") }
            let last = status.history?.lastRun
            if let ended = last?.endedAt { trouble.said.append("Read \(Component.time(ended, now: now)).") }
            trouble.advice =
                if last.map({ $0.counts.quarantined > 0 }) ?? false {
                    """
                    see under Quarantine on the stream's page why, correct the source, or the stream's <code>primary_key</code>, \
                    <code>fields</code> or <code>schema_contract</code>, and retry the records
                    """
                } else if status.partOfFirstRead != nil {
                    "sync it now: the read goes on where it stopped"
                } else {
                    (verdict?.cause?.advice ?? verdict.flatMap(status.stream.remedy)).map {
                        Component.foreign($0)
                    }
                }
        }
        return trouble
    }

    /// A stream that is in step, and of which something should be known; nil if there is nothing to say.
    func note(_ line: StreamLine, _ now: Timestamp) -> HTML? {
        guard !line.condition.needsAttention else { return nil }
        let slow = line.slowRuns(now: now)
        let columns = Self.oddColumns(of: line.status, atMost: 2)
        guard slow != nil || !columns.isEmpty else { return nil }
        return Self.item(
            Component.badge(.late, slow == nil ? "mixed values" : "slow", .quiet), line.name, line.link,
            [slow?.sentence].compactMap(\.self) + columns, advised: slow?.advised,
            act: Self.open(line.link))
    }

    /// Says of each stream that is gone from the file what to do with its rows.
    func notes(on difference: StreamDifference) -> [HTML] {
        difference.gone.map { old in
            let (text, remedy) = difference.words(on: old)
            let link = Link("streams", old.name.description)
            return Self.item(
                Component.badge(.late, "not in the file", .quiet), old.name.description, link,
                ["\(Component.foreign(text.capitalizedAtStart))."],
                advised: Component.tried(Component.foreign(remedy)), act: Self.open(link))
        }
    }

    /// A sentence for each column with values of two kinds, and one that says how to settle them.
    static func oddColumns(of status: StreamStatus, atMost limit: Int = .max) -> [HTML] {
        guard let remedy = status.stream.fields.remedy(for: status.oddColumns) else { return [] }
        let columns = status.oddColumns.prefix(limit).map { "\(Component.foreign($0.text))." as HTML }
        let more = status.oddColumns.count - columns.count
        return columns + (more > 0 ? ["\(Component.counted(more, "more column")) with values of two kinds."] : [])
            + ["\(Component.foreign(remedy.capitalizedAtStart))."]
    }

    private static func adviceToSeeFailures(of stream: StreamName) -> HTML {
        let failures = Link("runs").adding("stream", stream.description).adding("status", "failed")
        return "see why on the pages of \(Component.link(failures, "the runs that failed"))"
    }

    private static func open(_ stream: Link) -> HTML { "<a class=\"button\" href=\"\(stream)\">Open stream</a>" }

    private static func item(
        _ badge: HTML, _ name: String, _ link: Link, _ said: [HTML], advised: HTML?, act: HTML
    ) -> HTML {
        """
        <li class="wrong">\(badge)<div class="say"><h3>\(Component.link(link, Component.breakable(name)))</h3>
        <p>\(said.joined(" "))</p>\(advised)</div>
        <div class="acts">\(act)</div></li>

        """
    }

    private func act(on line: StreamLine) -> HTML {
        switch line.condition {
        case .suspended, .failing, .failingPaused:
            [openRun(of: line), line.condition == .suspended && actions != nil ? syncNow(line) : ""].joined(" ")
        case .late where line.status.history?.lastRun?.status == .running:
            openRun(of: line)
        case .late where actions != nil:
            syncNow(line)
        default: Self.open(line.link)
        }
    }

    private func openRun(of line: StreamLine) -> HTML {
        line.status.history?.lastRun.map {
            "<a class=\"button\" href=\"\(Link("runs", "\($0.id)"))\">Open run \(Component.number($0.id.number))</a>"
        } ?? ""
    }

    private func syncNow(_ line: StreamLine) -> HTML {
        Component.button("Sync now", line.link.adding(component: "sync"), of: line.name)
    }

    /// Returns the advice for a stream that fails: that of its last failure, the settings that it is about, and the step
    /// after that.
    private func advice(for failure: RunFailure, of status: StreamStatus, _ condition: StreamCondition) -> HTML? {
        let name = status.stream.name.description
        var parts = [failure.lastingAdvice.map { HTML($0) }].compactMap(\.self)
        if failure.category == .noPermission, let places = placesOfAuth(of: name) { parts.append("it is \(places)") }
        if condition == .suspended {
            parts.append(
                actions == nil
                    ? "when that is mended, run <code>garner sync \(name)</code>"
                    : """
                    when that is mended, reload the service, or restart it if its environment has changed, and sync the stream now: \
                    it waits otherwise
                    """)
        }
        return parts.isEmpty ? nil : parts.joined("; ")
    }

    /// The settings of the stream's `auth` with the lines that they come from; nil if there are none.
    private func placesOfAuth(of name: String) -> HTML? {
        guard let configuration = configuration(),
            let stream = configuration.effective.streams.first(where: { $0.name.description == name })
        else { return nil }
        let places = stream.entries.compactMap { entry -> HTML? in
            guard entry.path.first == "auth", entry.path.last != "type", let number = entry.origin.line else {
                return nil
            }
            let file = entry.origin.isOfSource ? stream.file ?? configuration.file : configuration.file
            return """
                <code>\(entry.path.joined(separator: "."))</code> in <code>\(Component.foreign(file))</code>, line \(Component.number(number))
                """
        }
        return places.isEmpty ? nil : Array(places.prefix(3)).joined(", ")
    }

    private func lastSuccess(of status: StreamStatus, _ now: Timestamp) -> HTML {
        status.history?.lastSuccessAt.map { "Last success \(Component.time($0, now: now))." }
            ?? "It has never succeeded."
    }

    /// The time after which a due run that has not begun waits for no free place any more.
    private static let longestWait = Duration.seconds(30)

    /// Says when Garner tries a failing stream again, or that it does not.
    func nextTry(of status: StreamStatus, _ now: Timestamp) -> HTML {
        if let standstill = status.standstill { return Self.sentence(standstill, now) }
        guard let due = status.nextDue else { return "Nothing tries again by itself: it has no schedule." }
        if due.advanced(by: Self.longestWait) < now {
            let start: HTML? = actions == nil ? ": <code>garner serve</code> runs what is due" : nil
            return "A try was due \(Component.time(due, now: now)), and nothing has run it\(start)."
        }
        let time = Component.time(max(due, now), now: now)
        return actions == nil ? "The next try is due \(time)." : "Garner tries again \(time)."
    }

    /// Why a stream does not run by itself. Failures are counted beside it, so the reason leaves out its own count.
    static func sentence(_ standstill: StreamStatus.Standstill, _ now: Timestamp) -> HTML {
        switch standstill {
        case .paused(let since):
            return "Paused since \(Component.time(since, now: now)): nothing runs by itself until it is resumed."
        case .clockAhead(let instant):
            return """
                The clock was ahead, or was set back: it last ran or was decided on at \(Component.exactTime(instant)).
                """
        case .held(let reason, let until):
            let counted = reason.firstRange(of: " after ")
            let because = counted.map { reason[..<$0.lowerBound] } ?? reason[...]
            return "\(String(because).capitalizedAtStart): the next run is due \(Component.time(until, now: now))."
        }
    }
}

extension RunFailure {
    /// The beginning of advice that only asks for patience, which the time of the next try says better.
    private static let later = "try again later"

    /// The advice without the words that ask to try again, which Garner does; nil if nothing else is advised.
    var lastingAdvice: String? {
        guard let words = hint?.words else { return nil }
        guard words.hasPrefix(Self.later) else { return words }
        let rest = words.dropFirst(Self.later.count).drop { ",; ".contains($0) }
        let advice = rest.hasPrefix("or ") ? rest.dropFirst(3) : rest
        return advice.isEmpty ? nil : String(advice)
    }
}
