import Foundation
import TestSupport

/// Shopify's orders and Xero's invoices: only those that changed, by a parameter and by a header.
enum Shops {
    static let jobs = [
        Job(
            name: "orders of Shopify",
            commands: [
                [
                    "init",
                    "API/admin/api/2025-10/orders.json?status=any&limit=50&order=updated_at+asc&updated_at_min=2025-01-01T00:00:00Z",
                    "-H", "X-Shopify-Access-Token: \(token)",
                ]
            ],
            environment: ["API_X_SHOPIFY_ACCESS_TOKEN": token],
            lines: [
                "primary_key: id\n", "paginator: { type: header_link, rel: next }\n",
                #"# incremental: { cursor_field: updated_at, initial_value: "2025-01-01T00:00:00Z" }"#,
            ],
            edits: [
                (#"updated_at_min: "2025-01-01T00:00:00Z""#, #"updated_at_min: "{incremental.start_value}""#),
                ("# incremental:", "incremental:"),
            ],
            table: "orders", rows: (120, 122), requests: 1, answer: orders),
        Job(
            name: "invoices of Xero",
            commands: [["init", "API/api.xro/2.0/Invoices?page=1", "-H", "Xero-Tenant-Id: e1c5", "--auth", "bearer"]],
            environment: ["API_TOKEN": token],
            lines: [
                "primary_key: InvoiceID\n", "paginator: { type: page_number, page_param: page, base_page: 1 }\n",
                "# incremental: { cursor_field: UpdatedDateUTC, cursor_datetime_format: microsoft_json, datetime_format: rfc3339 }",
            ],
            edits: [
                (
                    #""Xero-Tenant-Id": "e1c5""#,
                    #""Xero-Tenant-Id": "e1c5", If-Modified-Since: "{incremental.start_value}""#
                ),
                ("# incremental:", "incremental:"),
            ],
            table: "Invoices", rows: (250, 253), requests: 2, answer: invoices),
    ]

    private static let token = "shpat_0123456789abcdef0123456789abcdef"
    private static let start = 1_760_000_000

    static func text(of seconds: Int) -> String { Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601) }

    private static func orders(_ request: LoopbackRequest, isChanged: Bool) -> LoopbackReply {
        guard request["x-shopify-access-token"] == token else { return .status(401) }
        guard request.value(of: "page") == nil else { return .status(400) }
        var all = (1...120).map { (id: 5_500_000_000_000 + $0 * 32_768, at: start + $0 * 3600) }
        if isChanged {
            all[10].at = start + 200 * 3600
            all += [121, 122].map { (id: 5_500_000_000_000 + $0 * 32_768, at: start + 201 * 3600) }
        }
        let state = (request.value(of: "page_info") ?? "0 \(request.value(of: "updated_at_min") ?? "")").split(
            separator: " ")
        let since = state.count > 1 ? String(state[1]) : ""
        let found = all.sorted { $0.at < $1.at }.filter { text(of: $0.at) >= since }
        let (from, size) = (Int(state[0]) ?? 0, request.number(of: "limit") ?? 50)
        let orders = found.dropFirst(from).prefix(size).map {
            #"{"id":\#($0.id),"name":"N\#($0.id % 1000)","updated_at":"\#(text(of: $0.at))","line_items":[]}"#
        }
        let next = "<\(request.path)?limit=\(size)&page_info=\(from + size)%20\(since)>; rel=\"next\""
        return .json("{\"orders\":\(orders.array)}", headers: from + size < found.count ? [("Link", next)] : [])
    }

    /// Without a number of a page, all invoices come without their lines.
    private static func invoices(_ request: LoopbackRequest, isChanged: Bool) -> LoopbackReply {
        guard request["authorization"] == "Bearer \(token)", request["xero-tenant-id"] == "e1c5" else {
            return .status(401)
        }
        var all = (1...250).map { (number: $0, at: start + $0 * 600) }
        if isChanged {
            all[11].at = start + 300 * 600
            all += (251...253).map { (number: $0, at: start + 301 * 600) }
        }
        let since = request["if-modified-since"] ?? ""
        let found = all.sorted { $0.at < $1.at }.filter { text(of: $0.at) >= since }
        let page = request.number(of: "page")
        let part = page.map { found.dropFirst(max(0, $0 - 1) * 100).prefix(100) } ?? found[...]
        let invoices = part.map {
            let lines = page == nil ? "" : #"{"LineItemID":"l\#($0.number)","Quantity":1.0}"#
            return
                #"{"Type":"ACCREC","InvoiceID":"i\#($0.number)","Total":\#($0.number).5,"LineItems":[\#(lines)],"UpdatedDateUTC":"/Date(\#($0.at)137+0000)/"}"#
        }
        return .json(#"{"Id":"r\#(request.number)","Status":"OK","Invoices":\#(invoices.array)}"#)
    }
}
