package import GarnerModel

/// A range that a stream cannot be read in.
package enum BackfillError: Error, Equatable {
    case noTime(String, format: String?)
    case noNumber(String)
    /// A read in steps needs a start.
    case noStart
    case emptyRange(String, String)
    /// No request holds this placeholder, so that the source cannot know the bound.
    case unused(Template.Placeholder)
}

extension Incremental {
    /// Returns the settings of a read that covers a range once.
    ///
    /// - Parameters:
    ///   - start: The cursor at which it begins, as records or RFC 3339 write it; nil for `initialValue`.
    ///   - end: The cursor at which it ends; nil for `endValue`, or now.
    ///   - known: A cursor of the source, whose kind and spelling the bounds get if no format is configured; nil if none is
    ///     known.
    /// - Throws: `BackfillError` if a bound is no cursor of this stream, or if the end is not behind the start.
    package func backfill(
        from start: String?, to end: String?, like known: String? = nil, now: Timestamp? = nil
    ) throws(BackfillError) -> Incremental {
        let usual = cursorFields.isEmpty ? "2000-01-01T00:00:00Z" : nil
        let sample = known ?? initialValue ?? endValue ?? usual
        var backfill = self
        backfill.isBackfill = true
        if let start { backfill.initialValue = try bound(start, like: sample, isEnd: false) }
        if let end { backfill.endValue = try bound(end, like: sample, isEnd: true) }
        backfill.lookbackWindow = nil
        backfill.fullRefreshEvery = nil
        if step != nil, backfill.initialValue == nil { throw .noStart }
        try backfill.requireOrder(now: now)
        return backfill
    }

    /// Returns a bound as the source spells its cursors. One that falls between two of them begins earlier, or ends later.
    private func bound(_ text: String, like sample: String?, isEnd: Bool) throws(BackfillError) -> String {
        let isStepOfTime = if case .time? = step { true } else { false }
        let isStepOfNumbers = if case .count? = step { true } else { false }
        let isNumber = !isOfTimes && sample.flatMap { Int64($0) } != nil || isStepOfNumbers
        if isNumber {
            guard Int64(text) != nil else { throw .noNumber(text) }
            return text
        }
        guard isOfTimes || isStepOfTime || sample.flatMap({ self.instant(of: $0) }) != nil else { return text }
        guard let instant = instant(of: text) else {
            throw .noTime(text, format: formatNames)
        }
        // A request writes it in the configured format.
        guard !hasFormat, let sample else { return text }
        let spelling = spelling(of: instant, like: sample)
        guard isEnd, let reached = self.instant(of: spelling), reached < instant else { return spelling }
        return self.spelling(of: instant.advanced(by: .seconds(spelling.utf8.count == 10 ? 86_400 : 1)), like: sample)
    }

    /// Throws if the end is not behind the start.
    private func requireOrder(now: Timestamp?) throws(BackfillError) {
        guard let first = initialValue else { return }
        let (start, end) = (instant(of: first), endValue.flatMap { instant(of: $0) })
        guard let last = endValue else {
            if let start, let now, now < start { throw .emptyRange(first, "now") }
            return
        }
        let isInOrder: Bool
        if let start, let end {
            isInOrder = start < end
        } else if start != nil || end != nil {
            throw .noTime(start == nil ? first : last, format: nil)
        } else if let first = Int64(first), let last = Int64(last) {
            isInOrder = first < last
        } else {
            isInOrder = first.utf8.lexicographicallyPrecedes(last.utf8)
        }
        guard isInOrder else { throw .emptyRange(first, last) }
    }

    /// Returns an instant in the format of the cursors, of several in that which reads this cursor. Without a named one, it is spelled like this cursor: a date alone,
    /// whole seconds, or milliseconds, in UTC or, without an offset, in `timezone`. It is never later than the instant.
    package func spelling(of instant: Timestamp, like cursor: String) -> String {
        let format = reading(of: cursor)?.format ?? formats.first ?? localFormat(of: cursor) ?? .rfc3339
        guard format == .rfc3339 else { return format.text(of: instant, in: timezone) }
        let full = instant.description
        let isDate = cursor.utf8.count == 10 && !hasFormat
        return isDate ? String(full.prefix(10)) : cursor.contains(".") ? full : String(full.prefix(19)) + "Z"
    }
}

extension StreamConfiguration {
    /// Returns the stream for a read of a range; see `Incremental.backfill`. Returns nil if it is not incremental.
    package func backfilling(
        from start: String?, to end: String?, like known: String? = nil, now: Timestamp? = nil
    ) throws(BackfillError) -> StreamConfiguration? {
        guard let incremental else { return nil }
        if start != nil, !incremental.stopsAtKnown, !sendsIncrementalStart {
            throw .unused(.incrementalStart)
        }
        if end != nil, !requestHolds(.incrementalEnd, or: .end) { throw .unused(.incrementalEnd) }
        var stream = self
        stream.incremental = try incremental.backfill(from: start, to: end, like: known, now: now)
        stream.parent?.only = .all
        return stream
    }

    /// True if a request says where an incremental read begins.
    package var sendsIncrementalStart: Bool { requestHolds(.incrementalStart, or: .start) }

    private func requestHolds(_ placeholder: Template.Placeholder, or source: TimePlaceholder.Source) -> Bool {
        request.placeholders.contains { other in
            if case .time(let time) = other { time.source == source } else { other == placeholder }
        }
    }
}
