extension AlertEngine {
    /// A participant's state as bytes; only an engine with the same rules can read it.
    package func encoded(participant: Int) -> [UInt8] {
        participants.bytes(participant) ?? thawed(participant).encoded(rules)
    }

    /// The engine's clock, the wall time that it last saw, and what else is no participant's, as bytes.
    package var encodedClock: [UInt8] {
        var writer = ByteWriter()
        writer.write(clock)
        writer.write(lastNow)
        writer.write(Int64(sequenceFloor))
        return writer.bytes
    }

    /// The reason why kept state cannot be read.
    package enum StateDamage: Error, Hashable, Sendable {
        case clock
        case participant(String)
    }

    /// Takes the clock back.
    package mutating func restore(clock bytes: [UInt8]) throws(StateDamage) {
        var reader = ByteReader(bytes)
        do {
            clock = try reader.time()
            lastNow = try reader.time()
            sequenceFloor = try reader.sequence()
        } catch {
            throw .clock
        }
    }

    /// Takes a participant back to its place.
    package mutating func restore(participant name: String, at index: Int, _ bytes: [UInt8]) throws(StateDamage) {
        guard (0..<Self.largestCapacity).contains(index) else { throw .participant(name) }
        var reader = ByteReader(bytes)
        do {
            put(try ParticipantState(&reader, rules, name: name, clock: clock), named: name, at: index)
        } catch {
            throw .participant(name)
        }
    }

    /// Books every participant's timers, after they were restored: each is looked at once, at the next moment.
    package mutating func rescheduleAll() {
        timers = TimerQueue()
        for index in participants.indices where !names[index].isEmpty {
            participants.schedule(index, at: clock + 1)
            reschedule(index, before: .max)
        }
    }
}
