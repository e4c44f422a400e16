import GarnerCatalog
import GarnerModel
import GarnerScheduler

/// The verdict on a case and croniter's answer to it.
enum CronVerdict: CustomStringConvertible {
    case agreed
    /// Both find that no month has such a day.
    case agreedOnNone
    /// Croniter does not know the zone, or cannot read the expression.
    case notCompared(String)
    /// The answers differ, and cron's own loop agrees with `DueTimes`.
    case explained(Kind)
    case unexplained

    enum Kind: String {
        case twiceInFold = "croniter runs a time of day that is shown twice both times"
        case wildcardOutOfGap = "croniter moves a wildcard's time out of a gap, in which cron leaves it out"
        case gapLeftOut = "croniter leaves a time of day in a gap out"
        case largeGap = "croniter moves times out of a gap of three hours or more"
        case fullRange = "croniter takes a full range of days for a star"
        case otherZone = "croniter's data of the zone differ"
        case nextToChange = "croniter is wrong beside a change of clocks"
    }

    var description: String {
        switch self {
        case .agreed: "agree"
        case .agreedOnNone: "agree that no month has such a day"
        case .notCompared(let reason): "not compared: \(reason)"
        case .explained(let kind): kind.rawValue
        case .unexplained: "UNEXPLAINED"
        }
    }
}

extension CronCase {
    func verdict(on answer: CroniterAnswer) -> CronVerdict {
        guard let cron = try? CronExpression(expression) else {
            if case .none = answer { return .agreedOnNone }
            return .unexplained
        }
        switch answer {
        case .refused(let reason): return .notCompared(String(reason.prefix { $0 != ":" }))
        case .none: return ownInstant == nil ? .agreed : .unexplained
        case .instant(let theirs, let offset):
            guard let own = ownInstant else { return .unexplained }
            if own == theirs { return .agreed }
            if own.offset(in: zone) != offset && theirs.offset(in: zone) != offset { return .explained(.otherZone) }
            return explanation(cron, own, theirs).map { .explained($0) } ?? .unexplained
        }
    }

    private func explanation(_ cron: CronExpression, _ own: Timestamp, _ theirs: Timestamp) -> CronVerdict.Kind? {
        let earlier = min(own, theirs)
        let walk = CronWalk(cron, in: zone)
        // What the earlier of the two says is decided by the hours before it.
        guard walk.fires(at: earlier) == (earlier == own) else { return nil }
        let matches = walk.shows(theirs)
        if isFullRange(cron) { return .fullRange }
        if theirs < own {
            if matches { return cron.isWild ? nil : .twiceInFold }
            let gap = theirs.offset(in: zone) - theirs.advanced(by: .seconds(-1)).offset(in: zone)
            return gap >= 10_800 ? .largeGap : gap > 0 && cron.isWild ? .wildcardOutOfGap : nil
        }
        if !walk.shows(own) { return .gapLeftOut }
        let hours = [-26, -3, 0, 3, 26].map { own.advanced(by: .seconds($0 * 3600)).offset(in: zone) }
        return Set(hours).count > 1 ? .nextToChange : nil
    }

    /// Returns true for a full range such as `1-31`, which restricts the day of the month for cron.
    private func isFullRange(_ cron: CronExpression) -> Bool {
        !cron.needsBothDays && (cron.days == 0xffff_fffe || cron.weekdays == 0b111_1111)
    }
}

extension Timestamp {
    /// The offset of the local time from UTC, in seconds.
    func offset(in zone: ZoneName) -> Int {
        let text = text(in: zone).suffix(6)
        let parts = text.dropFirst().split(separator: ":").compactMap { Int($0) }
        return (parts[0] * 60 + parts[1]) * (text.hasPrefix("-") ? -60 : 60)
    }
}
