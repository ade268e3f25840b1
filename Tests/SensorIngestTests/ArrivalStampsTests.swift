import TestSupport
import Testing
import VigilSchema

@testable import SensorIngest

@Suite("Stamps of messages that may come again")
struct ArrivalStampsTests {
    private func key(_ packet: UInt16, _ digest: UInt64 = 7) -> ArrivalStamps.Key { .init(packet: packet, digest: digest) }

    private func settle(_ stamps: ArrivalStamps, _ new: [ArrivalStamps.Key: Timestamp]) {
        stamps.note(new)
        stamps.settled(new, messages: new.count, over: stamps.known.connection)
        stamps.acknowledged()
    }

    @Test("are kept for ten minutes after the acknowledgement has left, which may be lost on its way")
    func grace() {
        let clock = StandingClock()
        let stamps = ArrivalStamps { clock.now }
        settle(stamps, [key(1): Timestamp(seconds: 1)])
        clock.pass(.seconds(599))
        settle(stamps, [key(2): Timestamp(seconds: 60)])
        #expect(stamps.pending == [key(1): Timestamp(seconds: 1), key(2): Timestamp(seconds: 60)] && stamps.takeStale().isEmpty)
        clock.pass(.seconds(2))
        stamps.acknowledged()
        #expect(stamps.pending == [key(2): Timestamp(seconds: 60)])
        #expect(stamps.takeStale() == [key(1)] && stamps.takeStale().isEmpty)
    }

    @Test("are kept as long as it takes where no acknowledgement has left")
    func unacknowledged() {
        let clock = StandingClock()
        let stamps = ArrivalStamps { clock.now }
        stamps.note([key(1): Timestamp(seconds: 1)])
        clock.pass(.seconds(3_600))
        settle(stamps, [key(2): Timestamp(seconds: 2)])
        #expect(stamps.pending.keys.contains(key(1)))
    }

    @Test("of the process before are forgotten in time once the broker has had the chance to deliver them again, and not before")
    func restart() {
        let clock = StandingClock()
        let stamps = ArrivalStamps(pending: [key(1): Timestamp(seconds: 1), key(2): Timestamp(seconds: 2)]) { clock.now }
        clock.pass(.seconds(3_600))
        settle(stamps, [:])
        #expect(stamps.pending.count == 2)
        stamps.connected(keepingSession: true)
        // The second comes again, and is under way for long.
        stamps.note([key(2): Timestamp(seconds: 2)])
        clock.pass(.seconds(601))
        settle(stamps, [:])
        #expect(stamps.pending == [key(2): Timestamp(seconds: 2)] && stamps.takeStale() == [key(1)])
    }

    @Test("are forgotten long before the broker uses a number again, however fast other messages come")
    func numbers() {
        let stamps = ArrivalStamps()
        settle(stamps, [key(1): Timestamp(seconds: 1)])
        for _ in 0..<20 {
            stamps.settled([:], messages: 1_000, over: 0)
            stamps.acknowledged()
        }
        #expect(stamps.pending.count == 1)
        stamps.settled([:], messages: 1, over: 0)
        stamps.acknowledged()
        #expect(stamps.pending.isEmpty && stamps.takeStale() == [key(1)])
    }

    @Test("of another message with the same number stay, when those of the one before are forgotten")
    func reused() {
        let clock = StandingClock()
        let stamps = ArrivalStamps { clock.now }
        settle(stamps, [key(1): Timestamp(seconds: 1)])
        clock.pass(.seconds(590))
        settle(stamps, [key(1): Timestamp(seconds: 51)])
        clock.pass(.seconds(20))
        stamps.acknowledged()
        #expect(stamps.pending == [key(1): Timestamp(seconds: 51)] && stamps.takeStale().isEmpty)
    }

    @Test("are bounded, the oldest going first, also of those that were acknowledged")
    func bounds() {
        let stamps = ArrivalStamps(capacity: 400)
        for packet in UInt16(1)...3_000 { settle(stamps, [key(packet): Timestamp(seconds: Double(packet))]) }
        #expect(Set(stamps.pending.keys) == Set((UInt16(2_901)...3_000).map { key($0) }))
        #expect(stamps.takeStale().count == 2_900)
        stamps.note(Dictionary(uniqueKeysWithValues: (UInt16(4_000)..<4_500).map { (key($0), Timestamp(seconds: Double($0))) }))
        #expect(stamps.pending.count == 400 && stamps.pending.keys.allSatisfy { $0.packet >= 4_100 })
    }

    @Test("are forgotten with the broker's session: its numbers begin anew")
    func sessions() {
        let stamps = ArrivalStamps(pending: [key(9): Timestamp(seconds: 9)])
        settle(stamps, [key(1): Timestamp(seconds: 1)])
        stamps.connected(keepingSession: false)
        #expect(stamps.pending.isEmpty && Set(stamps.takeStale()) == [key(1), key(9)])
        stamps.acknowledged()
        settle(stamps, [key(1): Timestamp(seconds: 2)])
        #expect(stamps.pending == [key(1): Timestamp(seconds: 2)])
    }

    @Test("are not those of what comes over the same connection once they are acknowledged, and are over the next")
    func connections() {
        let stamps = ArrivalStamps()
        stamps.connected(keepingSession: true)
        stamps.note([key(1): Timestamp(seconds: 1)])
        #expect(stamps.known.stamps.keys.contains(key(1)))
        settle(stamps, [key(1): Timestamp(seconds: 1)])
        #expect(stamps.known.stamps.isEmpty && stamps.pending.count == 1)
        // A broker that was killed has forgotten the acknowledgement.
        stamps.connected(keepingSession: true)
        #expect(stamps.known.stamps == [key(1): Timestamp(seconds: 1)])
    }

    @Test("are forgotten as soon as they are acknowledged where the broker gives the number to the next message")
    func reusedAtOnce() {
        let clock = StandingClock()
        let stamps = ArrivalStamps { clock.now }
        stamps.connected(keepingSession: true, reusesNumbers: true)
        settle(stamps, [key(1): Timestamp(seconds: 1)])
        #expect(stamps.pending.isEmpty && stamps.takeStale() == [key(1)])
        // What was held for long may have been sent once more meanwhile, over this connection.
        stamps.note([key(1): Timestamp(seconds: 2), key(2): Timestamp(seconds: 3)])
        clock.pass(.seconds(30))
        stamps.settled([key(1): Timestamp(seconds: 2)], messages: 1, over: stamps.known.connection)
        stamps.acknowledged()
        #expect(stamps.known.stamps.count == 2)
        // Over the next only what is not acknowledged comes, as often as there is one.
        for _ in 0..<2 { stamps.connected(keepingSession: true, reusesNumbers: true) }
        #expect(stamps.known.stamps == [key(2): Timestamp(seconds: 3)] && stamps.takeStale() == [key(1)])
    }

    @Test("are forgotten with the connection at a broker of MQTT 5 that was seen to give a number twice")
    func foundOut() {
        let stamps = ArrivalStamps()
        stamps.connected(keepingSession: true)
        settle(stamps, [key(1): Timestamp(seconds: 1)])
        settle(stamps, [key(1, 8): Timestamp(seconds: 2)])
        stamps.connected(keepingSession: true)
        #expect(stamps.known.stamps.isEmpty && stamps.pending.isEmpty)
    }

    @Test("stay where a delivery is settled only after its connection was lost: it comes again, whatever is acknowledged meanwhile")
    func orphaned() {
        let stamps = ArrivalStamps()
        stamps.connected(keepingSession: true, reusesNumbers: true)
        let lost = stamps.known.connection
        stamps.note([key(1): Timestamp(seconds: 1)])
        stamps.connected(keepingSession: true, reusesNumbers: true)
        stamps.settled([key(1): Timestamp(seconds: 1)], messages: 1, over: lost)
        settle(stamps, [key(2): Timestamp(seconds: 2)])
        #expect(stamps.known.stamps == [key(1): Timestamp(seconds: 1)])
    }

    @Test("that were noted long ago are none where others may have had the session since")
    func takenOver() {
        let stamps = ArrivalStamps(pending: [key(1): Timestamp(seconds: 1_000), key(2): Timestamp(seconds: 1_050)])
        stamps.tookOver(at: Timestamp(seconds: 1_100))
        stamps.connected(keepingSession: true)
        #expect(stamps.known.stamps == [key(2): Timestamp(seconds: 1_050)] && stamps.takeStale() == [key(1)])
    }
}
