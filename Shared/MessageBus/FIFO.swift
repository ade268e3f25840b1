/// A queue over an array: appending and taking cost the same however long it is.
struct FIFO<Element> {
    private var elements: [Element?] = []
    private var start = 0

    var isEmpty: Bool { start == elements.count }

    mutating func append(_ element: Element) {
        elements.append(element)
    }

    /// Puts elements before all others, keeping their order.
    mutating func prepend(_ first: [Element]) {
        elements = first + elements[start...]
        start = 0
    }

    mutating func popFirst() -> Element? {
        guard start < elements.count else { return nil }
        defer { advance() }
        return elements[start]
    }

    private mutating func advance() {
        elements[start] = nil
        start += 1
        if start == elements.count {
            elements.removeAll(keepingCapacity: start <= 4_096)
            start = 0
        } else if start >= 1_024, start * 2 >= elements.count {
            elements.removeFirst(start)
            start = 0
        }
    }
}
