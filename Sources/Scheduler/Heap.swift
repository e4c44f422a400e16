/// A binary heap: the least element first.
struct Heap<Element: Comparable & Sendable>: Sendable {
    private var elements: [Element] = []

    var first: Element? { elements.first }
    var count: Int { elements.count }

    mutating func insert(_ element: Element) {
        var place = elements.count
        elements.append(element)
        while place > 0 {
            let parent = (place - 1) / 2
            guard elements[place] < elements[parent] else { return }
            elements.swapAt(place, parent)
            place = parent
        }
    }

    @discardableResult
    mutating func removeFirst() -> Element? {
        guard let last = elements.popLast() else { return nil }
        guard let first = elements.first else { return last }
        elements[0] = last
        var place = 0
        while true {
            var least = place
            for child in [2 * place + 1, 2 * place + 2]
            where child < elements.count && elements[child] < elements[least] {
                least = child
            }
            guard least != place else { return first }
            elements.swapAt(place, least)
            place = least
        }
    }
}
