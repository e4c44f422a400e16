import GarnerCatalog
import GarnerJSON

/// A flag on a page that says that there is more, as the keys of a paginator name it.
struct MoreFlag {
    /// The place of the flag, if it is false on the last page; nil if it has another value there.
    let hasMorePath: Selector?
    private let lastWhen: FilterExpression?

    /// Returns nil if the sign is no flag in the body, or if nothing tells its value on the last page.
    init?(_ sign: PaginationDetection.Sign) {
        guard sign.isAnnouncement, let flag = sign.node, let last = Self.opposite(of: flag) else { return nil }
        hasMorePath = flag.kind == .true ? sign.selector : nil
        lastWhen = try? FilterExpression(parsing: "\(sign.path) == \(last)")
    }

    /// Returns the condition that the last page meets; nil if the method reads the flag itself.
    func lastWhen(beside method: any PagingMethod) -> FilterExpression? {
        hasMorePath == nil || method is Paginator.Offset || method is Paginator.JSONLink ? lastWhen : nil
    }

    /// Returns the other value of a flag, as a filter expression has it.
    private static func opposite(of flag: Node) -> String? {
        switch flag.kind {
        case .true: "false"
        case .false: "true"
        case .integer: [0: "1", 1: "0"][flag.integer]
        case .string:
            [
                "true": "'false'", "True": "'False'", "TRUE": "'FALSE'", "false": "'true'", "False": "'True'",
                "FALSE": "'TRUE'",
            ][flag.text]
        case .null, .real, .number, .array, .object: nil
        }
    }
}
