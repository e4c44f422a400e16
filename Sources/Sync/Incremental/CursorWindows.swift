import Catalog
import Fetcher
import JSON
import Model
import Persistence

/// The part of its source that an incremental read requests, window by window.
struct CursorWindows: Sendable {
    private let incremental: Incremental
    /// The cursor of an earlier read, after which the slice begins.
    private let cursor: CursorValue?
    /// The start of the read. The cursor never passes it.
    private let signpost: Timestamp
    private let start: CursorValue?
    /// The end of the last window; nil if it has none.
    private let end: CursorValue?

    /// Throws `IncrementalError` if a distance does not fit the cursor.
    init(_ incremental: Incremental, cursor: String?, signpost: Timestamp) throws(IncrementalError) {
        self.incremental = incremental
        let cursor = cursor.map(CursorValue.init)
        self.cursor = cursor.flatMap { $0.isAhead(of: signpost) ? nil : $0 }
        self.signpost = signpost
        let initial = incremental.initialValue.map(CursorValue.init)
        var start = self.cursor
        if let cursor = self.cursor, let lookback = incremental.lookbackWindow {
            start = CursorValue.latest(initial, try cursor.moved(by: lookback, backwards: true))
        }
        start = start ?? initial
        let sample = start ?? CursorValue("2000-01-01T00:00:00Z")
        let end =
            incremental.endValue.map(CursorValue.init) ?? (sample.instant == nil ? nil : sample.spelling(signpost))
        self.end = end
        if let first = start, let end, end.precedes(first) { start = end }
        self.start = start
    }

    func first() throws(IncrementalError) -> ReadWindow { try window(from: start) }

    /// Returns the window after this one, or nil after the last.
    func next(after window: ReadWindow) throws(IncrementalError) -> ReadWindow? {
        guard let reached = window.end.map(CursorValue.init), let end, incremental.step != nil, reached.precedes(end)
        else { return nil }
        return try self.window(from: reached)
    }

    /// Returns the cursor for the next read once everything up to `watermark` was read, or nil if it does not change.
    func cursor(behind watermark: String?) -> String? {
        guard var reached = watermark.map(CursorValue.init) else { return nil }
        if let instant = reached.instant, instant > signpost { reached = reached.spelling(signpost) }
        let moved = CursorValue.latest(cursor, reached)
        return moved?.text == cursor?.text ? nil : moved?.text
    }

    private func window(from start: CursorValue?) throws(IncrementalError) -> ReadWindow {
        guard let start, let step = incremental.step else { return ReadWindow(start: start?.text, end: end?.text) }
        let next = try start.moved(by: step, backwards: false)
        let isLast = end.map { !next.precedes($0) } ?? true
        return ReadWindow(start: start.text, end: isLast ? end?.text : next.text)
    }
}

extension CursorValue {
    /// Returns true if the cursor can only come from a clock that was ahead. The part that it passed over is
    /// read again.
    fileprivate func isAhead(of signpost: Timestamp) -> Bool {
        instant.map { $0 > signpost.advanced(by: .seconds(86_400)) } ?? false
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
            return CursorValue("\(overflows ? (backwards ? .min : .max) : moved)")
        }
    }
}

/// A cursor as the source spells it, with the order of its kind.
struct CursorValue: Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    /// The cursor as a time; nil if it is not one.
    var instant: Timestamp? { Timestamp(rfc3339: text) }

    /// Returns true if `other` is greater: compared as times, as whole numbers, or else by bytes.
    func precedes(_ other: CursorValue) -> Bool {
        if let left = instant, let right = other.instant, left != right { return left < right }
        if let left = Int64(text), let right = Int64(other.text) { return left < right }
        return text.utf8.lexicographicallyPrecedes(other.text.utf8)
    }

    /// Returns the later of two cursors.
    static func latest(_ left: CursorValue?, _ right: CursorValue?) -> CursorValue? {
        guard let left, let right else { return left ?? right }
        return left.precedes(right) ? right : left
    }

    /// Returns an instant spelled like this cursor: a date alone, whole seconds, or milliseconds; in UTC, and
    /// never later than the instant.
    func spelling(_ instant: Timestamp) -> CursorValue {
        let full = instant.description
        if text.utf8.count == 10 { return CursorValue(String(full.prefix(10))) }
        return CursorValue(text.contains(".") ? full : String(full.prefix(19)) + "Z")
    }
}

/// The place of the cursor in a record.
struct CursorField: Sendable {
    private let name: String
    private let selector: Selector

    /// Throws `SelectorError`.
    init(_ incremental: Incremental) throws {
        name = incremental.cursorField
        let isPath = name.hasPrefix("$")
        selector = try Selector(parsing: isPath ? name : "$" + Selector.segment(named: name))
    }

    /// Returns the greatest cursor of the records, or nil if none has one.
    func latest(in records: Selection) -> CursorValue? {
        var latest: CursorValue?
        records.forEach { record in
            guard let node = selector.first(in: record), [.string, .integer, .real, .number].contains(node.kind) else {
                return
            }
            latest = CursorValue.latest(latest, CursorValue(node.text))
        }
        return latest
    }

    /// Throws if there are records and none has the field, not even as null.
    func check(_ records: Selection) throws(IncrementalError) {
        guard records.count > 0 else { return }
        var isThere = false
        records.forEach { isThere = isThere || selector.first(in: $0) != nil }
        guard isThere else { throw .noField(name) }
    }
}

/// The progress of an incremental read of a slice, and the window to request next.
struct SliceCursor: Sendable {
    let windows: CursorWindows
    private let field: CursorField
    /// True if nothing of the slice was read before, so that its first page must show that the field exists.
    private let isNew: Bool

    /// Throws `IncrementalError` or `SelectorError`.
    ///
    /// - Parameters:
    ///   - cursor: The cursor that an earlier read reached; nil if there was none.
    ///   - signpost: The start of the read.
    init(_ incremental: Incremental, behind cursor: String?, signpost: Timestamp) throws {
        windows = try CursorWindows(incremental, cursor: cursor, signpost: signpost)
        field = try CursorField(incremental)
        isNew = cursor == nil
    }

    /// Returns the greatest cursor up to and including this page.
    func watermark(_ before: String?, behind page: Page) throws(IncrementalError) -> String? {
        guard case .records(let records) = page.content else { return before }
        if isNew, page.position.number == 0, before == nil { try field.check(records) }
        return CursorValue.latest(before.map(CursorValue.init), field.latest(in: records))?.text
    }
}

/// A reason why a stream cannot be read by its cursor.
enum IncrementalError: FailureConvertible, Equatable {
    /// The cursor is not a time, but must be moved by a duration.
    case noTime(String)
    /// The cursor is not a whole number, but must be moved by a number.
    case noNumber(String)
    /// No record of the first page has the cursor field.
    case noField(String)

    var failure: RunFailure {
        let (message, hint): (String, Hint) =
            switch self {
            case .noTime(let text):
                (
                    "the cursor '\(text)' is not a time, so a duration cannot be added to it",
                    "write 'step' and 'lookback_window' as numbers, or choose another cursor_field"
                )
            case .noNumber(let text):
                (
                    "the cursor '\(text)' is not a whole number",
                    "write 'step' and 'lookback_window' as durations, or choose another cursor_field"
                )
            case .noField(let field):
                (
                    "no record of the first page has the cursor field '\(field)'",
                    "set cursor_field to a member that grows with every change"
                )
            }
        return RunFailure(.misconfigured, kind: "incremental", message: message, hint: hint, isPermanent: true)
    }
}
