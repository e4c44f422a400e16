import JSON

extension Node {
    /// Whether it is an array that holds nothing but objects, or nothing at all.
    var isArrayOfObjects: Bool { kind == .array && elements.allSatisfy(\.isObject) }

    /// Whether it is an array of objects, of one at least.
    var isTable: Bool {
        var elements = elements
        return elements.next()?.isObject == true && elements.allSatisfy(\.isObject)
    }
}
