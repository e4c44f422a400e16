import GarnerCatalog
import GarnerFetcher
import Foundation
import SimulatedAPIs

/// What the answers of a well-mannered API show: where its records, its totals and its next pages stand.
struct APIShape: Sendable {
    /// The place of the records; empty if the body is the list.
    private(set) var list: AnswerTree.Path = []
    private(set) var isObject = false
    /// The places of numbers that are the number of all records.
    private(set) var totals: [AnswerTree.Path] = []
    private(set) var totalHeaders: [String] = []
    /// The places of values that lead to the next page, and that are absent or empty on the last page.
    private(set) var nexts: [AnswerTree.Path] = []
    private(set) var hasLink = false
    /// The objects at the root that hold a total or a next page, and not the records.
    private(set) var wrappers: [String] = []
    /// The members at the root that are a total or a next page.
    private(set) var markers: [String] = []
    /// The parameter that counts pages from 1; nil if there is none.
    private(set) var pageParameter: String?
    /// True if pages are numbered, from 0 or 1.
    private(set) var isNumbered = false
    /// True if the first page is not the last one.
    private(set) var isPaged = true
    /// The number of records on a page.
    private(set) var size = 1
    /// The number of the line by which pages are counted until one has no records, if there is one; else of one that counts them up to a
    /// total.
    private(set) var countingLine: Int?
    /// True if a member of a record is its key, rather than one of an object in it.
    private(set) var hasKey = false

    /// The names of objects that are the next page itself.
    private static let nextPages: Set = ["LastEvaluatedKey", "next"]

    init(of api: SimulatedAPI) {
        let counting = api.lines.indices.filter { line in
            ["type: page_number", "type: offset"].contains { api.lines[line].contains($0) }
        }
        countingLine =
            counting.first { line in !["_path", "last_when"].contains { api.lines[line].contains($0) } }
            ?? counting.first
        let records = Array(1...api.count)
        let request = APIRequest(url: "/v1/\(api.path)", body: api.body == nil ? "" : "{}")
        let (first, cut) = Self.ask(api, request, records)
        size = max(cut?.size ?? 1, 1)
        isPaged = cut?.isLast == false
        for name in ["page", "page[number]"] {
            guard let start = Self.ask(api, request.setting(name, to: 2), records).cut?.start, start > 0 else {
                continue
            }
            isNumbered = true
            if start == size { pageParameter = name }
        }
        // As many records as are on one page.
        let last = Self.ask(api, request, Array(records.prefix(size))).reply
        hasLink = first.headers.contains { $0.0 == "Link" }
        totalHeaders = first.headers.filter { Int($0.1) == api.count }.map(\.0)
        guard let tree = AnswerTree(first.body), let end = AnswerTree(last.body),
            let list = tree.path(ofListOf: cut?.ids.count ?? 0)
        else { return }
        self.list = list
        hasKey = ["Id", "_id", "id", "name", "pageid", "question_id"].contains {
            tree[list + ["0", $0]].map { !$0.isObject } ?? false
        }
        isObject = tree.isObject
        let leaves = tree.leaves(outside: list)
        totals = leaves.filter { tree[$0]?.integer == api.count }
        nexts = leaves.filter { end[$0].map(\.isNothing) ?? true && tree[$0].map { !$0.isNothing } ?? false }
        for path in totals + nexts {
            guard let name = path.first, isObject else { continue }
            if path.count == 1 { markers.append(name) }
            // An object that is itself the next page is none around it.
            if path.count > 1, !Self.nextPages.contains(name), name != list.first, !wrappers.contains(name) {
                wrappers.append(name)
            }
        }
    }

    /// Asks an API without its server.
    static func ask(
        _ api: SimulatedAPI, _ request: APIRequest, _ records: [Int], _ cutting: PageCutting = PageCutting()
    ) -> (reply: APIReply, cut: PageCutting.Cut?) {
        let reply = APIPage.$cutting.withValue(cutting) { api.answer(request, records) }
        return (reply, cutting.cut)
    }
}

extension SimulatedAPI {
    /// The lines that a person may have written for the API, beside none.
    var lines: [String] {
        let written: [String: [String]] = [
            "GitHub issues": ["{ type: header_link }", "{ type: page_number }"],
            "GitHub search": ["{ type: page_number, total_path: $.total_count }"],
            "GitLab": [
                "{ type: header_cursor, cursor_header: X-Next-Page, cursor_param: page }", "{ type: header_link }",
            ],
            "Shopify": ["{ type: header_link }"], "Mastodon": ["{ type: header_link }"],
            "WordPress": ["{ type: header_link }", "{ type: page_number }"],
            "WordPress without Link": ["{ type: page_number }"],
            "Salesforce": ["{ type: json_link, next_url_path: $.nextRecordsUrl }"],
            "OData nextLink": ["{ type: json_link, next_url_path: \"$['@odata.nextLink']\" }"],
            "Microsoft Graph": ["{ type: json_link, next_url_path: \"$['@odata.nextLink']\" }"],
            "JSON:API": ["{ type: json_link, next_url_path: $.links.next }"],
            "HAL": [
                "{ type: json_link, next_url_path: $._links.next.href }",
                "{ type: page_number, base_page: 0, total_pages_path: $.page.totalPages }",
            ],
            "Django REST framework": [
                "{ type: json_link, next_url_path: $.next }", "{ type: page_number, total_path: $.count }",
            ],
            "Zendesk": ["{ type: json_link, next_url_path: $.next_page }", "{ type: page_number }"],
            "Zendesk incremental export": [
                "{ type: cursor, cursor_path: $.after_cursor, cursor_param: cursor, last_when: $.end_of_stream == true }",
                "{ type: json_link, next_url_path: $.after_url }",
            ],
            "Zendesk export by time": ["{ type: json_link, next_url_path: $.next_page }"],
            "Paddle": ["{ type: json_link, next_url_path: $.meta.pagination.next }"],
            "Zoho CRM": [
                "{ type: page_number, has_more_path: $.info.more_records }",
                "{ type: cursor, cursor_path: $.info.next_page_token, cursor_param: page_token }",
            ],
            "Express tutorial": [
                "{ type: page_number }", "{ type: cursor, cursor_path: $.next.page, cursor_param: page }",
            ],
            "JSON Feed": ["{ type: json_link, next_url_path: $.next_url }"],
            "PokeAPI": [
                "{ type: json_link, next_url_path: $.next }", "{ type: offset, limit: 20, total_path: $.count }",
            ],
            "Slack": ["{ type: cursor, cursor_path: $.response_metadata.next_cursor }"],
            "HubSpot": ["{ type: cursor, cursor_path: $.paging.next.after, cursor_param: after }"],
            "Twitter": ["{ type: cursor, cursor_path: $.meta.next_token, cursor_param: pagination_token }"],
            "Google": ["{ type: cursor, cursor_path: $.nextPageToken, cursor_param: pageToken }"],
            "YouTube": ["{ type: cursor, cursor_path: $.nextPageToken, cursor_param: pageToken }"],
            "Airtable": ["{ type: cursor, cursor_path: $.offset, cursor_param: offset }"],
            "MediaWiki": ["{ type: cursor, cursor_path: $.continue.apcontinue, cursor_param: apcontinue }"],
            "GraphQL (Relay)": [
                "{ type: cursor, cursor_path: $.data.items.pageInfo.endCursor, cursor_param: $.variables.after, has_more_path: $.data.items.pageInfo.hasNextPage }"
            ],
            "Reddit": ["{ type: cursor, cursor_path: $.data.after, cursor_param: after }"],
            "Stack Exchange": ["{ type: page_number }"],
            "Jira": [
                "{ type: offset, offset_param: startAt, limit_param: maxResults, limit: 10, total_path: $.total }",
                "{ type: offset, offset_param: startAt, limit_param: maxResults, limit: 20 }",
            ],
            "page and total_pages": [
                "{ type: page_number, total_pages_path: $.total_pages }", "{ type: page_number, total_path: $.total }",
            ],
            "World Bank": ["{ type: page_number, total_path: \"$[0].total\" }"],
            "OpenAlex": ["{ type: page_number, total_path: $.meta.count }", "{ type: page_number }"],
            "Solr": [
                "{ type: offset, offset_param: start, limit_param: rows, limit: 10, total_path: $.response.numFound }"
            ],
            "Algolia": ["{ type: page_number, base_page: 0, total_pages_path: $.nbPages }"],
            "Spring Data": [
                "{ type: page_number, base_page: 0, total_pages_path: $.totalPages }",
                "{ type: page_number, base_page: 0, last_when: $.last == true }",
            ],
            "mongoose-paginate": [
                "{ type: page_number, total_pages_path: $.totalPages }",
                "{ type: page_number, has_more_path: $.hasNextPage }",
            ],
            "Pipedrive": [
                "{ type: offset, offset_param: start, limit: 10 }",
                "{ type: cursor, cursor_path: $.additional_data.pagination.next_start, cursor_param: start }",
            ],
            "PostgREST": ["{ type: offset, limit: 20 }"],
            "PostgREST with count=exact": ["{ type: offset, limit: 10 }"],
            "pages from 0 with the last one": [
                "{ type: page_number, base_page: 0, total_pages_path: $.last_page }",
                "{ type: page_number, base_page: 0 }",
            ],
            "Marvel": ["{ type: offset, limit: 20, total_path: $.data.total }"],
        ]
        return (whole.map { [$0] } ?? []) + (written[name] ?? []).map { "paginator: \($0)" }
    }
}
