/// The records that a selector found in a document. They pass from the task that fetches to the one that stores.
package struct Selection: Sendable {
    package let document: Document
    private let places: Places
    /// The records as they came, in the same order, if these were composed of them.
    private var origin: (document: Document, places: Places)?

    private enum Places: Sendable {
        /// All values of the array at this index.
        case values(ofArrayAt: Int, count: Int)
        case elements(at: [Int])
    }

    /// Selects all values of `array`, which is a node of `document`.
    package init(valuesOf array: Node, in document: Document) {
        self.document = document
        var count = 0
        for _ in array.elements { count += 1 }
        places = .values(ofArrayAt: document.index(of: array), count: count)
    }

    /// Selects all values of a document that was composed of the records of `origin`, one by one.
    package init(valuesOf document: Document, composedOf origin: Selection) {
        self.document = document
        places = .values(ofArrayAt: 0, count: origin.count)
        self.origin = (origin.document, origin.places)
    }

    /// The records as they came, in the same order. Equal ones are composed alike.
    package var asReceived: Selection {
        guard let origin else { return self }
        return Selection(origin.document, origin.places)
    }

    private init(_ document: Document, _ places: Places) { (self.document, self.places) = (document, places) }

    /// Selects these nodes of `document`.
    package init(_ elements: [Node], in document: Document) {
        self.document = document
        places = .elements(at: elements.map(document.index(of:)))
    }

    /// Returns the selection without the elements at these indices.
    package func removing(_ indices: Set<Int>) -> Selection {
        guard !indices.isEmpty else { return self }
        var elements: [Node] = []
        var index = 0
        return document.withRoot { _ in
            forEach { element in
                if !indices.contains(index) { elements.append(element) }
                index += 1
            }
            return Selection(elements, in: document)
        }
    }

    package var count: Int {
        switch places {
        case .values(_, let count): count
        case .elements(let indices): indices.count
        }
    }

    /// Calls `body` with one record, valid inside it only, and returns its result; nil if there are fewer. O(place).
    package func withRecord<R>(at place: Int, _ body: (Node) throws -> R?) rethrows -> R? {
        var result: R?
        var number = 0
        try forEach { node in
            if number == place { result = try body(node) }
            number += 1
        }
        return result
    }

    /// Calls `body` with an iterator over the records in order. They are valid inside it only.
    package func withNodes<R, Failure: Error>(_ body: (Nodes) throws(Failure) -> R) throws(Failure) -> R {
        defer { withExtendedLifetime(document) {} }
        switch places {
        case .values(let index, _): return try body(Nodes(elements: document.element(at: index).elements))
        case .elements(let indices): return try body(Nodes(indices.map(document.element(at:))))
        }
    }

    /// The records of a selection.
    package struct Nodes: IteratorProtocol {
        /// The values of an array; nil if the nodes are listed.
        private var elements: Elements?
        private var listed: IndexingIterator<[Node]>

        init(elements: Elements) {
            self.elements = elements
            listed = [].makeIterator()
        }

        init(_ nodes: [Node]) { listed = nodes.makeIterator() }

        package mutating func next() -> Node? { elements == nil ? listed.next() : elements?.next() }
    }

    /// Calls `body` with each record in order. The node is valid inside it only.
    package func forEach<Failure: Error>(_ body: (Node) throws(Failure) -> Void) throws(Failure) {
        try withNodes { nodes throws(Failure) in
            var nodes = nodes
            while let node = nodes.next() { try body(node) }
        }
    }
}
