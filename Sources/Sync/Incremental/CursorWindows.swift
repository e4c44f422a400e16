import GarnerCatalog
import GarnerFetcher
import GarnerJSON
import GarnerModel
import GarnerPersistence

/// The part of its source that an incremental read requests, window by window.
struct CursorWindows: Sendable {
    private let incremental: Incremental
    /// The cursor of an earlier read, after which the slice begins.
    private let cursor: CursorValue?
    /// The start of the read. The cursor never passes it.
    private let signpost: Timestamp
    /// The cursor at which the read begins; nil if it reads everything.
    let start: CursorValue?
    /// The end of the last window; nil if it has none.
    private let end: CursorValue?

    /// Ignores a stored cursor that is a word, or that the configured distances cannot move: the read then begins anew.
    ///
    /// Throws `IncrementalError` if a distance does not fit the first value.
    init(_ incremental: Incremental, cursor: String?, signpost: Timestamp) throws(IncrementalError) {
        self.incremental = incremental
        let cursor = cursor.map { CursorValue($0, of: incremental) }
        let horizon = CursorHorizon(signpost)
        self.cursor = cursor.flatMap {
            $0.isAhead(of: signpost) || horizon.excludes($0) || $0.isWord || $0.misfit != nil ? nil : $0
        }
        self.signpost = signpost
        let initial = incremental.initialValue.map { CursorValue($0, of: incremental) }
        var start = self.cursor
        if let cursor = self.cursor, let lookback = incremental.lookbackWindow {
            start = CursorValue.latest(initial, try cursor.moved(by: lookback, backwards: true))
        }
        start = start ?? initial
        let sample = start ?? CursorValue("2000-01-01T00:00:00Z", of: incremental)
        let end =
            incremental.endValue.map { CursorValue($0, of: incremental) }
            ?? (sample.instant == nil ? nil : sample.spelling(signpost))
        self.end = end
        if let first = start, let end, end.precedes(first) { start = end }
        self.start = start
    }

    func first() throws(IncrementalError) -> ReadWindow { try window(from: start) }

    var doubtOnStart: String? {
        guard let text = incremental.initialValue, let instant = incremental.instant(of: text), instant > signpost
        else {
            return nil
        }
        return
            "initial_value (\(text)) lies in the future, so that no record from before this read comes; set it to the start of what you want"
    }

    /// Returns the window after this one, or nil after the last.
    func next(after window: ReadWindow) throws(IncrementalError) -> ReadWindow? {
        guard let reached = window.end.map({ CursorValue($0, of: incremental) }), let end, incremental.step != nil,
            reached.precedes(end)
        else { return nil }
        return try self.window(from: reached)
    }

    /// Returns the cursor for the next read once a window was read, or nil if it does not change: the greatest cursor of
    /// the records, or the end of the window if the records have none.
    func cursor(behind watermark: String?, endOf window: ReadWindow = ReadWindow()) -> String? {
        let text = incremental.cursorFields.isEmpty ? window.end : watermark
        guard var reached = text.map({ CursorValue($0, of: incremental) }), !CursorHorizon(signpost).excludes(reached)
        else { return nil }
        if let instant = reached.instant, instant > signpost { reached = reached.spelling(signpost) }
        let moved = CursorValue.latest(cursor, reached)
        return moved?.text == cursor?.text ? nil : moved?.text
    }

    /// Returns true for an end in the last window that is longer ago than a source may lag behind.
    func isOld(_ end: Timestamp, in window: ReadWindow) -> Bool {
        (try? next(after: window)) == nil && end < signpost.advanced(by: .seconds(-30 * 86_400))
    }

    private func window(from start: CursorValue?) throws(IncrementalError) -> ReadWindow {
        guard let start, let step = incremental.step else { return ReadWindow(start: start?.text, end: end?.text) }
        let next = try start.moved(by: step, backwards: false)
        // A step that is too short for the format of the cursors would lead nowhere.
        let isLast = end.map { !next.precedes($0) || !start.precedes(next) } ?? true
        return ReadWindow(start: start.text, end: isLast ? end?.text : next.text)
    }
}

extension CursorValue {
    /// Returns true if only a clock that was ahead can have given the cursor. What it passed over is read again.
    func isAhead(of signpost: Timestamp) -> Bool {
        instant.map { $0 > signpost.advanced(by: .seconds(86_400)) } ?? false
    }

    /// The reason why a configured distance cannot move the cursor; nil if all can.
    var misfit: IncrementalError? {
        for case let span? in [incremental.step, incremental.lookbackWindow] {
            switch span {
            case .time: if instant == nil { return .noTime(text) }
            case .count: if Int64(text) == nil { return .noNumber(text) }
            }
        }
        return nil
    }

    fileprivate func moved(by span: Incremental.Span, backwards: Bool) throws(IncrementalError) -> CursorValue {
        switch span {
        case .time(let duration):
            guard let instant else { throw .noTime(text) }
            return spelling(instant.advanced(by: backwards ? .zero - duration : duration))
        case .count(let count):
            guard let number = Int64(text) else { throw .noNumber(text) }
            let (moved, overflows) =
                backwards
                ? number.subtractingReportingOverflow(Int64(count)) : number.addingReportingOverflow(Int64(count))
            return CursorValue("\(overflows ? (backwards ? .min : .max) : moved)", of: incremental)
        }
    }
}

/// A cursor as the source spells it, with the order of its kind.
struct CursorValue: Sendable {
    let text: String
    /// The cursor as a time; nil if it is not one.
    let instant: Timestamp?
    fileprivate let incremental: Incremental

    init(_ text: String, of incremental: Incremental) {
        self.text = text
        self.incremental = incremental
        instant = incremental.instant(of: text)
    }

    /// Returns true if `other` is greater: compared as times, as numbers, or else by bytes.
    func precedes(_ other: CursorValue) -> Bool {
        if let left = instant, let right = other.instant, left != right { return left < right }
        if let left = Int64(text), let right = Int64(other.text) { return left < right }
        if let left = number, let right = other.number, left != right { return left < right }
        return text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }

    /// True if the cursor has an order that does not depend on how the source compares texts: a time or a number.
    var isComparable: Bool { instant != nil || number != nil }

    /// True for a short text without a digit, such as `n/a`, which stands for no moment and no number.
    var isWord: Bool { instant == nil && text.utf8.count <= 32 && !text.utf8.contains(where: Self.digits.contains) }

    private var number: Double? {
        let isSpelled = !isWord && text.utf8.allSatisfy { Self.digits.contains($0) || "+-.eE".utf8.contains($0) }
        return isSpelled ? Double(text) : nil
    }

    private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

    /// Returns true for a time more than a day before another one, since sources may filter by days, and for a smaller number.
    func isFarBefore(_ other: CursorValue) -> Bool {
        if let instant, let start = other.instant { return instant < start.advanced(by: .seconds(-86_400)) }
        if let integer = Int64(text), let start = Int64(other.text) { return integer < start }
        return false
    }

    /// Returns the later of two cursors. A text among times or numbers is none.
    static func latest(_ left: CursorValue?, _ right: CursorValue?) -> CursorValue? {
        guard let left, let right else { return left ?? right }
        if left.isComparable != right.isComparable { return left.isComparable ? left : right }
        return left.precedes(right) ? right : left
    }

    /// Returns an instant as this cursor is spelled. It is never later than the instant.
    func spelling(_ instant: Timestamp) -> CursorValue {
        CursorValue(incremental.spelling(of: instant, like: text), of: incremental)
    }
}

/// The progress of an incremental read of a slice, and the window to request next.
struct SliceCursor: Sendable {
    let windows: CursorWindows
    private let incremental: Incremental
    /// The place of the cursor in records; nil if the time of a read is its cursor.
    let field: CursorField?
    /// True if nothing of the slice was read before, so that its first page must show that the field exists.
    private let isNew: Bool
    /// The cursor that an earlier read reached; nil if there was none.
    private let reached: CursorValue?

    /// Throws `IncrementalError` or `SelectorError`.
    ///
    /// - Parameter cursor: The cursor that an earlier read reached; nil if there was none.
    init(_ incremental: Incremental, behind cursor: String?, signpost: Timestamp) throws {
        windows = try CursorWindows(incremental, cursor: cursor, signpost: signpost)
        self.incremental = incremental
        field = try CursorField(incremental, signpost: signpost)
        isNew = cursor == nil
        reached = cursor.map { CursorValue($0, of: incremental) }
    }

    /// Returns the greatest cursor up to and including this page.
    func watermark(_ before: String?, behind page: Page) throws -> String? {
        guard let field, case .records = page.content else { return before }
        var reached = before.map { CursorValue($0, of: incremental) }
        var isToCheck = isNew && page.position.number == 0 && before == nil
        var problem: IncrementalError?
        try page.forEachPiece { records in
            reached = CursorValue.latest(reached, field.latest(in: records))
            guard isToCheck, records.count > 0 else { return }
            do throws(IncrementalError) {
                try field.check(records)
                isToCheck = false
            } catch {
                problem = problem ?? error
            }
        }
        if isToCheck, let problem { throw problem }
        return reached?.text
    }

    /// Returns what makes a first page doubtful: cursors in no order or of another format, or a start in the future; else nil.
    func doubt(on page: Page) -> String? {
        guard isNew, page.position.number == 0, case .records(let records) = page.content else { return nil }
        return windows.doubtOnStart ?? field?.doubt(in: records) ?? field?.doubtOnOrder(in: records)
    }

    /// Returns what tells that the source does not look at the start of the read, which the first page shows; nil if it does.
    func doubtOnAnswer(_ page: Page) -> String? {
        guard case .records(let records) = page.content, let start = page.position.window.start,
            // It lies in the future, which is told, and no record could be later.
            !isNew || windows.doubtOnStart == nil
        else { return nil }
        return field?.doubt(in: records, askedFrom: CursorValue(start, of: incremental))
    }

    /// A bound of another window than was asked for, as the first page of a window states it.
    struct OtherBound: Sendable {
        let place: String
        let isEnd: Bool
        let instant: Timestamp
        let window: ReadWindow
        /// True if it is an end that the source may have set because it has nothing later. Records behind it show that there are some.
        let mayBeEndOfSource: Bool
    }

    /// Returns the later start or the earlier end that a first page states; nil if it states none.
    ///
    /// The records lie within such a bound. One that is the time of a record, or of the answer, says something else, and so may the day of
    /// the first or last record under a name that the request does not have. But a window beside the one that was asked for, or a bound
    /// where the request is repeated, is none of the records.
    func otherBound(on page: Page) -> OtherBound? {
        let window = page.position.window
        func asked(_ text: String?) -> CursorValue? { text.map { CursorValue($0, of: incremental) } }
        let (start, end) = (asked(window.start), asked(window.end))
        let bounds = page.echoes.filter { $0.list == nil }
        guard !bounds.isEmpty, let (oldest, newest) = span(of: page) else { return nil }
        func stated(_ echo: RequestEcho) -> Timestamp? {
            if let instant = CursorValue(echo.text, of: incremental).instant { return instant }
            // A server may repeat a time as it keeps it.
            guard !echo.isUnsure, (9...13).contains(echo.text.utf8.count) else { return nil }
            let format: DatetimeFormat = echo.text.utf8.count > 11 ? .epochMilliseconds : .epoch
            return format.instant(of: echo.text, in: incremental.timezone)
        }
        // A bound that is as it was asked for, and on which no record lies, shows that both are those of the request.
        let areRepeated = bounds.contains { echo in
            let instant = stated(echo)
            return instant != nil && instant == (echo.isEnd ? end : start)?.instant
                && instant != (echo.isEnd ? newest : oldest)
        }
        for echo in bounds {
            guard let instant = stated(echo), let asked = (echo.isEnd ? end : start)?.instant else { continue }
            /// Returns how far a time lies within the bound that is stated.
            func depth(of time: Timestamp) -> Duration {
                echo.isEnd ? time.duration(to: instant) : instant.duration(to: time)
            }
            let nearest = depth(of: echo.isEnd ? newest : oldest)
            guard depth(of: asked) < .zero - Self.day, nearest >= .zero else { continue }
            let other = (echo.isEnd ? start : end)?.instant
            let isBeside = other.map {
                depth(of: $0) <= .zero
                    && (echo.isEnd ? oldest.duration(to: $0) : $0.duration(to: newest)) > Self.day
            }
            let isBound = echo.isUnsure ? nearest > Self.day : nearest > .zero || echo.repeatsRequest || areRepeated
            guard isBeside == true || isBound else { continue }
            return OtherBound(
                place: echo.place, isEnd: echo.isEnd, instant: instant, window: window,
                mayBeEndOfSource: echo.isEnd && isBeside != true
                    && (echo.isUnsure || !windows.isOld(instant, in: window)))
        }
        return nil
    }

    /// Returns true if a page has records behind an end that an earlier window was given.
    func passes(_ bound: OtherBound, on page: Page) -> Bool {
        guard page.position.window != bound.window, let (_, newest) = span(of: page) else { return false }
        return newest > bound.instant
    }

    private static let day = Duration.seconds(86_400)

    /// Returns the times of the oldest and the newest record on a page; nil if none has a time.
    private func span(of page: Page) -> (oldest: Timestamp, newest: Timestamp)? {
        guard case .records(let records) = page.content else { return nil }
        var span: (oldest: Timestamp, newest: Timestamp)?
        field?.forEachCursor(in: records) { cursor in
            guard let instant = cursor.instant else { return }
            span = (min(span?.oldest ?? instant, instant), max(span?.newest ?? instant, instant))
        }
        return span
    }

    /// Returns what tells where a list from its newest record down becomes known; nil if each read covers all pages.
    var descent: Descent? {
        guard incremental.stopsAtKnown, let field, let start = windows.start else { return nil }
        return Descent(of: field, to: start, known: reached)
    }
}

/// The way down a list that begins with its newest record, to the first page that ends before a cursor.
///
/// Only the order of the records shows that older ones follow, so it is checked. A page with a record that is newer than the one
/// before it does not end a read, as in a list with pinned records or in the other order. Nor does a page before the
/// read has met a record at or behind the cursor, or one whose cursors are texts: their order may be another than the source's.
struct Descent {
    private let field: CursorField
    private let start: CursorValue
    /// The cursor of the last record so far.
    private var last: CursorValue?
    private var hasDescended = false
    /// True if a record was not older than the start.
    private var hasMetStart = false
    /// The cursor that an earlier read reached; nil if there was none.
    private let known: CursorValue?
    /// True if a record was not newer than `known`, or if it cannot be told.
    private var hasMetKnown = false

    init(of field: CursorField, to start: CursorValue, known: CursorValue?) {
        self.field = field
        self.start = start
        self.known = known
    }

    /// True if all records so far are newer than those of earlier reads. If the list ends here, some may be missing.
    var lacksKnown: Bool { known?.isComparable == true && last != nil && !hasMetKnown }

    /// Returns true if all records after this page are older than the start.
    mutating func isBehindStart(after records: Selection) -> Bool {
        var (last, hasDescended, hasMetStart, rises) = (last, hasDescended, hasMetStart, false)
        var hasMetKnown = hasMetKnown
        var areComparable = start.isComparable
        field.forEachCursor(in: records) { cursor in
            if !cursor.isComparable { areComparable = false }
            if !cursor.isComparable || known?.precedes(cursor) == false { hasMetKnown = true }
            if let newer = last {
                if newer.precedes(cursor) { rises = true }
                if cursor.precedes(newer) { hasDescended = true }
            }
            if !cursor.precedes(start) { hasMetStart = true }
            last = cursor
        }
        (self.last, self.hasDescended, self.hasMetStart) = (last, hasDescended, hasMetStart)
        self.hasMetKnown = hasMetKnown
        return areComparable && !rises && hasDescended && hasMetStart && last?.precedes(start) == true
    }
}

/// A reason why a stream cannot be read by its cursor.
enum IncrementalError: FailureConvertible, Equatable {
    /// The cursor is not a time, but must be moved by a duration.
    case noTime(String)
    /// The cursor is not a whole number, but must be moved by a number.
    case noNumber(String)
    /// No record of the first page has the cursor field, while all have the others, which seem to grow.
    case noField(String, others: [String])
    /// The values of the cursor field are words.
    case noOrder(String, String)
    /// The cursors of the first page are not written in the configured format, but in each of those that are meant.
    case otherFormat(String, String, meant: [DatetimeFormat])
    /// A cursor of the first page is not written in the configured format, and all are written in the one with the day in the place of the
    /// month. What the configured one can read of them, it reads wrongly.
    case exchangedDay(String, String, meant: DatetimeFormat)

    /// Returns the beginning of the advice on a field that may be inside another one; empty for others.
    private static func path(like field: String) -> String {
        let path = field.wholeMatch(of: /[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+/).map { "$.\($0.0)" }
        return path.map { "write cursor_field: \($0) for a member inside another one, or " } ?? ""
    }

    /// Returns the line for the first of some formats, and for that with the day in the place of the month if it may be meant, too.
    private static func line(for formats: [DatetimeFormat]) -> Hint? {
        guard let first = formats.first else { return nil }
        let exchanged = formats.first { $0 == first.exchangingDayAndMonth }
        let other = exchanged.map { ", or \($0.scalar) if the month comes first" } ?? ""
        return .text("write cursor_datetime_format: \(first.scalar)\(other)")
    }

    var failure: RunFailure {
        let (message, hint): (String, Hint) =
            switch self {
            case .noTime(let text):
                (
                    "the cursor '\(text)' is not a time, so a duration cannot be added to it",
                    .text(
                        "if it is a time, set cursor_datetime_format to its format, such as \"%Y-%m-%d %H:%M:%S\"; else write 'step' "
                            + "and 'lookback_window' as numbers, or choose another cursor_field")
                )
            case .noNumber(let text):
                (
                    "the cursor '\(text)' is not a whole number",
                    "write 'step' and 'lookback_window' as durations, or choose another cursor_field"
                )
            case .noField(let field, let others):
                (
                    "no record of the first page has the cursor field '\(field)'",
                    .text(
                        Self.path(like: field) + "set cursor_field to a member that grows with every change"
                            + (others.isEmpty ? "" : ", such as \(others.joined(separator: ", "))"))
                )
            case .noOrder(let field, let text):
                (
                    "the cursor field '\(field)' has values such as '\(text.prefix(40))', which do not grow",
                    "set cursor_field to a time or a number that grows with every change"
                )
            case .exchangedDay(let text, let format, let meant):
                (
                    "the cursor '\(text.prefix(60))' is not written as \(format), and other days would be taken for months",
                    .text("write cursor_datetime_format: \(meant.scalar)")
                )
            case .otherFormat(let text, let format, let meant):
                (
                    "the cursor '\(text.prefix(60))' is not written as \(format)",
                    Self.line(for: meant) ?? "set cursor_datetime_format to the format that records have"
                )
            }
        return RunFailure(.misconfigured, kind: "incremental", message: message, hint: hint, isPermanent: true)
    }
}
