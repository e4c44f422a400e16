package import GarnerCatalog
package import GarnerFetcher
import GarnerJSON
import GarnerModel

extension StreamConfiguration {
    /// Returns what tells that a field of `attachments` holds lists on this page, or nothing but numbers or objects, from which no file is
    /// taken; nil if none does.
    package func doubtOnFiles(_ page: Page) -> String? {
        guard !attachments.isEmpty, case .records(let records) = page.content else { return nil }
        for field in attachments.map(\.field) {
            // A field is a member, or else a column with the value of an inner one.
            let inner = field.split(separator: "__", omittingEmptySubsequences: false).map(String.init)
            let paths = [[field], inner].map { names in
                field.hasPrefix("$") ? field : "$" + names.map(Selector.segment(named:)).joined()
            }
            let selectors = paths.compactMap { try? Selector(parsing: $0) }
            func value(in record: Node) -> Node? { selectors.lazy.compactMap { $0.first(in: record) }.first }
            var (lists, texts, others) = (0, 0, 0)
            records.forEach { record in
                switch value(in: record)?.kind {
                case .array: lists += 1
                case .string: texts += 1
                case .integer, .real, .number, .true, .object: others += 1
                case .null, .false, nil: break
                }
            }
            if others > 0, texts + lists == 0 {
                let url = records.withRecord(at: 0) { record -> String? in
                    let member = value(in: record)?.members.first { $0.value.isURL }
                    if let member, flattenDepth > 0, !field.hasPrefix("$") { return "\(field)__\(member.key.text)" }
                    return record.members.first { $0.value.isURL }?.key.text
                }
                return
                    "the field '\(field)' of attachments holds no text in \(others.counted("record")), and files are taken from texts "
                    + "alone; name the field with the URL\(url.map { ", such as \($0)" } ?? ""), or remove it from attachments"
            }
            guard lists > 0 else { continue }
            let isName = field.wholeMatch(of: /[A-Za-z_]\w*/) != nil
            let line =
                "; for the first of each write fields: { add: { \(field)_1: \"{record.\(field).0}\" } } and attachments: "
                + "[ { field: \(field)_1 } ]"
            return
                "the field '\(field)' of attachments holds a list in \(lists.counted("record")), and files are taken "
                + "from texts alone\(isName ? line : "")"
        }
        return nil
    }

    /// Returns what tells that `record_selector` leads to something else than the records of a first page; nil if nothing does.
    package func doubtOnRecords(_ page: Page) -> String? {
        guard page.position.number == 0, recordShape == .objects, case .records(let records) = page.content else {
            return nil
        }
        if let whole = recordSelector?.wholeMatch(of: /(.*\])\.[A-Za-z_]\w*/)?.1,
            records.withRecord(at: 0, { $0.kind != .object && $0.kind != .array }) == true
        {
            return "the records are single values; write record_selector: \"\(whole)\" for the records that hold them"
        }
        let path = recordSelector ?? "$"
        if let line = records.withRecord(at: 0, { $0.rowShape }) {
            guard path.hasSuffix("[*]") else {
                return path == "$" ? "the records are lists of values; write \(line)" : nil
            }
            let whole = path.dropLast(3)
            return whole.contains("*") || whole.contains("..")
                ? nil : "the records are lists of values; write record_selector: \"\(whole)\" and \(line)"
        }
        guard records.count == 1, !path.hasSuffix("]") else { return nil }
        if let found = records.withRecord(at: 0, { $0.parallelLists(at: path) }) {
            return
                "the record holds lists of \(found.length) values each; if each list is a field of as many records, write "
                + "record_selector: \"\(found.path)\" and record_shape: { type: columns }"
        }
        if let name = records.withRecord(at: 0, { $0.listInText }) {
            return
                "the member '\(name)' of the only record is a list of objects in one text; ask the API for it as JSON, or read it in SQL: "
                + "SELECT value FROM \(table), json_each(\(name))"
        }
        guard let found = records.withRecord(at: 0, { $0.recordsByName(at: path) })
        else { return nil }
        return "the record has \(found.count.counted("object")) of one form by their names; write record_selector: "
            + "\"\(found.path)[*]\" if each is a record, or record_selector: \"\(found.path)\" and record_shape: "
            + "{ type: entries, key_field: key } to store the names, too"
    }
}

extension Node {
    fileprivate var isURL: Bool { string.map { $0.hasPrefix("https://") || $0.hasPrefix("http://") } ?? false }

    /// The line for records like this one, a list of single values; nil if it is none.
    fileprivate var rowShape: String? {
        let values = Array(elements.prefix(201))
        guard (1...200).contains(values.count), values.allSatisfy({ $0.kind != .object && $0.kind != .array })
        else { return nil }
        let names = (1...values.count).map { "column_\($0)" }.joined(separator: ", ")
        return "record_shape: { type: rows, names: [\(names)] }, with the names that you choose"
    }

    /// The name of a text that is a list of objects in JSON; nil if there is none, or if this one has an id.
    fileprivate var listInText: String? {
        guard self["id"] == nil else { return nil }
        return members.first { $0.value.string?.prefixMatch(of: /\s*\[\s*\{\s*"/) != nil }?.key.text
    }

    /// Returns the place of the longest lists of equal length that are all members of an object: of this one or a member of it. Returns
    /// nil if there are none of three values, or if this one has an id.
    fileprivate func parallelLists(at path: String) -> (path: String, length: Int)? {
        guard self["id"] == nil else { return nil }
        let places = [(path, self)] + members.map { (path + Selector.shortSegment(named: $0.key.text), $0.value) }
        let found = places.compactMap { path, node in node.parallelLength.map { (path: path, length: $0) } }
        return found.filter { $0.length > 2 }.max { $0.length < $1.length }
    }

    /// Returns the place of an object with several objects of the same members: this one or a member of it; nil if there is none.
    fileprivate func recordsByName(at path: String) -> (path: String, count: Int)? {
        let places = [(path, self)] + members.map { (path + Selector.shortSegment(named: $0.key.text), $0.value) }
        for (path, node) in places {
            let entries = node.members.map { (name: $0.key.text, form: $0.value.members.map(\.key.text)) }
            guard entries.count > 2, let form = entries.first?.form, !form.isEmpty,
                entries.allSatisfy({ $0.form == form }),
                // Fewer names such as "billing" and "shipping" are those of parts of one record.
                entries.count > 7 || entries.allSatisfy({ $0.name.contains(where: \.isNumber) })
            else { continue }
            return (path, entries.count)
        }
        return nil
    }
}
