extension SimulatedAPI {
    private static let base = "https://api.example.test/v1/"

    /// APIs that give the address of the next page.
    package static let linking: [SimulatedAPI] = [
        SimulatedAPI(name: "GitHub issues", path: "repos/a/b/issues") { request, records in
            let page = request.int("page", 1)
            let found = APIPage(records, from: (page - 1) * 10, 10)
            let link =
                "<\(base)repos/a/b/issues?page=\(page + 1)>; rel=\"next\", <\(base)repos/a/b/issues?page=5>; rel=\"last\""
            return APIReply(
                found.list,
                headers: (found.hasMore ? [("Link", link)] : []) + [
                    ("ETag", "\"\(page)-\(records.count)\""), ("X-RateLimit-Remaining", "4999"),
                ])
        },
        SimulatedAPI(name: "GitHub search", path: "search/issues?q=x", count: 60, isCapped: true) { request, records in
            let page = request.int("page", 1)
            guard page <= 4 else {
                return .refusal(422, #"{"message":"Only the first 1000 search results are available"}"#)
            }
            let found = APIPage(records, from: (page - 1) * 10, 10)
            let link = "<\(base)search/issues?q=x&page=\(page + 1)>; rel=\"next\""
            return APIReply(
                #"{"total_count":\#(records.count),"incomplete_results":false,"items":\#(found.list)}"#,
                headers: page < 4 && found.hasMore ? [("Link", link)] : [])
        },
        SimulatedAPI(name: "GitLab", path: "projects") { request, records in
            let page = request.int("page", 1)
            let found = APIPage(records, from: (page - 1) * 20, 20)
            let link =
                "<\(base)projects?page=\(page + 1)&per_page=20>; rel=\"next\", <\(base)projects?page=1>; rel=\"first\""
            return APIReply(
                found.list,
                headers: [
                    ("Link", found.hasMore ? link : "<\(base)projects?page=1>; rel=\"first\""),
                    ("X-Next-Page", found.hasMore ? "\(page + 1)" : ""), ("X-Per-Page", "20"),
                ])
        },
        SimulatedAPI(name: "Shopify", path: "products.json") { request, records in
            let start = request.int("page_info", 0)
            let found = APIPage(records, from: start, 15)
            let link = "<\(base)products.json?limit=15&page_info=\(found.end)>; rel=\"next\""
            return APIReply(#"{"products":\#(found.list)}"#, headers: found.hasMore ? [("Link", link)] : [])
        },
        SimulatedAPI(name: "Mastodon", path: "accounts/1/statuses") { request, records in
            let found = APIPage(records, from: request.int("max_id", 0), 20)
            let link =
                "<\(base)accounts/1/statuses?max_id=\(found.end)>; rel=\"next\", <\(base)accounts/1/statuses?min_id=1>; rel=\"prev\""
            return APIReply(found.list, headers: found.hasMore ? [("Link", link)] : [])
        },
        SimulatedAPI(name: "WordPress", path: "posts") { request, records in
            let page = request.int("page", 1)
            let found = APIPage(records, from: (page - 1) * 10, 10)
            let link = "<\(base)posts?page=\(page + 1)>; rel=\"next\""
            return APIReply(
                found.list,
                headers: [("X-WP-Total", "\(records.count)"), ("X-WP-TotalPages", "\((records.count + 9) / 10)")]
                    + (found.hasMore ? [("Link", link)] : []))
        },
        SimulatedAPI(name: "WordPress without Link", path: "media") { request, records in
            let page = request.int("page", 1)
            let found = APIPage(records, from: (page - 1) * 10, 10)
            guard page == 1 || !found.ids.isEmpty else {
                return .refusal(
                    400, #"{"code":"rest_post_invalid_page_number","message":"The page number is too large."}"#)
            }
            return APIReply(
                found.list,
                headers: [("X-WP-Total", "\(records.count)"), ("X-WP-TotalPages", "\((records.count + 9) / 10)")])
        },
        SimulatedAPI(name: "Salesforce", path: "query?q=SELECT+Id+FROM+Account") { request, records in
            let start = request.path.hasSuffix("query") ? 0 : Int(request.path.split(separator: "-").last ?? "") ?? 0
            let found = APIPage(records, from: start, 20)
            let next = found.hasMore ? #","nextRecordsUrl":"/v1/query/01g-\#(found.end)""# : ""
            let list = found.array { #"{"attributes":{"type":"Account"},"Id":"00\#($0)","Name":"n\#($0)"}"# }
            return APIReply(#"{"totalSize":\#(records.count),"done":\#(!found.hasMore)\#(next),"records":\#(list)}"#)
        },
        SimulatedAPI(name: "OData nextLink", path: "Orders") { request, records in
            let found = APIPage(records, from: request.int("$skiptoken", 0), 10)
            let next = found.hasMore ? #","@odata.nextLink":"\#(base)Orders?$skiptoken=\#(found.end)""# : ""
            return APIReply(#"{"@odata.context":"\#(base)$metadata#Orders","value":\#(found.list)\#(next)}"#)
        },
        SimulatedAPI(name: "Microsoft Graph", path: "users") { request, records in
            let found = APIPage(records, from: request.int("$skiptoken", 0), 25)
            let next = found.hasMore ? #""@odata.nextLink":"\#(base)users?$skiptoken=\#(found.end)","# : ""
            return APIReply(#"{"@odata.context":"x",\#(next)"value":\#(found.list)}"#)
        },
        SimulatedAPI(name: "JSON:API", path: "articles") { request, records in
            let page = request.int("page[number]", 1)
            let found = APIPage(records, from: (page - 1) * 10, 10)
            let list = found.array { #"{"type":"articles","id":"\#($0)","attributes":{"title":"t\#($0)"}}"# }
            let next = found.ifMore(#""\#(base)articles?page%5Bnumber%5D=\#(page + 1)""#)
            return APIReply(
                #"{"data":\#(list),"links":{"self":"\#(base)articles","next":\#(next)},"meta":{"total":\#(records.count)}}"#
            )
        },
        SimulatedAPI(name: "HAL", path: "orders") { request, records in
            let page = request.int("page", 0)
            let found = APIPage(records, from: page * 20, 20)
            let next = found.hasMore ? #","next":{"href":"\#(base)orders?page=\#(page + 1)&size=20"}"# : ""
            return APIReply(
                """
                {"_embedded":{"orders":\(found.list)},"_links":{"self":{"href":"\(base)orders"}\(next)},
                "page":{"size":20,"totalElements":\(records.count),"totalPages":\((records.count + 19) / 20),"number":\(page)}}
                """)
        },
        SimulatedAPI(name: "Django REST framework", path: "snippets/") { request, records in
            let page = request.int("page", 1)
            let found = APIPage(records, from: (page - 1) * 10, 10)
            let next = found.ifMore(#""\#(base)snippets/?page=\#(page + 1)""#)
            return APIReply(#"{"count":\#(records.count),"next":\#(next),"previous":null,"results":\#(found.list)}"#)
        },
        SimulatedAPI(name: "Zendesk", path: "tickets.json") { request, records in
            let page = request.int("page", 1)
            let found = APIPage(records, from: (page - 1) * 20, 20)
            let next = found.ifMore(#""\#(base)tickets.json?page=\#(page + 1)""#)
            return APIReply(
                #"{"tickets":\#(found.list),"next_page":\#(next),"previous_page":null,"count":\#(records.count)}"#)
        },
        SimulatedAPI(
            name: "Zendesk incremental export", path: "incremental/tickets/cursor.json?start_time=1700000000"
        ) { request, records in
            guard request["cursor"] ?? request["start_time"] != nil else {
                return .refusal(400, #"{"error":"StartTimeMissing","description":"The start_time is missing"}"#)
            }
            // The last page leads on, too, to what will change later.
            let found = APIPage(records, from: request.int("cursor", 0), 10)
            let after = #""after_url":"\#(base)incremental/tickets/cursor.json?cursor=\#(found.end)""#
            return APIReply(
                #"{"tickets":\#(found.list),\#(after),"after_cursor":"\#(found.end)","before_url":null,"before_cursor":null,"end_of_stream":\#(!found.hasMore)}"#
            )
        },
        SimulatedAPI(
            name: "Zendesk export by time", path: "incremental/organizations.json?start_time=1700000000"
        ) { request, records in
            guard let time = request["start_time"].flatMap({ Int($0) }) else {
                return .refusal(400, #"{"error":"StartTimeMissing","description":"The start_time is missing"}"#)
            }
            // Each record was changed a minute after the one before. The one at the end of a page comes again on the next.
            let records = records.sorted()
            let start = records.firstIndex { 1_700_000_000 + 60 * $0 >= time } ?? records.count
            let found = APIPage(records, from: start, 10)
            let end = found.ids.last.map { "\(1_700_000_000 + 60 * $0)" }
            let next = end.map { #""\#(base)incremental/organizations.json?start_time=\#($0)""# }
            return APIReply(
                #"{"organizations":\#(found.list),"next_page":\#(next ?? "null"),"count":\#(found.ids.count),"end_of_stream":\#(!found.hasMore),"end_time":\#(end ?? "null")}"#
            )
        },
        SimulatedAPI(name: "Paddle", path: "products") { request, records in
            let last = request["after"].flatMap { Int($0.dropFirst(4)) }
            let start = last.flatMap { records.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
            let found = APIPage(records, from: start, min(request.int("per_page", 10), 20))
            let list = found.array { #"{"id":"pro_\#($0)","name":"n\#($0)","status":"active"}"# }
            let after = found.ids.last ?? last ?? 0
            return APIReply(
                #"{"data":\#(list),"meta":{"request_id":"r","pagination":{"per_page":10,"next":"\#(base)products?after=pro_\#(after)","has_more":\#(found.hasMore),"estimated_total":\#(records.count)}}}"#
            )
        },
        SimulatedAPI(name: "JSON Feed", path: "feed.json") { request, records in
            let found = APIPage(records, from: request.int("from", 0), 12)
            let next = found.hasMore ? #","next_url":"\#(base)feed.json?from=\#(found.end)""# : ""
            return APIReply(
                #"{"version":"https://jsonfeed.org/version/1.1","title":"t"\#(next),"items":\#(found.list)}"#)
        },
        SimulatedAPI(name: "PokeAPI", path: "pokemon") { request, records in
            let found = APIPage(records, from: request.int("offset", 0), 20)
            let next = found.ifMore(#""\#(base)pokemon?offset=\#(found.end)&limit=20""#)
            let list = found.array { #"{"name":"p\#($0)","url":"\#(base)pokemon/\#($0)/"}"# }
            return APIReply(#"{"count":\#(records.count),"next":\#(next),"previous":null,"results":\#(list)}"#)
        },
    ]
}
