import AlertRules
import MessageBus

extension AlertCore {
    /// Time passes; while what waited at the broker is still coming, the engine's clock stands.
    func pass(to now: ClockSample, isHearing: Bool) {
        go(time.pass(to: now, from: engine.clock, isHearing: isHearing), now)
    }

    /// Moves the engine's clock, and notes it.
    func go(_ step: EngineTime.Step, _ now: ClockSample) {
        let before = output.events.count
        switch step {
        case .wait: return
        case .advance(let clock):
            let wall = time.wall(of: clock, at: now)
            record.entries.append(.advance(clock: clock, now: wall))
            engine.advance(to: clock, now: wall, into: &output)
        case .skip(let clock):
            let wall = time.wall(of: clock, at: now)
            record.entries.append(.skip(clock: clock, now: wall))
            engine.skip(to: clock, now: wall, into: &output)
        }
        for event in output.events[before...] { dirty.insert(event.participant) }
    }

    /// The wall time at the engine's clock.
    func wall(_ now: ClockSample) -> Int64 { time.wall(of: engine.clock, at: now) }

    /// The engine's time at this moment, were nothing waiting: it goes on evenly, also over restarts.
    var presentClock: Int64 { time.clock(at: .now) }

    /// The message that comes back once nothing waits at the broker any more, where one is to be sent.
    func marker() -> [OutgoingMessage] {
        guard let text = time.takeMarker() else { return [] }
        return [OutgoingMessage(topic: markerTopic, payload: Array(text.utf8))]
    }
}
