import GarnerCatalog
import GarnerJSON

/// The values with which the request of a page is made anew from the configuration.
package struct PageFilling: Hashable, Sendable {
    /// The values of the placeholders that stay the same from page to page.
    let bindings: Bindings
    /// The value of the page; nil for a first page that has none.
    let value: BodyValue?

    package func hash(into hasher: inout Hasher) { hasher.combine(bindings) }

    /// Returns the values of another page of the same read.
    func page(_ value: BodyValue?) -> PageFilling { PageFilling(bindings: bindings, value: value) }

    /// The number of the page, or of the records before it; nil if it has a cursor.
    var number: Int? { value?.plainText.flatMap { Int($0) } }
}

extension PageFilling {
    var members: [(String, JSONText)] {
        let texts = Dictionary(bindings.map { ($0.name, $1) }) { first, _ in first }
        return [("filled", .texts(texts))] + (value.map { [("page_value", $0.json)] } ?? [])
    }

    init?(stored root: Node) {
        guard let texts = root["filled"]?.storedTexts else { return nil }
        let bindings = texts.compactMap { name, text in Template.Placeholder(name: name).map { ($0, text) } }
        self.init(
            bindings: Dictionary(bindings) { first, _ in first }, value: root["page_value"].map(BodyValue.init))
    }
}

// If a placeholder stands for the page, each request is made anew from the configuration. The paginator sees no address,
// only the value of the page, and says the next one.
extension Paging {
    func first(filling bindings: Bindings, window: ReadWindow) throws(FetchError.Kind) -> PagePosition {
        guard fillsPage else {
            return PagePosition(
                method.first(from: try template.locator(filledWith: bindings)),
                headers: try template.headers(filledWith: bindings), number: 0, window: window)
        }
        let used = template.placeholders
        let filling = PageFilling(bindings: bindings.filter { used.contains($0.key) }, value: method.firstValue)
        return PagePosition(
            try locator(filledWith: filling), headers: try headers(filledWith: filling), filling: filling, number: 0,
            window: window)
    }

    /// Returns the request of the page with that value.
    func locator(filledWith filling: PageFilling) throws(FetchError.Kind) -> PageLocator {
        var locator = try template.locator(filledWith: bindings(of: filling), page: filling.value)
        locator.pageValue = filling.value
        return locator
    }

    /// Returns the header fields of that request.
    func headers(filledWith filling: PageFilling) throws(FetchError.Kind) -> [PagePosition.Header] {
        try template.headers(filledWith: bindings(of: filling))
    }

    private func bindings(of filling: PageFilling) -> Bindings {
        var bindings = filling.bindings
        if let placeholder = method.placeholder { bindings[.page(placeholder)] = filling.value?.plainText }
        return bindings
    }

    /// Returns the step with the request that its page is filled into, if placeholders stand for it.
    func filled(_ step: Following, at position: PagePosition) throws(FetchError.Kind) -> Following {
        guard let filling = position.filling, case .request(let next, let mayBeMissing, let mayBeEndless) = step else {
            return step
        }
        return .request(
            try locator(filledWith: filling.page(next.pageValue)), mayBeMissing: mayBeMissing,
            mayBeEndless: mayBeEndless)
    }
}
