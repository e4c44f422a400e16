import GarnerModel

/// A part of a stream that cannot be translated.
struct LossError: Error {
    let loss: Loss

    init(_ code: LossCode, _ detail: String? = nil, at node: ManifestNode? = nil, effect: Loss.Effect? = nil) {
        loss = Loss(code, detail, line: node?.line, effect: effect)
    }

    /// Throws if a component is a class of the connector's own.
    ///
    /// - Parameter kind: what the component is, for one without a class.
    static func refuseCode(_ node: ManifestNode, _ kind: String) throws {
        if node.isCustom { throw LossError(.customCode, node["class_name"]?.text ?? kind, at: node) }
    }
}

/// One stream of a manifest, while its parts become keys of a configuration.
///
/// Each kind of part is an extension in a file of its own. A part adds keys to `stream`, and adds or throws what it cannot say.
/// The parts know of each other only what stands here.
final class StreamTranslation {
    /// The place of a slice's value in the configuration.
    enum SlicePlace: Hashable {
        /// `{partition.NAME}`.
        case partition(String)
        /// `{parent.COLUMN}`.
        case parent(String)
    }

    /// A place in a request.
    enum RequestPlace: Hashable {
        case param(String)
        case header(String)
        /// The names of the members that lead to it.
        case json([String])
        case form(String)
    }

    /// A page token in a request, where the paginator does not place it itself.
    struct PageToken {
        let place: RequestPlace
        let value: JinjaValue
    }

    /// The component, with its references replaced and its parameters spread.
    var node: ManifestNode
    /// The stream's name in the manifest.
    let name: String
    /// The stream's name in the configuration. It is also the table's.
    var streamName: String
    let settings: JinjaValue

    /// The keys of the stream.
    var stream = FileMapping()
    /// `base_url` of its source.
    var base: String?
    private(set) var losses: [Loss] = []

    /// The values of the slice by their names in the manifest.
    var slice: [String: SlicePlace] = [:]
    /// The streams that it follows: the one that is its `parent`, then those whose tables a partition asks.
    var parents: [StreamTranslation] = []
    /// Those of its parents that are read in full for it, since it does not ask for what changed of them alone.
    var parentsInFull: [StreamTranslation] = []

    /// `GET`, `POST` or `PUT`.
    var method = "GET"
    var pageToken: PageToken?
    /// The page token that stands in a text of the request already, as `{page.cursor}`, `{page.offset}` or `{page.number}`.
    var placedPage: JinjaValue?
    /// The value that the request has on the first page in the place of the token.
    var firstCursor: String?
    /// The placeholders of the URL in whose values the connector encodes slashes, as Garner does.
    var encoded: Set<String> = []
    /// The steps to the list of records in the answer.
    var recordSteps: [JinjaValue.Later.Step] = []
    /// The names of the window's bounds in the slice.
    var windowFields = (start: "start_time", end: "end_time")
    /// The columns that transformations add, with their values.
    var addedFields: [String: JinjaValue] = [:]
    var renamings: [Renaming] = []
    /// The time at which a date that is relative to the read is frozen.
    var now = Timestamp(millisecondsSince1970: 0)
    /// The keys as they were translated, without the columns that child streams add later.
    var translatedKeys = FileMapping()

    init(_ node: ManifestNode, name: String, settings: JinjaValue) {
        (self.node, self.name, self.settings) = (node, name, settings)
        streamName = FileNames.name(of: name)
    }

    /// The worst of what is lost.
    var effect: Loss.Effect { losses.map(\.effect).max() ?? .none }

    func lose(_ code: LossCode, _ detail: String? = nil, at node: ManifestNode? = nil, effect: Loss.Effect? = nil) {
        note(Loss(code, detail, line: node?.line, effect: effect))
    }

    /// Notes that a component is a class of the connector's own. Returns true if it is.
    ///
    /// - Parameter kind: what the component is, for one without a class.
    @discardableResult
    func loseCode(_ node: ManifestNode, _ kind: String, effect: Loss.Effect? = nil) -> Bool {
        if node.isCustom { lose(.customCode, node["class_name"]?.text ?? kind, at: node, effect: effect) }
        return node.isCustom
    }

    func note(_ loss: Loss) {
        if !losses.contains(loss) { losses.append(loss) }
    }

    /// Translates a part. What it throws is noted, and the other parts go on.
    @discardableResult
    func attempt<Result>(at node: ManifestNode? = nil, _ part: () throws -> Result) -> Result? {
        do {
            return try part()
        } catch let error as LossError {
            note(
                Loss(error.loss.code, error.loss.detail, line: error.loss.line ?? node?.line, effect: error.loss.effect)
            )
        } catch let error as JinjaError {
            note(Loss(.jinja, error.words, line: node?.line))
        } catch {
            note(Loss(.other, line: node?.line))
        }
        return nil
    }
}
