/// A curl command as documentation or a browser gives it, and the request that curl would send.
struct CurlExample: Sendable, CustomStringConvertible {
    /// The origin in the command, in whose place a server on loopback stands.
    let origin: String
    let command: String
    var method = "GET"
    let target: String
    /// Fields that are sent, such as `Accept: text/csv`.
    var headers: [String] = []
    var body = ""
    /// A part of what garner says about it.
    var remark: String?

    var description: String { "\(origin)\(target)" }

    /// The variables that the commands of documentation name.
    static let environment = [
        "NOTION_API_KEY": "canary-notion", "OPENAI_API_KEY": "canary-openai", "OKTA_TOKEN": "canary-okta",
    ]

    static let documentation: [CurlExample] = [
        .init(
            origin: "https://api.github.com",
            command: #"""
                curl -L \
                  -H "Accept: application/vnd.github+json" \
                  -H "Authorization: Bearer canary5e1f" \
                  -H "X-GitHub-Api-Version: 2022-11-28" \
                  https://api.github.com/repos/OWNER/REPO/issues?state=all
                """#, target: "/repos/OWNER/REPO/issues?state=all",
            headers: [
                "Accept: application/vnd.github+json", "Authorization: Bearer canary5e1f",
                "X-GitHub-Api-Version: 2022-11-28",
            ]),
        .init(
            origin: "https://api.github.com",
            command: #"""
                curl -H "Authorization: bearer canary5e1f" -X POST -d " \
                 { \
                   \"query\": \"query { viewer { login }}\" \
                 } \
                " https://api.github.com/graphql
                """#, method: "POST", target: "/graphql",
            headers: ["Authorization: Bearer canary5e1f", "Content-Type: application/json"],
            body: #"{"query":"query { viewer { login }}"}"#, remark: "sent as application/json"),
        .init(
            origin: "https://api.stripe.com",
            command: #"""
                curl https://api.stripe.com/v1/charges \
                  -u "sk_test_canary:" \
                  -d "created[gte]"=1700000000 \
                  -d limit=3 \
                  -G
                """#, target: "/v1/charges?created%5Bgte%5D=1700000000&limit=3",
            headers: ["Authorization: Basic c2tfdGVzdF9jYW5hcnk6"]),
        .init(
            origin: "https://api.stripe.com",
            command: #"""
                curl -G https://api.stripe.com/v1/customers/search \
                  -u "sk_test_canary:" \
                  --data-urlencode query="name:'Jane Doe' AND metadata['foo']:'bar'"
                """#,
            target: "/v1/customers/search?query=name%3A%27Jane%20Doe%27%20AND%20metadata%5B%27foo%27%5D%3A%27bar%27",
            headers: ["Authorization: Basic c2tfdGVzdF9jYW5hcnk6"]),
        .init(
            origin: "https://my-store.myshopify.com",
            command: #"""
                curl -X GET "https://my-store.myshopify.com/admin/api/2025-01/orders.json?status=any" \
                -H "X-Shopify-Access-Token: {canary_token}" \
                -H "Content-Type: application/json"
                """#, target: "/admin/api/2025-01/orders.json?status=any",
            headers: ["X-Shopify-Access-Token: {canary_token}", "Content-Type: application/json"]),
        .init(
            origin: "https://my-store.myshopify.com",
            command: #"""
                curl -X POST \
                  https://my-store.myshopify.com/admin/api/2025-01/graphql.json \
                  -H 'Content-Type: application/json' \
                  -H 'X-Shopify-Access-Token: canary5e1f' \
                  -d '{
                    "query": "query Orders($first: Int) {orders(first: $first) {nodes {id}}}",
                    "variables": {"first": 10}
                  }'
                """#, method: "POST", target: "/admin/api/2025-01/graphql.json",
            headers: ["X-Shopify-Access-Token: canary5e1f", "Content-Type: application/json"],
            body:
                #"{"query":"query Orders($first: Int) { orders(first: $first) { nodes { id}}}","variables":{"first":10}}"#
        ),
        .init(
            origin: "http://search.example:9200",
            command: #"""
                curl -X GET "http://search.example:9200/events/_search" -H 'Content-Type: application/json' -d'
                { "query": { "match_all": {} } }
                '
                """#, target: "/events/_search", headers: ["Content-Type: application/json"],
            body: #"{"query":{"match_all":{}}}"#),
        .init(
            origin: "https://api.notion.com",
            command: #"""
                curl -X POST 'https://api.notion.com/v1/databases/897e5a76ae524b489fdfe71f5945d1af/query' \
                  -H 'Authorization: Bearer '"$NOTION_API_KEY"'' \
                  -H 'Notion-Version: 2022-06-28' \
                  -H "Content-Type: application/json" \
                --data '{
                  "filter": {"or": [{"property": "In stock", "checkbox": {"equals": true}}]},
                  "page_size": 50
                }'
                """#, method: "POST", target: "/v1/databases/897e5a76ae524b489fdfe71f5945d1af/query",
            headers: ["Authorization: Bearer canary-notion", "Notion-Version: 2022-06-28"],
            body: #"{"filter":{"or":[{"property":"In stock","checkbox":{"equals":true}}]},"page_size":50}"#),
        .init(
            origin: "https://slack.com",
            command: "curl -d 'token=xoxb-canary-5e1f' https://slack.com/api/conversations.list",
            method: "POST", target: "/api/conversations.list",
            headers: ["Content-Type: application/x-www-form-urlencoded"], body: "token=xoxb-canary-5e1f"),
        .init(
            origin: "https://slack.com",
            command:
                "$ curl -s 'https://slack.com/api/users.list?limit=200' -H 'Authorization: Bearer xoxb-canary' | jq .members",
            target: "/api/users.list?limit=200", headers: ["Authorization: Bearer xoxb-canary"]),
        .init(
            origin: "https://api.hubapi.com",
            command: #"""
                curl --request GET \
                  --url 'https://api.hubapi.com/crm/v3/objects/contacts?archived=false&properties=email,phone' \
                  --header 'authorization: Bearer canary5e1f'
                """#, target: "/crm/v3/objects/contacts?archived=false&properties=email%2Cphone",
            headers: ["Authorization: Bearer canary5e1f"]),
        .init(
            origin: "https://api.hubapi.com",
            command: #"""
                curl https://api.hubapi.com/crm/v3/objects/contacts/search \
                  --request POST \
                  --header "Content-Type: application/json; charset=utf-8" \
                  --header "authorization: Bearer canary5e1f" \
                  --data '{"filterGroups":[{"filters":[{"propertyName":"lastmodifieddate","operator":"GTE","value":"1579514400000"}]}]}'
                """#, method: "POST", target: "/crm/v3/objects/contacts/search",
            headers: ["Content-Type: application/json; charset=utf-8"],
            body:
                #"{"filterGroups":[{"filters":[{"propertyName":"lastmodifieddate","operator":"GTE","value":"1579514400000"}]}]}"#
        ),
        .init(
            origin: "https://api.airtable.com",
            command: #"""
                curl "https://api.airtable.com/v0/appFaeOwOaM5QY7Ek/Table%20Name?maxRecords=3&view=Grid%20view" \
                  -H "Authorization: Bearer canary5e1f"
                """#, target: "/v0/appFaeOwOaM5QY7Ek/Table%20Name?maxRecords=3&view=Grid%20view",
            headers: ["Authorization: Bearer canary5e1f"]),
        .init(
            origin: "https://api.openai.com",
            command: #"""
                curl https://api.openai.com/v1/vector_stores/vs_1/search \
                  -H "Authorization: Bearer $OPENAI_API_KEY" \
                  -H "Content-Type: application/json" \
                  -d '{"query": "What is the return policy?", "filters": {"price": 1e2}}'
                """#, method: "POST", target: "/v1/vector_stores/vs_1/search",
            headers: ["Authorization: Bearer canary-openai"],
            body: #"{"query":"What is the return policy?","filters":{"price":1e2}}"#),
        .init(
            origin: "localhost:9200",
            command: #"""
                curl -X POST "localhost:9200/my-index-000001/_search?pretty" -H 'Content-Type: application/json' -d'
                {
                  "query": { "match": { "user.id": "kimchy" } }
                }
                '
                """#, method: "POST", target: "/my-index-000001/_search?pretty",
            body: #"{"query":{"match":{"user.id":"kimchy"}}}"#),
        .init(
            origin: "localhost:9200",
            command: #"""
                curl -XPOST 'localhost:9200/_msearch' -H 'Content-Type: application/x-ndjson' --data-binary $'{"index":"a"}\n{"size":5}\n'
                """#, method: "POST", target: "/_msearch", headers: ["Content-Type: application/x-ndjson"],
            body: "{\"index\":\"a\"}\n{\"size\":5}\n"),
        .init(
            origin: "https://api.linear.app",
            command: #"""
                curl \
                -X POST \
                -H "Content-Type: application/json" \
                -H "Authorization: canary5e1f" \
                --data '{ "query": "{ issues { nodes { id title } } }" }' \
                https://api.linear.app/graphql
                """#, method: "POST", target: "/graphql", headers: ["Authorization: canary5e1f"],
            body: #"{"query":"{ issues { nodes { id title } } }"}"#),
        .init(
            origin: "https://your-domain.atlassian.net",
            command: #"""
                curl --request GET \
                  --url 'https://your-domain.atlassian.net/rest/api/3/search?jql=project%20%3D%20HSP' \
                  --user 'email@example.com:canary5e1f' \
                  --header 'Accept: application/json'
                """#, target: "/rest/api/3/search?jql=project%20%3D%20HSP",
            headers: ["Authorization: Basic ZW1haWxAZXhhbXBsZS5jb206Y2FuYXJ5NWUxZg=="]),
        .init(
            origin: "https://gitlab.example.com",
            command:
                #"curl --header "PRIVATE-TOKEN: <canary>" --url "https://gitlab.example.com/api/v4/projects?owned=true""#,
            target: "/api/v4/projects?owned=true", headers: ["PRIVATE-TOKEN: <canary>"]),
        .init(
            origin: "https://acme.my.salesforce.com",
            command:
                #"curl https://acme.my.salesforce.com/services/data/v62.0/query/?q=SELECT+name+from+Account -H "Authorization: Bearer canary" -H "X-PrettyPrint:1""#,
            target: "/services/data/v62.0/query/?q=SELECT%20name%20from%20Account",
            headers: ["Authorization: Bearer canary", "X-PrettyPrint: 1"]),
        .init(
            origin: "https://acme.okta.com",
            command: #"""
                curl -v -X GET \
                -H "Accept: application/json" \
                -H "Authorization: SSWS ${OKTA_TOKEN}" \
                "https://acme.okta.com/api/v1/users?q=eric"
                """#, target: "/api/v1/users?q=eric", headers: ["Authorization: SSWS canary-okta"]),
        .init(
            origin: "https://api.pagerduty.com",
            command: #"""
                curl --request GET \
                  --url https://api.pagerduty.com/incidents \
                  --header 'Accept: application/vnd.pagerduty+json;version=2' \
                  --header 'Authorization: Token token=canaryAkKc66'
                """#, target: "/incidents",
            headers: ["Accept: application/vnd.pagerduty+json;version=2", "Authorization: Token token=canaryAkKc66"]),
        .init(
            origin: "https://api.trello.com",
            command:
                "curl 'https://api.trello.com/1/members/me/boards?key=canary0471642aefef5fa1fa76530ce1ba&token=canary9eb76d9a9d02b8dd40c2f3e5df18'",
            target:
                "/1/members/me/boards?key=canary0471642aefef5fa1fa76530ce1ba&token=canary9eb76d9a9d02b8dd40c2f3e5df18"),
        .init(
            origin: "https://acme.supabase.co",
            command: #"""
                curl 'https://acme.supabase.co/rest/v1/todos?select=*' \
                -H "apikey: canary5e1f" \
                -H "Authorization: Bearer canary77ab"
                """#, target: "/rest/v1/todos?select=%2A",
            headers: ["apikey: canary5e1f", "Authorization: Bearer canary77ab"]),
        .init(
            origin: "localhost:5984",
            command: #"""
                curl -X POST http://admin:canary@localhost:5984/movies/_find \
                  -H "Content-Type: application/json" -d "{\"selector\": {\"year\": {\"\$gt\": 2010}}}"
                """#, method: "POST", target: "/movies/_find", headers: ["Authorization: Basic YWRtaW46Y2FuYXJ5"],
            body: #"{"selector":{"year":{"$gt":2010}}}"#),
        .init(
            origin: "https://query.wikidata.org",
            command: #"""
                curl -H 'Accept: application/sparql-results+json' \
                  --data-urlencode 'query=SELECT ?c WHERE { ?c wdt:P31 wd:Q6256 }' https://query.wikidata.org/sparql
                """#, method: "POST", target: "/sparql",
            headers: ["Accept: application/sparql-results+json", "Content-Type: application/x-www-form-urlencoded"],
            body: "query=SELECT+%3Fc+WHERE+%7B+%3Fc+wdt%3AP31+wd%3AQ6256+%7D"),
        .init(
            origin: "http://localhost:8086",
            command: #"""
                curl --request POST 'http://localhost:8086/api/v2/query?org=acme' \
                  -H 'Authorization: Token canary5e1f' -H 'Content-Type: application/vnd.flux' \
                  --data 'from(bucket:"a") |> range(start: -1h)'
                """#, method: "POST", target: "/api/v2/query?org=acme",
            headers: ["Content-Type: application/vnd.flux", "Authorization: Token canary5e1f"],
            body: #"from(bucket:"a") |> range(start: -1h)"#),
        .init(
            origin: "https://api.example.com",
            command: #"""
                curl --json '{"drink": "coffee"}' --oauth2-bearer canary5e1f --max-time 20 -k \
                  --retry 3 -o out.json https://api.example.com/v2/orders -A 'acme/1.0' -e https://acme.example/ -b 'a=canary; b=2' 2>/dev/null
                """#, method: "POST", target: "/v2/orders",
            headers: [
                "Authorization: Bearer canary5e1f", "User-Agent: acme/1.0", "Referer: https://acme.example/",
                "Cookie: a=canary; b=2",
            ], body: #"{"drink":"coffee"}"#, remark: "'-k' is not taken: garner always checks certificates"),
        .init(
            origin: "https://api.example.com",
            command: "curl -X PUT -d 'tag=a&tag=b' -d 'q=x%20y' https://api.example.com/v2/search", method: "PUT",
            target: "/v2/search", headers: ["Content-Type: application/x-www-form-urlencoded"],
            body: "tag=a&tag=b&q=x+y"),
    ]
}
