import Testing

@testable import MessageBus

@Suite("The queue over an array")
struct FIFOTests {
    @Test("returns elements in the order in which they came, however appending and taking alternate", arguments: [1, 2, 7, 5_000])
    func order(burst: Int) {
        var queue = FIFO<Int>()
        var next = 0
        var expected = 0
        for _ in 0..<20 {
            for _ in 0..<burst + 3 {
                queue.append(next)
                next += 1
            }
            for _ in 0..<burst {
                #expect(queue.popFirst() == expected)
                expected += 1
            }
        }
        while let element = queue.popFirst() {
            #expect(element == expected)
            expected += 1
        }
        #expect(expected == next)
        #expect(queue.isEmpty)
    }

    @Test("puts elements before all others")
    func prepend() {
        var queue = FIFO<Int>()
        queue.append(1)
        queue.append(4)
        #expect(queue.popFirst() == 1)
        queue.prepend([2, 3])
        #expect([queue.popFirst(), queue.popFirst(), queue.popFirst(), queue.popFirst()] == [2, 3, 4, nil])
    }
}
