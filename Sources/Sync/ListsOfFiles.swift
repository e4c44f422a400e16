import GarnerCatalog
import GarnerFetcher
import GarnerJSON
import GarnerModel

extension StreamConfiguration {
    /// Returns what tells that a field of `attachments` holds lists on this page, from which no file is taken; nil if none does.
    func doubtOnFiles(_ page: Page) -> String? {
        guard !attachments.isEmpty, case .records(let records) = page.content else { return nil }
        for field in attachments.map(\.field) {
            let path = field.hasPrefix("$") ? field : "$" + Selector.segment(named: field)
            guard let selector = try? Selector(parsing: path) else { continue }
            var lists = 0
            records.forEach { record in
                if let value = selector.first(in: record), value.kind == .array { lists += 1 }
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
}
