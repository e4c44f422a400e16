import GarnerModel
import GarnerSync

/// The verdict on a first sync of an API with good manners, and the number of its requests.
struct UsualRead: Hashable, Sendable, CustomStringConvertible {
    let word: String
    let requests: Int

    private init(_ word: String, _ requests: Int) { (self.word, self.requests) = (word, requests) }

    init(_ outcome: RunOutcome?, requests: Int) {
        let word = outcome?.status == .succeeded ? outcome?.record?.completeness?.rawValue : nil
        self.init(word ?? "stops", requests)
    }

    var description: String { "\(word) after \(requests) requests" }

    /// Returns the read of an API in one of the ways to read it; nil if it is not known.
    static func of(_ api: String, _ setup: MannersCase.Setup) -> UsualRead? {
        others["\(api), \(setup)"] ?? complete[api].map { UsualRead("complete", $0) }
    }

    /// The numbers of requests of each API in most ways.
    private static let complete = [
        "GitHub issues": 5, "GitLab": 3, "Shopify": 4, "Mastodon": 3, "WordPress": 5, "WordPress without Link": 6,
        "Salesforce": 3, "OData nextLink": 5, "Microsoft Graph": 2, "JSON:API": 5, "HAL": 3,
        "Django REST framework": 5, "Zendesk": 3, "JSON Feed": 4, "PokeAPI": 3, "Stripe": 5, "Notion": 3, "Slack": 5,
        "HubSpot": 5, "Twitter": 5, "Google": 5, "YouTube": 10, "Airtable": 5, "MediaWiki": 5, "GraphQL (Relay)": 5,
        "Elasticsearch": 6, "Reddit": 2, "Stack Exchange": 2, "Jira": 5, "OData $skip": 5, "page and total_pages": 8,
        "Socrata": 4, "CKAN": 5, "World Bank": 5, "OpenAlex": 5, "Solr": 5, "Algolia": 3, "Marvel": 3, "PostgREST": 1,
        "a bare array with ?page=": 6, "Zendesk incremental export": 5, "Zendesk export by time": 6, "Paddle": 5,
        "DynamoDB": 5, "Zoho CRM": 5, "Express tutorial": 5, "Spring Data": 3, "mongoose-paginate": 5, "Pipedrive": 5,
        "PostgREST with max-rows": 4, "PostgREST with count=exact": 4, "pages from 0": 6,
        "pages from 0 with their number": 6, "pages from 0 with the last one": 5,
    ]

    /// The reads that end otherwise, or take more or fewer requests.
    private static let others = [
        // A page_number that begins with page 1 asks for page 0 once, in the first read.
        "Stack Exchange, init": UsualRead("complete", 3),
        "a bare array with ?page=, init": UsualRead("complete", 7),
        "Stack Exchange, line 1": UsualRead("complete", 3),
        "Zoho CRM, line 1": UsualRead("complete", 6),
        "mongoose-paginate, line 1": UsualRead("complete", 6),
        "mongoose-paginate, line 2": UsualRead("complete", 6),
        "a bare array with ?page=, line 1": UsualRead("complete", 7),
        "GitHub issues, line 2": UsualRead("complete", 7),
        "GitHub search, alone": UsualRead("unknown", 4),
        "GitHub search, init": UsualRead("unknown", 4),
        "GitHub search, line 1": UsualRead("stops", 5),
        "WordPress, line 2": UsualRead("complete", 6),
        "WordPress without Link, alone": UsualRead("complete", 5),
        "Zendesk, line 2": UsualRead("complete", 4),
        "Stripe, alone": UsualRead("stops", 1),
        "Notion, alone": UsualRead("stops", 1),
        "Elasticsearch, alone": UsualRead("stops", 1),
        "Stack Exchange, alone": UsualRead("stops", 1),
        "Stack Exchange, line 2": UsualRead("complete", 4),
        "Jira, line 2": UsualRead("complete", 4),
        "OData $skip, alone": UsualRead("stops", 1),
        "Socrata, alone": UsualRead("unknown", 1),
        "CKAN, alone": UsualRead("stops", 1),
        "OpenAlex, line 2": UsualRead("complete", 6),
        "Zendesk incremental export, line 2": UsualRead("complete", 6),
        "Zendesk export by time, line 1": UsualRead("complete", 7),
        "Paddle, line 1": UsualRead("complete", 6),
        "DynamoDB, alone": UsualRead("unknown", 1),
        "DynamoDB, init": UsualRead("unknown", 1),
        "Express tutorial, line 1": UsualRead("complete", 7),
        "Pipedrive, line 1": UsualRead("complete", 6),
        "PostgREST, alone": UsualRead("unknown", 1),
        "PostgREST, init": UsualRead("unknown", 1),
        "PostgREST, line 2": UsualRead("complete", 4),
        "PostgREST with max-rows, alone": UsualRead("unknown", 1),
        "PostgREST with count=exact, alone": UsualRead("stops", 1),
        "PostgREST with count=exact, line 2": UsualRead("complete", 6),
        "pages from 0, alone": UsualRead("unknown", 1),
        "pages from 0 with their number, alone": UsualRead("unknown", 1),
        "pages from 0 with the last one, line 2": UsualRead("complete", 6),
        "a bare array with ?page=, alone": UsualRead("unknown", 1),
    ]
}
