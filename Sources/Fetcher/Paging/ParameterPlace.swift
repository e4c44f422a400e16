import Catalog

/// Where a request says which page it wants.
enum ParameterPlace: Sendable, Equatable {
    /// The parameter of that name.
    case query(String)
    case body(BodyPlace)

    /// From a name as the configuration has it: one that begins with `$.` is a place in the body.
    init(_ name: String) {
        self = BodyPlace(name).map { .body($0) } ?? .query(name)
    }
}
