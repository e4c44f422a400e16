extension SimulatedAPI {
    /// APIs that give a token for the next page, or say only that there is one.
    package static let pointing: [SimulatedAPI] = [
        SimulatedAPI(
            name: "Stripe", path: "charges",
            whole:
                #"paginator: { type: cursor, cursor_path: "$.data[-1].id", cursor_param: starting_after, has_more_path: "$.has_more" }"#
        ) { request, records in
            let last = request["starting_after"].flatMap { Int($0.dropFirst(3)) }
            let start = last.flatMap { records.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
            let found = APIPage(records, from: start, 10)
            let list = found.array { #"{"id":"ch_\#($0)","object":"charge","amount":\#($0)}"# }
            return APIReply(#"{"object":"list","url":"/v1/charges","has_more":\#(found.hasMore),"data":\#(list)}"#)
        },
        SimulatedAPI(
            name: "Notion", path: "databases/1/query", body: "{ page_size: 20 }",
            whole:
                "paginator: { type: cursor, cursor_path: $.next_cursor, cursor_param: $.start_cursor, has_more_path: $.has_more }"
        ) { request, records in
            let start = (request.posted("start_cursor") as? String).flatMap { Int($0) } ?? 0
            let found = APIPage(records, from: start, 20)
            let list = found.array { #"{"object":"page","id":"n-\#($0)"}"# }
            return APIReply(
                #"{"object":"list","results":\#(list),"next_cursor":\#(found.ifMore("\"\(found.end)\"")),"has_more":\#(found.hasMore),"type":"page"}"#
            )
        },
        SimulatedAPI(name: "Slack", path: "conversations.list") { request, records in
            let found = APIPage(records, from: request.int("cursor", 0), 10)
            return APIReply(
                #"{"ok":true,"channels":\#(found.list),"response_metadata":{"next_cursor":"\#(found.hasMore ? "\(found.end)" : "")"}}"#
            )
        },
        SimulatedAPI(name: "HubSpot", path: "objects/contacts") { request, records in
            let found = APIPage(records, from: request.int("after", 0), 10)
            let next =
                found.hasMore
                ? #","paging":{"next":{"after":"\#(found.end)","link":"https://elsewhere.example.test/?after=\#(found.end)"}}"#
                : ""
            return APIReply(#"{"results":\#(found.list)\#(next)}"#)
        },
        SimulatedAPI(name: "Twitter", path: "users/1/tweets") { request, records in
            let found = APIPage(records, from: request.int("pagination_token", 0), 10)
            let next = found.hasMore ? #","next_token":"\#(found.end)""# : ""
            return APIReply(#"{"data":\#(found.list),"meta":{"result_count":\#(found.ids.count)\#(next)}}"#)
        },
        SimulatedAPI(name: "Google", path: "files") { request, records in
            let found = APIPage(records, from: request.int("pageToken", 0), 10)
            let next = found.hasMore ? #""nextPageToken":"\#(found.end)","# : ""
            return APIReply(#"{"kind":"drive#fileList",\#(next)"incompleteSearch":false,"files":\#(found.list)}"#)
        },
        SimulatedAPI(name: "YouTube", path: "search") { request, records in
            let found = APIPage(records, from: request.int("pageToken", 0), 5)
            let next = found.hasMore ? #""nextPageToken":"\#(found.end)","# : ""
            return APIReply(
                #"{"kind":"l",\#(next)"pageInfo":{"totalResults":1000000,"resultsPerPage":5},"items":\#(found.list)}"#)
        },
        SimulatedAPI(name: "Airtable", path: "app1/Table") { request, records in
            let start = request["offset"].flatMap { Int($0.dropFirst(4)) } ?? 0
            let found = APIPage(records, from: start, 10)
            let list = found.array {
                #"{"id":"rec\#($0)","createdTime":"2026-01-01T00:00:00.000Z","fields":{"n":\#($0)}}"#
            }
            let next = found.hasMore ? #","offset":"itr/\#(found.end)""# : ""
            return APIReply(#"{"records":\#(list)\#(next)}"#)
        },
        SimulatedAPI(name: "MediaWiki", path: "api.php?action=query&list=allpages&format=json") { request, records in
            let found = APIPage(records, from: request.int("apcontinue", 0), 10)
            let list = found.array { #"{"pageid":\#($0),"ns":0,"title":"T\#($0)"}"# }
            let next = found.hasMore ? #""continue":{"apcontinue":"\#(found.end)","continue":"-||"},"# : ""
            return APIReply(#"{"batchcomplete":"",\#(next)"query":{"allpages":\#(list)}}"#)
        },
        SimulatedAPI(
            name: "GraphQL (Relay)", path: "graphql",
            body: "{ query: \"query($after: String) { items }\", variables: { after: null } }"
        ) { request, records in
            let start = (request.posted("variables", "after") as? String).flatMap { Int($0) } ?? 0
            let found = APIPage(records, from: start, 10)
            return APIReply(
                """
                {"data":{"items":{"nodes":\(found.list),"pageInfo":{"hasNextPage":\(found.hasMore),"endCursor":"\(found.end)"}}}}
                """)
        },
        SimulatedAPI(
            name: "Elasticsearch", path: "logs/_search", body: "{ size: 10, sort: [id] }",
            whole: #"paginator: { type: cursor, cursor_path: "$.hits.hits[-1].sort", cursor_param: $.search_after }"#
        ) { request, records in
            let last = (request.posted("search_after") as? [Int])?.first ?? 0
            let found = APIPage(records, from: records.firstIndex { $0 > last } ?? records.count, 10)
            let list = found.array { #"{"_index":"logs","_id":"\#($0)","_source":{"n":\#($0)},"sort":[\#($0)]}"# }
            return APIReply(
                #"{"took":1,"timed_out":false,"hits":{"total":{"value":\#(records.count),"relation":"eq"},"hits":\#(list)}}"#
            )
        },
        SimulatedAPI(name: "Reddit", path: "r/swift/new.json") { request, records in
            let start = request["after"].flatMap { Int($0.dropFirst(3)) } ?? 0
            let found = APIPage(records, from: start, 25)
            let list = found.array { #"{"kind":"t3","data":{"id":"\#($0)","title":"t\#($0)"}}"# }
            let after = found.ifMore("\"t3_\(found.end)\"")
            return APIReply(
                #"{"kind":"Listing","data":{"after":\#(after),"before":null,"dist":\#(found.ids.count),"children":\#(list)}}"#
            )
        },
        SimulatedAPI(
            name: "Stack Exchange", path: "questions?site=x",
            whole: "paginator: { type: page_number, has_more_path: $.has_more }"
        ) { request, records in
            let page = request.int("page", 1)
            let found = APIPage(records, from: (page - 1) * 30, 30)
            let list = found.array { #"{"question_id":\#($0),"title":"t\#($0)"}"# }
            return APIReply(#"{"items":\#(list),"has_more":\#(found.hasMore),"quota_max":300,"quota_remaining":299}"#)
        },
        SimulatedAPI(
            name: "DynamoDB", path: "scan", body: "{ TableName: music, Limit: 10 }",
            whole: "paginator: { type: cursor, cursor_path: $.LastEvaluatedKey, cursor_param: $.ExclusiveStartKey }"
        ) { request, records in
            let last = (request.posted("ExclusiveStartKey", "id", "N") as? String).flatMap { Int($0) }
            let start = last.flatMap { records.firstIndex(of: $0) }.map { $0 + 1 } ?? 0
            let found = APIPage(records, from: start, request.posted("Limit") as? Int ?? 20)
            let list = found.array { #"{"id":{"N":"\#($0)"},"title":{"S":"t\#($0)"}}"# }
            let next = found.hasMore ? #","LastEvaluatedKey":{"id":{"N":"\#(found.ids.last ?? 0)"}}"# : ""
            let count = found.ids.count
            return APIReply(#"{"Count":\#(count),"Items":\#(list)\#(next),"ScannedCount":\#(count)}"#)
        },
        SimulatedAPI(name: "Zoho CRM", path: "Leads?fields=Last_Name") { request, records in
            guard request["page"] == nil || request["page_token"] == nil else {
                return .refusal(400, #"{"code":"AMBIGUITY_DURING_PROCESSING","status":"error"}"#)
            }
            let number = request["page_token"].flatMap { Int($0.dropFirst(2)) } ?? request.int("page", 1)
            let found = APIPage(records, from: (number - 1) * 10, 10)
            guard !found.ids.isEmpty else { return .refusal(204, "") }
            let next = found.ifMore(#""t-\#(number + 1)""#)
            let before = number > 1 ? #""t-\#(number - 1)""# : "null"
            return APIReply(
                #"{"data":\#(found.list),"info":{"per_page":10,"next_page_token":\#(next),"count":\#(found.ids.count),"sort_by":"id","page":\#(number),"previous_page_token":\#(before),"page_token_expiry":\#(found.ifMore(#""2026-02-01T00:00:00+00:00""#)),"sort_order":"desc","more_records":\#(found.hasMore)}}"#
            )
        },
        SimulatedAPI(name: "Express tutorial", path: "posts") { request, records in
            let (page, limit) = (request.int("page", 1), request.int("limit", 10))
            let found = APIPage(records, from: (page - 1) * limit, limit)
            let next = found.hasMore ? #""next":{"page":\#(page + 1),"limit":\#(limit)},"# : ""
            let previous = page > 1 ? #""previous":{"page":\#(page - 1),"limit":\#(limit)},"# : ""
            return APIReply("{\(next)\(previous)\"results\":\(found.list)}")
        },
    ]
}
