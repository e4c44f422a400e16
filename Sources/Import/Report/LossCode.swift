/// The closed list of what a connector's file can say and Garner cannot. `docs/connectors.md` explains each.
package enum LossCode: String, CaseIterable, Sendable {
    // Code and statements.
    case customCode = "custom_code"
    case jinja
    /// A condition or a computation in a request that only an answer, a record or the time can decide.
    case computedRequest = "computed_request"
    case streamsFromAPI = "streams_from_api"
    case firstReadDiffers = "first_read_differs"
    case asynchronousJob = "asynchronous_job"
    case fileUpload = "file_upload"
    case other

    // Requests.
    case method
    case host
    case requestOption = "request_option"
    case bodyTemplate = "body_template"
    case secretInText = "secret_in_text"
    case sliceValue = "slice_value"
    case propertiesFromAPI = "properties_from_api"
    case propertyChunks = "property_chunks"

    // Proof of who asks.
    case authenticator
    case oauth
    case jwt
    case login

    // Pages.
    case paginator
    case pageToken = "page_token"
    case stopCondition = "stop_condition"
    case followsURL = "follows_url"
    case pageSize = "page_size"

    // Records.
    case selector
    case decoder
    case recordFilter = "record_filter"
    case expandedRecords = "expanded_records"
    case fieldAdded = "field_added"
    case fieldRemoved = "field_removed"
    case fieldNames = "field_names"
    case transformation
    case key

    // Parents, partitions and time.
    case partitions
    case groupedParents = "grouped_parents"
    case cursor
    case timeFormat = "time_format"
    case window
    case endOfRead = "end_of_read"

    // Answers.
    case responseFilter = "response_filter"
    case waitingTime = "waiting_time"

    /// The outcome for a stream with this loss, unless its place knows better.
    package var effect: Loss.Effect {
        switch self {
        case .followsURL, .waitingTime: .none
        case .fieldNames: .renamed
        case .firstReadDiffers, .fileUpload, .recordFilter, .expandedRecords, .fieldAdded, .fieldRemoved,
            .transformation,
            .window, .endOfRead, .responseFilter:
            .differs
        default: .notWritten
        }
    }

    /// The loss in a few words for the report. The detail follows it.
    package var words: String {
        switch self {
        case .customCode: "custom code"
        case .jinja: "a template"
        case .computedRequest: "a request has a value that is computed while the stream is read"
        case .streamsFromAPI: "the API lists these streams"
        case .firstReadDiffers: "each read is a full one"
        case .asynchronousJob: "the API makes a file first (create, poll, download)"
        case .fileUpload: "files beside the records are not stored"
        case .other: "this part is not understood"
        case .method: "the request's method"
        case .host: "the host"
        case .requestOption: "the place of a value in the request"
        case .bodyTemplate: "the body is made by a template"
        case .secretInText: "a secret is computed or stands beside a placeholder"
        case .sliceValue: "a value of the partition or parent that the manifest never sets"
        case .propertiesFromAPI: "the list of properties is asked for first"
        case .propertyChunks: "properties are asked for in parts, and records are put together"
        case .authenticator: "this authenticator"
        case .oauth: "this way to ask for an OAuth token"
        case .jwt: "a signed token (JWT)"
        case .login: "this login"
        case .paginator: "this paginator"
        case .pageToken: "the token of the next page"
        case .stopCondition: "the condition that ends the list"
        case .followsURL: "follows the next URL instead of what is cut out of it"
        case .pageSize: "the size of a page is known only while the stream is read"
        case .selector: "the place of the records"
        case .decoder: "this kind of answer"
        case .recordFilter: "the filter of records"
        case .expandedRecords: "records are made of a list in each record"
        case .fieldAdded: "a field is added"
        case .fieldRemoved: "a field is removed"
        case .fieldNames: "a column has another name"
        case .transformation: "this transformation"
        case .key: "the primary key"
        case .partitions: "these partitions"
        case .groupedParents: "one request asks for several parents"
        case .cursor: "the cursor"
        case .timeFormat: "a format of times"
        case .window: "windows of time"
        case .endOfRead: "the end of the read"
        case .responseFilter: "an answer that is told by its content"
        case .waitingTime: "the waiting time"
        }
    }
}

extension JinjaError {
    var words: String {
        switch self {
        case .syntax: "the text is no Jinja"
        case .unknown(let name): "Jinja's '\(name)' is not known here"
        case .value(let problem): "Jinja: \(problem)"
        case .limit: "the Jinja text is too long to evaluate"
        }
    }
}
