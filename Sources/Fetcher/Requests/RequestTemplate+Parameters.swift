import GarnerCatalog

extension RequestTemplate {
    /// The parameters with their values as they are written, those in the path first.
    var writtenParameters: [(name: String, text: String)] {
        written.address.parameters.map { (name: $0.name, text: $0.value) }
    }
}
