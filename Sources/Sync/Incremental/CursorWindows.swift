import Catalog
import Fetcher

/// Which part of its source an incremental read asks for, step by step.
struct CursorWindows: Sendable {
    private let incremental: Incremental
    /// Behind what the slice begins: the cursor of an earlier read.
    private let cursor: CursorValue?
    /// When the read began; the cursor never passes it.
    private let signpost: Timestamp
    private let start: CursorValue?
    /// Where the last window ends; nil: nowhere.
    private let end: CursorValue?

    /// Throws `IncrementalError` where a distance does not fit the cursor.
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

    /// nil behind the last one.
    func next(after window: ReadWindow) throws(IncrementalError) -> ReadWindow? {
        guard let reached = window.end.map(CursorValue.init), let end, incremental.step != nil, reached.precedes(end)
        else { return nil }
        return try self.window(from: reached)
    }

    /// Behind what the next read begins once everything up to `watermark` was read; nil where that stays.
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
    /// True where only a clock that was ahead can have moved a cursor here. The part that it passed over is read again.
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
