import Testing

@testable import Timeline

@Suite("Questions in line", .timeLimit(.minutes(4)))
struct FairLineTests {
    @Test("each asker has a turn, and a share of the line")
    func turns() async {
        let line = FairLine<String>(limit: 6, share: 4)
        let outcomes =
            (0..<5).map { line.add("a\($0)", of: "a") } + [line.add("b0", of: "b"), line.add("b1", of: "b"), line.add("c0", of: "c")]
        #expect(outcomes == [.added, .added, .added, .added, .shareIsFull, .added, .added, .full])
        var taken: [String?] = []
        for _ in 0..<6 { taken.append(await line.next()) }
        #expect(taken == ["a0", "b0", "a1", "b1", "a2", "a3"])
        line.finish()
        #expect(await line.next() == nil)
    }

    @Test("hands over at once to who waits, and ends with the task")
    func waiting() async {
        let line = FairLine<Int>(limit: 1, share: 1)
        async let taken = line.next()
        while line.add(1, of: "a") != .added { await Task.yield() }
        #expect(await taken == 1)
        let task = Task { await line.next() }
        task.cancel()
        #expect(await task.value == nil)
    }

    @Test("interleaves what came together, each asker's in order")
    func interleaved() {
        #expect(
            FairOrder.interleaved(["a1", "a2", "a3", "b1", "c1", "b2"]) { String($0.prefix(1)) } == ["a1", "b1", "c1", "a2", "b2", "a3"])
    }
}
