import GarnerCatalog
import GarnerJSON
import GarnerModel
import GarnerPersistence

/// The place of the cursor in a record.
struct CursorField: Sendable {
    /// The names as messages quote them.
    private let name: String
    private let selectors: [Selector]
    private let incremental: Incremental
    private let horizon: CursorHorizon

    /// Returns nil if the records have no cursor. Throws `SelectorError`.
    ///
    /// - Parameter signpost: The start of the read.
    init?(_ incremental: Incremental, signpost: Timestamp) throws {
        guard !incremental.cursorFields.isEmpty else { return nil }
        name = incremental.cursorFields.joined(separator: "' or '")
        self.incremental = incremental
        horizon = CursorHorizon(signpost)
        selectors = try incremental.cursorFields.map { name in
            try Selector(parsing: name.hasPrefix("$") ? name : "$" + Selector.segment(named: name))
        }
    }

    /// Returns the greatest cursor of the records, or nil if none has one.
    func latest(in records: Selection) -> CursorValue? {
        var latest: CursorValue?
        forEachCursor(in: records) { latest = CursorValue.latest(latest, $0) }
        return latest
    }

    /// Calls `body` with the cursor of each record that has one, in their order. Those that stand for "never" are left out.
    func forEachCursor(in records: Selection, _ body: (CursorValue) -> Void) {
        forEachValue(in: records) { cursor in
            // A value that is no time cannot be compared with times.
            guard !incremental.hasFormat || cursor.instant != nil else { return }
            // A stored cursor that no distance can move would end each later read.
            guard !cursor.isWord, cursor.misfit == nil, !horizon.isNever(cursor) else { return }
            body(cursor)
        }
    }

    func doubt(in records: Selection) -> String? {
        var (last, rises, falls, isText, texts) = (CursorValue?.none, false, false, true, [String]())
        forEachCursor(in: records) { cursor in
            texts.append(cursor.text)
            if cursor.isComparable { isText = false }
            if let last { (rises, falls) = (rises || last.precedes(cursor), falls || cursor.precedes(last)) }
            last = cursor
        }
        guard let last, isText else { return doubtOnFormat(in: records) }
        let formats = DatetimeFormat.withYearBehindDay(in: texts)
        if let first = formats.first {
            let other = formats.dropFirst().first.map { ", or \($0.scalar) if the month comes first" } ?? ""
            return
                "'\(last.text.prefix(40))' and other values of the cursor field '\(name)' have the year behind the day and are compared byte by byte, so that later ones are taken for earlier ones; write cursor_datetime_format: \(first.scalar)\(other)"
        }
        guard rises, falls else { return doubtOnFormat(in: records) }
        return
            "'\(last.text.prefix(40))' and other values of the cursor field '\(name)' are no times and no numbers that Garner knows, and come in no order; if they are times, set cursor_datetime_format; if they do not grow with every change, choose another cursor_field"
    }

    /// Returns the doubt about a list that is to begin with its newest record and does not, so that no page ends a read; nil if there is none.
    ///
    /// A few records in front of the others may be pinned.
    func doubtOnOrder(in records: Selection) -> String? {
        guard incremental.stopsAtKnown else { return nil }
        var (last, rises, falls) = (CursorValue?.none, 0, 0)
        forEachCursor(in: records) { cursor in
            if let last, last.isComparable, cursor.isComparable {
                rises += last.precedes(cursor) ? 1 : 0
                falls += cursor.precedes(last) ? 1 : 0
            }
            last = cursor
        }
        guard rises > 1, 3 * rises >= falls else { return nil }
        let order = falls == 0 ? "begins with its oldest record" : "is in another order"
        return
            "stop_at_known ends a read of a list from its newest record down, and this one \(order) by the cursor field '\(name)', so that each read has all of its "
            + "pages; ask the API for the newest first, often with a parameter such as sort or order, or remove 'incremental'"
    }

    /// Returns the doubt about cursors of which most are not written in the configured format; nil if there is none.
    func doubtOnFormat(in records: Selection) -> String? {
        guard let formats = incremental.formatNames else { return nil }
        if let doubt = doubtOnShown(in: records) { return doubt }
        var (wrong, all, example) = (0, 0, "")
        forEachValue(in: records) { cursor in
            all += 1
            guard cursor.instant == nil else { return }
            if wrong == 0 { example = cursor.text }
            wrong += 1
        }
        guard 2 * wrong > all else { return nil }
        return
            "\(wrong) of \(all) values of the cursor field '\(name)' are not written as \(formats), such as '\(example.prefix(40))', and move no cursor; set cursor_datetime_format"
    }

    /// Returns the doubt about cursors that show another format than the configured one; nil if there is none.
    ///
    /// They are understood. Requests are written in the configured format, which the source may not understand.
    private func doubtOnShown(in records: Selection) -> String? {
        let formats = incremental.cursorFormats
        guard let first = formats.first else { return nil }
        var (shown, readers, example) = (Set<DatetimeFormat?>(), Set<DatetimeFormat?>(), "")
        forEachValue(in: records) { cursor in
            shown.insert(DatetimeFormat.shown(by: cursor.text))
            readers.insert(incremental.reading(of: cursor.text)?.format)
            example = cursor.text
        }
        guard shown.count == 1, case let written?? = shown.first else { return nil }
        let isRight = formats.contains { format in
            switch format {
            case .pattern: readers.contains(format) && !readers.contains(nil)
            // A date is a time of RFC 3339 whose rest is left out.
            case .rfc3339: [.rfc3339, .date].contains(written)
            default: written == format
            }
        }
        guard !isRight, let names = incremental.formatNames else { return nil }
        return
            "the values of the cursor field '\(name)' are written as \(written), such as '\(example.prefix(40))', and not as \(names); write cursor_datetime_format: \(written)"
            + (incremental.requestFormat == nil
                ? ", and datetime_format: \(first.scalar) if requests need that format" : "")
    }

    /// Returns the doubt about a source that answers with records from before the start that it was asked for; nil if there is none.
    func doubt(in records: Selection, askedFrom start: CursorValue) -> String? {
        var (older, all) = (0, 0)
        forEachCursor(in: records) { cursor in
            all += 1
            if cursor.isFarBefore(start) { older += 1 }
        }
        guard all >= 3, 2 * older > all else { return nil }
        return
            "\(older) of the \(all) records on the first page are older than \(start.text), from which they were asked for; the source seems to ignore the parameter with {incremental.start_value}, or filters by another field than '\(name)'"
    }

    /// Returns the first cursor that is beyond the horizon; nil if none is.
    func firstFar(in records: Selection) -> String? {
        var far: String?
        forEachValue(in: records) { if far == nil, horizon.isNever($0) { far = $0.text } }
        return far
    }

    private func forEachValue(in records: Selection, _ body: (CursorValue) -> Void) {
        records.forEach { record in
            guard let node = node(in: record), Self.kinds.contains(node.kind) else { return }
            body(CursorValue(node.text, of: incremental))
        }
    }

    /// Returns the first of the fields that has a value in a record; else one that is null or an empty text; nil if it has none of them.
    private func node(in record: Node) -> Node? {
        var empty: Node?
        for selector in selectors {
            guard let node = selector.first(in: record) else { continue }
            if !node.isNull, node.kind != .string || !node.utf8.isEmpty { return node }
            empty = empty ?? node
        }
        return empty
    }

    private static let kinds: [Node.Kind] = [.string, .integer, .real, .number]

    /// Returns the first cursor that shows the day in the place of the month, with the format that reads all of them; nil if none does.
    private func exchangedDay(in records: Selection) -> (text: String, meant: DatetimeFormat)? {
        let formats = incremental.formats
        guard formats.count == 1, let meant = formats.first?.exchangingDayAndMonth else { return nil }
        var (wrong, isMeant) = (String?.none, true)
        forEachValue(in: records) { cursor in
            if incremental.instant(of: cursor.text) == nil { wrong = wrong ?? cursor.text }
            if meant.instant(of: cursor.text, in: incremental.timezone) == nil { isMeant = false }
        }
        return isMeant ? wrong.map { (text: $0, meant: meant) } : nil
    }

    /// Throws if there are records and none has the field, not even as null, or if the values of all are in another
    /// format than the configuration says, are words, or cannot be moved by its distances.
    func check(_ records: Selection) throws(IncrementalError) {
        guard records.count > 0 else { return }
        var isThere = false
        var isRight = false
        var wrong: String?
        var isMovable = false
        var misfit: IncrementalError?
        var word: String?
        records.forEach { record in
            guard let node = node(in: record) else { return }
            isThere = true
            if !node.isNull, !Self.kinds.contains(node.kind) { word = word ?? node.text }
            if !isMovable, Self.kinds.contains(node.kind) {
                let cursor = CursorValue(node.text, of: incremental)
                if cursor.isWord {
                    word = word ?? cursor.text
                } else if let found = cursor.misfit {
                    misfit = misfit ?? found
                } else {
                    isMovable = true
                }
            }
            guard incremental.hasFormat, !isRight, Self.kinds.contains(node.kind) else { return }
            if incremental.instant(of: node.text) != nil { isRight = true } else { wrong = wrong ?? node.text }
        }
        if let (text, meant) = exchangedDay(in: records), let formats = incremental.formatNames {
            throw .exchangedDay(text, formats, meant: meant)
        }
        guard isThere else { throw .noField(name, others: CursorInference.fields(of: records).map(\.name)) }
        if let wrong, !isRight, let formats = incremental.formatNames {
            var texts: [String] = []
            forEachValue(in: records) { if $0.text.contains(where: \.isNumber) { texts.append($0.text) } }
            let meant = DatetimeFormat.reading(texts)
            throw .otherFormat(wrong, formats, meant: meant.isEmpty ? DatetimeFormat.reading([wrong]) : meant)
        }
        guard !isMovable else { return }
        if let misfit { throw misfit }
        if let word, !word.isEmpty { throw .noOrder(name, word) }
    }
}
