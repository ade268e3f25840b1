import Testing

@testable import ServiceKit

@Suite("The order in which a group drains")
struct GroupProgressTests {
    private func started(_ count: Int) -> GroupProgress {
        var progress = GroupProgress()
        for member in 0..<count { progress.started(member) }
        return progress
    }

    @Test("asks the last first, and each one before only when the one after it has ended")
    func reverse() {
        var progress = started(3)
        #expect(progress.stop() == [.drain(2)])
        #expect(progress.ended(2) == [.drain(1)])
        #expect(progress.ended(1) == [.drain(0)])
        #expect(progress.ended(0) == [.finish])
    }

    @Test("drains the others when one ends by itself")
    func ends() {
        var progress = started(3)
        #expect(progress.ended(1) == [.drain(2)])
        #expect(progress.ended(2) == [.drain(0)])
        #expect(progress.ended(0) == [.finish])
    }

    @Test("asks nobody twice")
    func once() {
        var progress = started(2)
        #expect(progress.stop() == [.drain(1)])
        #expect(progress.stop() == [])
        #expect(progress.ended(0) == [])
        #expect(progress.ended(1) == [.finish])
    }

    @Test("cancels whoever still runs at the deadline")
    func deadline() {
        var progress = started(3)
        _ = progress.stop()
        _ = progress.ended(2)
        #expect(progress.deadlinePassed() == [.cancel([0, 1])])
        _ = progress.ended(1)
        _ = progress.ended(0)
        #expect(progress.deadlinePassed() == [])
    }

    @Test("finishes at once when nothing runs")
    func empty() {
        var progress = GroupProgress()
        #expect(progress.stop() == [.finish])
    }
}
