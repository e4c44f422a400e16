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
        SimulatedAPI(
            name: "PostgREST", path: "people", whole: "paginator: { type: offset, limit: 20 }"
        ) { request, records in
            let found = APIPage(records, from: request.int("offset", 0), min(request.int("limit", 20), 20))
            let range = found.ids.isEmpty ? "*" : "\(found.start)-\(found.end - 1)"
            return APIReply(found.list, headers: [("Content-Range", "\(range)/\(records.count)")])
        },
        SimulatedAPI(
            name: "a bare array with ?page=", path: "things", whole: "paginator: { type: page_number }"
        ) { request, records in
            APIReply(APIPage(records, from: (request.int("page", 1) - 1) * 10, 10).list)
        },
    ]

    package static let all = linking + pointing + counting
}
