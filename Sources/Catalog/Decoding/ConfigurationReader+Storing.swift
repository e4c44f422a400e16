import GarnerYAML
import GarnerModel

extension ConfigurationReader {
    static let scheduleFields = [
        Field("every", .duration, "The time from one run to the next."),
        Field("cron", .text, "Five fields of cron, such as '0 6 * * *', instead of 'every'."),
        Field("timezone", .text, "The time zone of 'cron', such as Europe/Berlin; UTC by default."),
        Field(
            "anchor", .choice(anchors.map(\.0)),
            "The base of 'every': fixed times (epoch), or the end of the previous run (finish)."),
        Field("jitter", .duration, "The longest delay of a run, which differs from run to run; at most 'every'."),
        Field(
            "overlap", .choice(Schedule.Overlap.allCases.map(\.rawValue)),
            "The treatment of a run that is due while the previous one is active."),
        Field("misfire_grace", .duration, "With catch_up: none, the latest start of a run after its due time."),
        Field(
            "catch_up", .choice(Schedule.CatchUp.allCases.map(\.rawValue)),
            "Run once for all missed runs (latest), or never (none)."),
    ]

    private static let anchors: [(String, @Sendable (Duration) -> Schedule.Rhythm)] = [
        ("epoch", { .every($0) }), ("finish", { .afterFinish($0) }),
    ]
    private static let example = "write schedule: { every: 15m }"

    /// The words that other programs have for no schedule. Nothing at all may also mean it.
    private static let wordsForNone: Set = [
        "disabled", "false", "manual", "never", "no", "none", "null", "off", "~", "",
    ]

    /// Returns the line for a rhythm that stands where the mapping should.
    private static func example(like text: String) -> String {
        if wordsForNone.contains(text.lowercased()) {
            return "write schedule: none if 'garner serve' is not to fetch it, or \(example.dropFirst("write ".count))"
        }
        if (try? DurationText.parse(text)) != nil { return "write schedule: { every: \(text) }" }
        if let period = DurationText.spelling(of: String(text.trimming { $0 == "@" })) {
            return "write schedule: { every: \(period) }"
        }
        if text.contains(/(?i)\b(?:day|daily|night|nightly|morning)\b/) {
            let behind = text.firstRange(of: "at ").map { text[$0.upperBound...] } ?? ""
            let time = (text.contains(":") ? text[...] : behind).firstMatch(
                of: /\b([01]?[0-9]|2[0-3])(?::([0-5][0-9]))?(?: ?([pP])\.?[mM])?\b/)
            let hour = time.flatMap { Int($0.1) } ?? 6
            let isPast = time?.3 != nil && hour < 12
            let minute = time?.2.flatMap { Int($0) } ?? 0
            return "write schedule: { cron: \"\(minute) \(isPast ? hour + 12 : hour) * * *\" }"
        }
        let isCron = text.split(separator: " ").count == 5 && (try? CronExpression(text)) != nil
        return isCron ? "write schedule: { cron: \"\(text)\" }" : example
    }

    /// Returns the line for a list of schedules: one of cron, if that can be.
    private static func example(ofAll value: YAMLValue) -> String {
        let crons = (value.node.sequence.map(Array.init) ?? []).map { element -> [Substring] in
            let inside = element.mapping?.first { $0.key.scalar?.string == "cron" }?.value ?? element
            return inside.scalar?.string.split(separator: " ") ?? []
        }
        guard !crons.isEmpty, crons.allSatisfy({ $0.count == 5 }) else { return "write one: schedule: { every: 15m }" }
        let fields = (0..<5).map { place -> [String] in
            var texts = UniqueTexts()
            for cron in crons { texts.add(String(cron[place])) }
            return texts.list
        }
        let cron = fields.map { $0.joined(separator: ",") }.joined(separator: " ")
        // More fields that differ would be more times than are meant.
        guard fields.count(where: { $0.count > 1 }) < 2, (try? CronExpression(cron)) != nil else {
            return
                "write one: schedule: { cron: \"\(crons[0].joined(separator: " "))\" }; a second stream with the same "
                + "path can have another one"
        }
        return "write one: schedule: { cron: \"\(cron)\" }"
    }

    /// Returns the hints for keys of other programs.
    private static func elsewhere(in mapping: YAMLMapping) -> [String: String] {
        var hints = ["enabled": example(like: "off")]
        for key in ["at", "time", "start_at", "run_at"] {
            let time = mapping[key]?.plainOrQuotedText?.wholeMatch(of: /0?([0-9]|1[0-9]|2[0-3]):0?([0-9]|[1-5][0-9])/)
            hints[key] =
                "write schedule: { cron: \"\(time.map { "\($0.2) \($0.1)" } ?? "0 6") * * *\" } for a time of day"
        }
        return hints
    }

    /// Reads a schedule, which replaces an inherited one as a whole.
    func schedule(_ value: YAMLValue) -> Schedule? {
        let hint = value.isList ? Self.example(ofAll: value) : Self.example(like: value.plainOrQuotedText ?? "")
        guard let mapping = value.mapping(hint: hint) else { return nil }
        mapping.expect(
            Self.scheduleFields.map(\.name) + ["max_catch_up"], elsewhere: Self.elsewhere(in: mapping))
        if let value = mapping["max_catch_up"] {
            value.warn("'\(value.name)' is ignored: one run makes up for all that were missed", hint: "remove it")
        }
        let rhythm = mapping["cron"] == nil ? interval(mapping) : cron(mapping)
        let jitter = mapping["jitter"]?.duration(atLeast: .zero)
        let overlap = mapping["overlap"]?.choice(Schedule.Overlap.allCases)
        let misfireGrace = mapping["misfire_grace"]?.duration(atLeast: .zero)
        let catchUp = mapping["catch_up"].flatMap(catchUp)
        guard let rhythm else { return nil }
        var schedule = Schedule(rhythm)
        schedule.jitter = jitter ?? schedule.jitter
        schedule.overlap = overlap ?? schedule.overlap
        schedule.misfireGrace = misfireGrace ?? schedule.misfireGrace
        schedule.catchUp = catchUp ?? schedule.catchUp
        switch rhythm {
        case .every(let every) where schedule.jitter > every, .afterFinish(let every) where schedule.jitter > every:
            mapping["jitter"]?.fail(
                "'schedule.jitter' is longer than 'schedule.every'", hint: "write at most \(DurationText.format(every))"
            )
            return nil
        case .every, .afterFinish, .cron: return schedule
        }
    }

    /// Reads `all`, a value of earlier versions, as `latest`.
    private func catchUp(_ value: YAMLValue) -> Schedule.CatchUp? {
        guard value.plainOrQuotedText == "all" else { return value.choice(Schedule.CatchUp.allCases) }
        value.warn(
            "'\(value.name): all' is read as 'latest': each run reads what the source has now, so one makes up for all",
            hint: "write catch_up: latest, or remove it, which means the same")
        return .latest
    }

    private func interval(_ mapping: YAMLMapping) -> Schedule.Rhythm? {
        mapping["timezone"]?.fail(
            "'schedule.timezone' needs 'schedule.cron'", hint: "remove it; an interval is the same in every zone")
        let every = mapping.required("every", hint: "\(Self.example), or { cron: \"0 6 * * *\" }")
        if let every, let text = every.isNull ? "" : every.plainOrQuotedText,
            Self.wordsForNone.contains(text.lowercased())
        {
            return every.failed("'schedule.every' is no duration", hint: Self.example(like: text))
        }
        let anchor = mapping["anchor"]?.choice(Self.anchors) ?? { .every($0) }
        return every?.duration(atLeast: .seconds(1)).map(anchor)
    }

    private func cron(_ mapping: YAMLMapping) -> Schedule.Rhythm? {
        for key in ["every", "anchor"] {
            mapping[key]?.fail(
                "'schedule.\(key)' does not go with 'schedule.cron'",
                hint: key == "every" ? "keep one of them" : "remove it; it belongs to 'every'")
        }
        let zone = mapping["timezone"].map(zone) ?? .utc
        let expression = mapping["cron"]?.text(hint: "write five fields in quotes, such as \"0 6 * * *\"")
        guard mapping["every"] == nil, let expression = expression.flatMap({ cron($0, of: mapping["cron"]) }), let zone
        else { return nil }
        return .cron(expression, zone: zone)
    }

    private func cron(_ text: String, of value: YAMLValue?) -> CronExpression? {
        do {
            return try CronExpression(text)
        } catch {
            value?.fail("'schedule.cron' is wrong: \(error.message)", hint: error.hint)
            return nil
        }
    }

    private func zone(_ value: YAMLValue) -> ZoneName? {
        guard let text = value.text(hint: "write a name such as Europe/Berlin") else { return nil }
        if let zone = ZoneName(text) { return zone }
        let refusal = ZoneName.refusal(of: text)
        let usual = "'\(value.name)' names no time zone: '\(CronExpression.shown(text))'"
        return value.failed(refusal.problem.map { "'\(value.name)': \($0)" } ?? usual, hint: refusal.hint)
    }
}

extension ConfigurationReader {
    func checkStoring(_ draft: StreamDraft) {
        let stream = draft.stream
        let (replaces, appends) = (stream.replacesTable, stream.writeDisposition == .append)
        let deletion = "delete_missing: \(stream.deleteMissing.rawValue)"
        let clashes: [(holds: Bool, key: String, problem: String, hint: String)] = [
            (
                replaces && stream.incremental != nil, "write_disposition",
                "'write_disposition: replace' cannot work with 'incremental'",
                "write 'write_disposition: merge' in the stream: an incremental read cannot replace the table"
            ),
            (
                replaces && draft.parent?.only == .changed, "write_disposition",
                "'write_disposition: replace' cannot work with 'only: changed'",
                "write 'write_disposition: merge' in the stream: a read of some parents cannot replace the table"
            ),
            (
                replaces && stream.deleteMissing != .ignore, "delete_missing",
                "'\(deletion)' has no place beside 'write_disposition: replace'",
                "write 'delete_missing: ignore' in the stream: what is missing goes with the rows that are replaced"
            ),
            (
                appends && stream.mergeStrategy == .insertOnly, "merge_strategy",
                "'merge_strategy: insert_only' contradicts 'write_disposition: append'",
                "remove one of them: append stores every record, even if its key exists"
            ),
            (
                stream.dedupes && stream.primaryKey != nil, "dedupe", "'dedupe' contradicts 'primary_key'",
                "remove one of them: the content of a record is its key, or some of its fields are"
            ),
            (
                stream.dedupes && appends, "dedupe", "'dedupe' contradicts 'write_disposition: append'",
                "remove one of them: append stores a record every time it is received"
            ),
            (
                stream.deletedWhen != nil && appends, "deleted_when",
                "'deleted_when' cannot work with 'write_disposition: append'",
                "write 'write_disposition: merge' in the stream, and a 'primary_key': it tells which row to delete"
            ),
            (
                stream.deletedWhen != nil && stream.dedupes, "deleted_when",
                "'deleted_when' cannot work with 'dedupe'",
                "write a 'primary_key' in place of 'dedupe': it tells which row to delete"
            ),
            (
                stream.childTables && appends, "child_tables",
                "'child_tables' cannot work with 'write_disposition: append'",
                "write 'child_tables: false' in the stream, or give it a 'primary_key' and merge or replace: rows of "
                    + "child tables name their record's key"
            ),
        ]
        for clash in clashes where clash.holds {
            issues.fail(
                at: draft.place(of: clash.key) ?? stream.place, "\(clash.problem) of '\(draft.name)'", hint: clash.hint)
        }
    }
}

extension ConfigurationReader {
    /// Gives each stream its table: the named one, else the stream's own name, else `source_stream` if that name is
    /// taken. A table that is there keeps its name (`StreamConfiguration.keepsTable`).
    ///
    /// SQLite compares names without regard to the case of ASCII letters.
    func assignTables(_ drafts: inout [StreamDraft]) {
        let wishes = Dictionary(grouping: drafts.indices) { key(wish(of: drafts[$0])) }
        var owners: [String: StreamName] = [:]
        for index in drafts.indices {
            let draft = drafts[index]
            let written = draft.place(of: "table")
            var table = wish(of: draft)
            if written == nil {
                let others = (wishes[key(table)] ?? []).filter { $0 != index }
                let sharing = others.filter { drafts[$0].place(of: "table") == nil }.map { drafts[$0].name }
                drafts[index].stream.tableNaming = .derived(sharing: sharing)
                if !others.isEmpty { table = StreamConfiguration.longTable(of: draft.name) }
            }
            drafts[index].stream.table = table
            let place = written.map { ConfigurationPlace(file: file, line: $0.line) } ?? draft.stream.place
            check(table, of: draft.name, at: place)
            if let owner = owners.updateValue(draft.name, forKey: key(table)) {
                let (first, second) = (owner.stream, draft.name.stream)
                let isCase = first != second && key(first) == key(second)
                issues.fail(
                    at: place, "'\(owner)' and '\(draft.name)' would share the table '\(table)'",
                    hint: (isCase ? "SQL takes '\(first)' and '\(second)' for one name; " : "")
                        + "give one of them another name with 'table:'")
            }
        }
    }

    private func wish(of draft: StreamDraft) -> String {
        draft.place(of: "table") == nil ? draft.name.stream : draft.stream.table
    }

    private func check(_ table: String, of name: StreamName, at place: ConfigurationPlace) {
        let folded = key(table)
        if table.unicodeScalars.contains("\0") {
            issues.fail(at: place, "the table of '\(name)' has a NUL in its name", hint: "use letters, digits and '_'")
        } else if let prefix = ["sqlite_", "_garner_"].first(where: folded.hasPrefix) {
            issues.fail(
                at: place, "the table of '\(name)' cannot begin with '\(prefix)'",
                hint: "give it another name with 'table:'")
        }
    }

    private func key(_ table: String) -> String {
        String(decoding: table.utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
    }
}
