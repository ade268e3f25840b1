package import VigilSchema

/// The readings that mappings make of a message, in words, as `vigil map test` shows them: normalised as ingest does it.
package struct MappedMessage: Sendable {
    /// A line a reading: `anna scale-1 body-weight 72.35 kg 2026-01-31T12:00:00Z`, or `on arrival` in place of the time.
    package private(set) var accepted: [String] = []
    package private(set) var refused: [String] = []
    /// A line a device that reports its own state: `anna scale-1 battery 80 %, signal -60 dBm`.
    package private(set) var states: [String] = []

    package init(_ payload: [UInt8], topic: String, by mappings: MappingSet, received: Timestamp = Timestamp(seconds: 1_700_000_000)) {
        do throws(PayloadError) {
            guard let parts = try mappings.read(payload, topic: topic, received: received) else {
                refused = [Self.unheard(topic, by: mappings)]
                return
            }
            for part in parts { take(part, received: received) }
        } catch {
            refused = [error.description]
        }
    }

    /// The advice about a message that is nobody's.
    private static func unheard(_ topic: String, by mappings: MappingSet) -> String {
        guard !mappings.listens(to: topic) else {
            return "no mapping of those that listen to the topic has conditions that fit; vigil map list names them"
        }
        let first = topic.prefix { $0 != "/" }
        return "no mapping listens to the topic: vigil map learn --topic '\(first)/#' proposes one from what comes there"
    }

    private mutating func take(_ mapped: MappedReadings, received: Timestamp) {
        var part = mapped
        if !part.state.isEmpty { states.append("\(part.address.participant) \(part.address.device) \(part.state.words)") }
        part.beginDays(in: .ofMachine)
        let dayCounts = Set(part.dayCounts.map(\.place))
        let normaliser = Normaliser(futureTolerance: 1e9)
        var errors = part.decoded.refusals
        var kept: [(observation: Observation, part: String?)] = [], lines: [(reading: Observation, text: String)] = []
        for (index, located) in part.decoded.readings.enumerated() {
            do throws(PayloadError) {
                let reading = try normaliser.normalise(located, now: received)
                kept.append((reading, located.part))
                let isStamped = part.stamped.contains(index) && !dayCounts.contains(index)
                lines.append((reading, Self.line(reading, located.part, of: part, isStamped: isStamped)))
            } catch {
                errors.append(error)
            }
        }
        if !errors.isEmpty { errors += MessageReader.takeHalfPressures(from: &kept) }
        accepted += lines.filter { line in kept.contains { $0.observation == line.reading } }.map(\.text)
        refused += errors.map(\.description)
    }

    private static func line(_ reading: Observation, _ name: String?, of part: MappedReadings, isStamped: Bool) -> String {
        let time = isStamped ? "on arrival" : "\(reading.time.seconds)"
        let period = reading.interval == 0 ? "" : " for \(reading.interval) s"
        let source = name.map { "\(part.address.device)/\($0)" } ?? part.address.device
        let number = reading.sequence == 0 ? "" : " number \(reading.sequence + 1)"
        return "\(part.address.participant) \(source) \(reading.metric) \(reading.content.words) \(reading.unit) \(time)\(period)\(number)"
    }
}

extension Observation.Content {
    fileprivate var words: String {
        switch self {
        case .value(let value): "\((value * 1000).rounded() / 1000)"
        case .text(let text): text
        case .samples(let samples, _): "\(samples.count) samples"
        }
    }
}
