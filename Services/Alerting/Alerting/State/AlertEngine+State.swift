extension AlertEngine {
    /// A participant's state as bytes; only an engine with the same rules can read it.
    package func encoded(participant: Int) -> [UInt8] {
        var writer = ByteWriter()
        participants[participant].encode(into: &writer)
        return writer.bytes
    }

    /// The engine's clock and the wall time that it last saw, as bytes.
    package var encodedClock: [UInt8] {
        var writer = ByteWriter()
        writer.write(clock)
        writer.write(lastNow)
        return writer.bytes
    }

    /// Why kept state cannot be read.
    package enum StateDamage: Error, Hashable, Sendable {
        case clock
        case participant(String)
    }

    /// Takes the clock back.
    package mutating func restore(clock bytes: [UInt8]) throws(StateDamage) {
        var reader = ByteReader(bytes)
        do {
            clock = try reader.integer()
            lastNow = try reader.integer()
        } catch {
            throw .clock
        }
    }

    /// Takes a participant back; in the order of their places.
    package mutating func restore(participant name: String, _ bytes: [UInt8]) throws(StateDamage) {
        var reader = ByteReader(bytes)
        let place = place(of: name)
        do {
            participants[place] = try ParticipantState(&reader, rules, name: name)
        } catch {
            throw .participant(name)
        }
    }

    /// Books every participant's timers, after they were restored.
    package mutating func rebookAll() {
        timers = TimerQueue()
        var step = EngineStep(clock: clock, now: lastNow)
        for place in participants.indices {
            participants[place].booked = .max
            for rule in rules.rules.indices { participants[place].book(rule, rules, &step) }
            rebook(place, before: .max)
        }
    }
}
