import MessageBus
import Synchronization
package import VigilSchema

/// The mappings that are in force.
package struct MappingSet: Sendable {
    package let mappings: [Mapping]

    /// Those that take every known name come last, whatever their file.
    package init(_ mappings: [Mapping] = []) {
        self.mappings = mappings.filter { !$0.takesKnownNames } + mappings.filter(\.takesKnownNames)
    }

    /// The topic filters to subscribe to, those below ingest's own left out.
    package var filters: [String] {
        var seen: Set<String> = []
        return mappings.flatMap { $0.topics.map(\.filter) }.filter { !$0.hasPrefix("vigil/v1/ingest/") && seen.insert($0).inserted }
    }

    /// What a message becomes by the first mapping that fits it.
    /// - Returns: Nil where no mapping's topics and conditions fit.
    package func read(_ payload: [UInt8], topic: String, received: Timestamp) throws(PayloadError) -> [MappedReadings]? {
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        var parsed: [MappingFormat: MappingValue] = [:]
        var failure: PayloadError?
        for mapping in mappings {
            guard let names = mapping.topics.lazy.compactMap({ $0.match(levels) }).first else { continue }
            let value: MappingValue
            if let known = parsed[mapping.format], mapping.format != .csv {
                value = known
            } else {
                do throws(PayloadError) {
                    value = try mapping.format.read(payload, columns: mapping.columns, separator: mapping.separator)
                } catch {
                    failure = failure ?? error
                    continue
                }
                parsed[mapping.format] = value
            }
            let scope = MappingExpression.Scope(message: value, record: value, topic: names)
            guard mapping.when.holds(in: scope) else { continue }
            // Whoever wrote it knows what it is: no other mapping is to make a measurement of it.
            if let refusal = mapping.refusal { throw PayloadError(.unsupported, refusal) }
            var run = MappingRun(mapping, value, topic: names, received: received)
            do throws(PayloadError) {
                return try run.run()
            } catch {
                // The next one may know more.
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
        return nil
    }

    /// Returns whether a topic is one that a mapping listens to.
    func listens(to topic: String) -> Bool {
        let levels = topic.split(separator: "/", omittingEmptySubsequences: false)
        return mappings.contains { $0.topics.contains { $0.match(levels) != nil } }
    }
}

/// The mappings in force, which can be read again while ingest runs. Threading: from anywhere.
package final class MappingRules: Sendable {
    private let state: Mutex<MappingSet>

    package init(_ mappings: MappingSet = MappingSet()) { state = Mutex(mappings) }

    /// The mappings now.
    package var current: MappingSet { state.withLock { $0 } }

    /// Replaces them.
    package func replace(with mappings: MappingSet) { state.withLock { $0 = mappings } }
}

extension MessageReader {
    /// Reads a message of somebody else's making by the mappings. False where none fits.
    mutating func readMapped(_ message: IncomingMessage, received: Timestamp, _ policy: DevicePolicy) -> Bool {
        let parts: [MappedReadings]
        do throws(PayloadError) {
            guard message.payload.count <= limits.payload else {
                throw PayloadError(.tooLarge, "the payload is larger than \(limits.payload) bytes")
            }
            guard let found = try mappings.read(message.payload, topic: message.topic, received: received) else { return false }
            parts = found
        } catch {
            refuse([error], whole: true, of: message, from: nil, ask: nil, at: received)
            return true
        }
        for part in parts { take(part, of: message, received: received, policy) }
        return true
    }

    private mutating func take(_ part: MappedReadings, of message: IncomingMessage, received: Timestamp, _ policy: DevicePolicy) {
        var place: Int?
        do throws(PayloadError) {
            let topic = Topic.ingest(participant: part.address.participant, device: part.address.device).path
            let known = try devices.place(of: topic, at: received)
            place = known
            if message.retained { return passOver(message, from: known, at: received) }
            try admit(known, at: received, policy)
            var decoded = part.decoded
            let stamp = stamp(of: message, from: known, received: received)
            for index in part.stamped { decoded.readings[index].observation.time = stamp }
            if decoded.isStamped { keep(stamp, of: message, from: known, &decoded) }
            checkClock(of: known, &decoded, received: received, policy)
            let ask = ask(message, from: known, at: received)
            if ask == nil, isFlood(known, message, decoded, received: received) { return }
            add(decoded, of: message, from: known, ask: ask, received: received)
        } catch {
            refuse([error], whole: true, of: message, from: place, ask: ask(message, from: place, at: received), at: received)
        }
    }
}
