extension SimulatedAPI {
    /// APIs whose pages are numbered, or whose records are skipped.
    package static let counting: [SimulatedAPI] = [
        SimulatedAPI(name: "Jira", path: "search") { request, records in
            let found = APIPage(records, from: request.int("startAt", 0), min(request.int("maxResults", 10), 20))
            let limit = min(request.int("maxResults", 10), 20)
            return APIReply(
                #"{"startAt":\#(found.start),"maxResults":\#(limit),"total":\#(records.count),"issues":\#(found.list)}"#
            )
        },
        SimulatedAPI(
            name: "OData $skip", path: "Products",
            whole:
                "paginator: { type: offset, offset_param: \"$skip\", limit_param: \"$top\", limit: 10, total_path: \"$['@odata.count']\" }"
        ) { request, records in
            let found = APIPage(records, from: request.int("$skip", 0), min(request.int("$top", 10), 10))
            return APIReply(#"{"@odata.context":"c","@odata.count":\#(records.count),"value":\#(found.list)}"#)
        },
        SimulatedAPI(name: "page and total_pages", path: "users") { request, records in
            let page = request.int("page", 1)
            let found = APIPage(records, from: (page - 1) * 6, 6)
            return APIReply(
                #"{"page":\#(page),"per_page":6,"total":\#(records.count),"total_pages":\#((records.count + 5) / 6),"data":\#(found.list)}"#
            )
        },
        SimulatedAPI(
            name: "Socrata", path: "resource/a.json?$limit=20",
            whole: "paginator: { type: offset, offset_param: \"$offset\", limit_param: \"$limit\", limit: 20 }"
        ) { request, records in
            APIReply(APIPage(records, from: request.int("$offset", 0), request.int("$limit", 20)).list)
        },
        SimulatedAPI(
            name: "CKAN", path: "action/package_search?q=x",
            whole:
                "paginator: { type: offset, offset_param: start, limit_param: rows, limit: 10, total_path: $.result.count }"
        ) { request, records in
            let found = APIPage(records, from: request.int("start", 0), min(request.int("rows", 10), 20))
            return APIReply(
                #"{"help":"h","success":true,"result":{"count":\#(records.count),"sort":"score","facets":{},"results":\#(found.list)}}"#
            )
        },
        SimulatedAPI(name: "World Bank", path: "country?format=json") { request, records in
            let page = request.int("page", 1)
            let found = APIPage(records, from: (page - 1) * 10, 10)
            return APIReply(
                #"[{"page":\#(page),"pages":\#((records.count + 9) / 10),"per_page":"10","total":\#(records.count)},\#(found.list)]"#
            )
        },
        SimulatedAPI(name: "OpenAlex", path: "works") { request, records in
            let page = request.int("page", 1)
            let found = APIPage(records, from: (page - 1) * 10, 10)
            return APIReply(
                #"{"meta":{"count":\#(records.count),"db_response_time_ms":9,"page":\#(page),"per_page":10},"results":\#(found.list),"group_by":[]}"#
            )
        },
        SimulatedAPI(name: "Solr", path: "select?q=*:*") { request, records in
            let found = APIPage(records, from: request.int("start", 0), request.int("rows", 10))
            return APIReply(
                #"{"responseHeader":{"status":0,"QTime":1},"response":{"numFound":\#(records.count),"start":\#(found.start),"numFoundExact":true,"docs":\#(found.list)}}"#
            )
        },
        SimulatedAPI(name: "Algolia", path: "indexes/a?query=") { request, records in
            let page = request.int("page", 0)
            let found = APIPage(records, from: page * 20, 20)
            let list = found.array { #"{"objectID":"\#($0)","id":\#($0)}"# }
            return APIReply(
                #"{"hits":\#(list),"nbHits":\#(records.count),"page":\#(page),"nbPages":\#((records.count + 19) / 20),"hitsPerPage":20}"#
            )
        },
        SimulatedAPI(name: "Marvel", path: "public/characters") { request, records in
            let found = APIPage(records, from: request.int("offset", 0), min(request.int("limit", 20), 100))
            let limit = min(request.int("limit", 20), 100)
            return APIReply(
                #"{"code":200,"status":"Ok","data":{"offset":\#(found.start),"limit":\#(limit),"total":\#(records.count),"count":\#(found.ids.count),"results":\#(found.list)}}"#
            )
        },
        SimulatedAPI(name: "Spring Data", path: "users") { request, records in
            let (page, size) = (request.int("page", 0), min(request.int("size", 20), 20))
            let found = APIPage(records, from: page * size, size)
            let sort = #""sort":{"empty":true,"sorted":false,"unsorted":true}"#
            return APIReply(
                """
                {"content":\(found.list),"pageable":{"pageNumber":\(page),"pageSize":\(size),\(sort),"offset":\(page * size),
                "paged":true,"unpaged":false},"last":\(!found.hasMore),"totalElements":\(records.count),
                "totalPages":\((records.count + size - 1) / size),"size":\(size),"number":\(page),\(sort),"first":\(page == 0),
                "numberOfElements":\(found.ids.count),"empty":\(found.ids.isEmpty)}
                """)
        },
        SimulatedAPI(name: "mongoose-paginate", path: "articles") { request, records in
            let (page, limit) = (max(request.int("page", 1), 1), request.int("limit", 10))
            let found = APIPage(records, from: (page - 1) * limit, limit)
            return APIReply(
                """
                {"docs":\(found.list),"totalDocs":\(records.count),"limit":\(limit),"totalPages":\((records.count + limit - 1) / limit),
                "page":\(page),"pagingCounter":\((page - 1) * limit + 1),"hasPrevPage":\(page > 1),"hasNextPage":\(found.hasMore),
                "prevPage":\(page > 1 ? "\(page - 1)" : "null"),"nextPage":\(found.ifMore("\(page + 1)"))}
                """)
        },
        SimulatedAPI(name: "Pipedrive", path: "deals") { request, records in
            let limit = min(request.int("limit", 10), 20)
            let found = APIPage(records, from: request.int("start", 0), limit)
            let next = found.hasMore ? #","next_start":\#(found.end)"# : ""
            return APIReply(
                #"{"success":true,"data":\#(found.ids.isEmpty ? "null" : found.list),"additional_data":{"pagination":{"start":\#(found.start),"limit":\#(limit),"more_items_in_collection":\#(found.hasMore)\#(next)}}}"#
            )
        },
        postgREST("PostgREST", whole: "paginator: { type: single_page }"),
        postgREST("PostgREST with max-rows", maxRows: 20, whole: "paginator: { type: offset, limit: 20 }"),
        postgREST(
            "PostgREST with count=exact", maxRows: 20, counts: true, whole: "paginator: { type: offset, limit: 20 }"),
        SimulatedAPI(
            name: "a bare array with ?page=", path: "things", whole: "paginator: { type: page_number }"
        ) { request, records in
            APIReply(APIPage(records, from: (request.int("page", 1) - 1) * 10, 10).list)
        },
        SimulatedAPI(
            name: "pages from 0", path: "sensors?page=0", whole: "paginator: { type: page_number, base_page: 0 }"
        ) { request, records in
            APIReply(APIPage(records, from: request.int("page", 0) * 10, 10).list)
        },
        SimulatedAPI(
            name: "pages from 0 with their number", path: "alarms?page=0",
            whole: "paginator: { type: page_number, base_page: 0 }"
        ) { request, records in
            let page = request.int("page", 0)
            return APIReply(#"{"page":\#(page),"items":\#(APIPage(records, from: page * 10, 10).list)}"#)
        },
        SimulatedAPI(name: "pages from 0 with the last one", path: "logs") { request, records in
            let (page, last) = (request.int("page", 0), max(records.count - 1, 0) / 10)
            return APIReply(
                #"{"page":\#(page),"last_page":\#(last),"data":\#(APIPage(records, from: page * 10, 10).list)}"#)
        },
    ]

    package static let all = linking + pointing + counting

    /// A table behind PostgREST.
    ///
    /// - Parameters:
    ///   - maxRows: the most rows that an answer has; all of them without `limit` if there is none.
    ///   - counts: True if requests have `Prefer: count=exact`.
    private static func postgREST(
        _ name: String, maxRows: Int = .max, counts: Bool = false, whole: String
    ) -> SimulatedAPI {
        SimulatedAPI(name: name, path: "people", whole: whole) { request, records in
            // Any other parameter is a condition on a column.
            guard request.names.allSatisfy(["select", "order", "limit", "offset"].contains) else {
                return .refusal(400, #"{"code":"PGRST100","details":null,"message":"failed to parse filter"}"#)
            }
            let offset = request.int("offset", 0)
            guard !counts || offset <= records.count else {
                return .refusal(
                    416,
                    #"{"code":"PGRST103","details":"An offset of \#(offset) was requested, but there are only \#(records.count) rows.","hint":null,"message":"Requested range not satisfiable"}"#
                )
            }
            let found = APIPage(records, from: offset, min(request.int("limit", records.count), maxRows))
            let range = found.ids.isEmpty ? "*" : "\(found.start)-\(found.end - 1)"
            var reply = APIReply(
                found.list, headers: [("Content-Range", "\(range)/\(counts ? "\(records.count)" : "*")")])
            reply.status = counts && found.ids.count < records.count ? 206 : 200
            return reply
        }
    }
}
