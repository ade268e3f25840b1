import TestSupport
import Testing
import VigilSchema

@testable import SensorIngest

@Suite("The bounds of stamps of messages that may come again")
struct StampBoundTests {
    private func key(_ packet: UInt16, _ digest: UInt64 = 7) -> ArrivalStamps.Key { .init(packet: packet, digest: digest) }

    private func settle(_ stamps: ArrivalStamps, _ new: [ArrivalStamps.Key: Timestamp], messages: Int? = nil) {
        stamps.note(new)
        stamps.settled(new, messages: messages ?? new.count, over: stamps.known.connection)
        stamps.acknowledged()
    }

    @Test(
        "a number that comes twice within twenty thousand messages finds a broker out, and after as many it has only begun anew",
        arguments: [(15_000, true), (19_999, true), (20_000, false)])
    func foundOut(between: Int, isFoundOut: Bool) {
        let stamps = ArrivalStamps()
        stamps.connected(keepingSession: true)
        settle(stamps, [key(1): Timestamp(seconds: 1)])
        settle(stamps, [:], messages: between)
        settle(stamps, [key(1, 8): Timestamp(seconds: 2)])
        stamps.connected(keepingSession: true)
        #expect(stamps.known.stamps == (isFoundOut ? [:] : [key(1, 8): Timestamp(seconds: 2)]))
        #expect(stamps.pending == stamps.known.stamps)
    }

    @Test(
        "what is acknowledged within a second is forgotten at once where numbers are used again, and what took longer is not",
        arguments: [(Duration.milliseconds(999), true), (.seconds(1), false)])
    func prompt(passed: Duration, isForgotten: Bool) {
        let clock = StandingClock()
        let stamps = ArrivalStamps { clock.now }
        stamps.connected(keepingSession: true, reusesNumbers: true)
        stamps.note([key(1): Timestamp(seconds: 1)])
        clock.pass(passed)
        stamps.settled([key(1): Timestamp(seconds: 1)], messages: 1, over: stamps.known.connection)
        stamps.acknowledged()
        #expect(stamps.pending.isEmpty == isForgotten && stamps.known.stamps == stamps.pending)
    }

    @Test("what was acknowledged ten minutes ago is kept, and not for longer")
    func grace() {
        let clock = StandingClock()
        let stamps = ArrivalStamps { clock.now }
        settle(stamps, [key(1): Timestamp(seconds: 1)])
        clock.pass(.seconds(600))
        stamps.acknowledged()
        #expect(stamps.pending.count == 1)
        clock.pass(.milliseconds(1))
        stamps.acknowledged()
        #expect(stamps.pending.isEmpty)
    }

    @Test("not one more is kept than there is room for, and there is room for twenty thousand")
    func capacity() {
        let stamps = ArrivalStamps(capacity: 2)
        stamps.note(Dictionary(uniqueKeysWithValues: (UInt16(1)...3).map { (key($0), Timestamp(seconds: Double($0))) }))
        #expect(Set(stamps.pending.keys) == [key(2), key(3)])
        let many = ArrivalStamps()
        many.note(Dictionary(uniqueKeysWithValues: (UInt16(1)...20_001).map { (key($0), Timestamp(seconds: Double($0))) }))
        #expect(many.pending.count == 20_000 && many.pending[key(1)] == nil)
    }

    @Test("what was noted a minute before another had the session still counts, and what is older does not")
    func takenOver() {
        let stamps = ArrivalStamps(pending: [key(1): Timestamp(seconds: 1_039.9), key(2): Timestamp(seconds: 1_040)])
        stamps.tookOver(at: Timestamp(seconds: 1_100))
        #expect(Array(stamps.pending.keys) == [key(2)])
    }

    @Test("a time that is noted late does not set a line of times back")
    func line() {
        var line = StampLine()
        let received = Timestamp(seconds: 5)
        line.note(received, received: received)
        line.note(Timestamp(seconds: 3), received: received)
        #expect(line.next(received: received, beside: StampLine()) == Timestamp(microseconds: 5_000_001))
    }
}
