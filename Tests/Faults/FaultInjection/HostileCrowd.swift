import Foundation
import SuiteHarness
import Synchronization
import TestSupport

/// A way in which clients of the broker misbehave, or are merely simple.
package enum Hostility: String, Sendable, Hashable, CaseIterable {
    /// Devices without a clock publish bursts of readings without a time.
    case clockless
    /// Devices whose clock knows no date publish packs of readings by their distance to now.
    case relativeTimes
    /// Readings and commands are published retained.
    case retained
    /// Answers are asked for on topics that nobody may be answered on, or that end a connection.
    case responseTopics
    /// Texts, sessions and correlation data far beyond their limits.
    case oversized
    /// A subscriber that never acknowledges, and a device that makes the suite answer it.
    case neverAcknowledges
    /// A participant's profile changes while an alert is active, so that its rule no longer applies.
    case changeProfile
    /// Somebody asks for everybody's alerts, and for all rules, a thousand times a second.
    case endlessQuestions
    /// A device corrects ten thousand readings five times a second, with one message each.
    case endlessCorrections
    /// Somebody asks for all of somebody's readings, two hundred times a second.
    case endlessReadings
}

/// The clients that misbehave in a fault run, and what they sent, for the oracle.
final class HostileCrowd: Sendable {
    /// The readings of a device without a clock, as it knows them.
    private struct Burst {
        /// Those that the broker acknowledged.
        var acknowledged: Set<String> = []
        /// Those that a receipt says are stored.
        var stored: Set<String> = []
    }

    /// The packs of two readings of a device whose clock knows no date.
    private struct Packs {
        var sent = 0
        var acknowledged = 0
        var stored = 0
    }

    private let broker: MosquittoServer
    private let packs = Mutex<[String: Packs]>([:])
    private let bursts = Mutex(Burst())
    private let serial = Mutex(0)
    /// The participants whose profile was changed, as the service has confirmed.
    private let agers = Mutex<[String]>([])
    /// The number of the last message that the broker acknowledged of each device that corrects.
    private let correctors = Mutex<[String: Int]>([:])

    init(_ broker: MosquittoServer) { self.broker = broker }

    /// Misbehaves for so long. What the broker does not take, because it is away, is not sent again.
    func act(_ kind: Hostility, seconds: Double) async throws {
        let end = ContinuousClock.now + .seconds(seconds)
        while ContinuousClock.now < end {
            do {
                switch kind {
                case .clockless: try await publishWithoutTimes(until: end)
                case .relativeTimes: try await publishPacks(until: end)
                case .retained: try await publishRetained(until: end)
                case .responseTopics: try await askForAnswersAnywhere(until: end)
                case .oversized: try await exaggerate(until: end)
                case .neverAcknowledges: try await acknowledgeNothing(until: end)
                case .changeProfile: try await grow(until: end)
                case .endlessQuestions: try await askWithoutEnd(until: end)
                case .endlessCorrections: try await correct(until: end)
                case .endlessReadings: try await readEverything(until: end)
                }
            } catch is CancellationError {
                throw CancellationError()
            } catch {
                // The broker was stopped or killed: once more.
                try await Task.sleep(for: .milliseconds(100))
            }
        }
    }

    private func next() -> Int {
        serial.withLock { number in
            number += 1
            return number
        }
    }

    private func client(_ name: String) async throws -> HostileClient {
        try await HostileClient.connected(port: broker.port, clientID: "\(name)-\(next())")
    }

    // MARK: - The ways

    private func publishWithoutTimes(until end: ContinuousClock.Instant) async throws {
        let name = "clockless-\(next())"
        let device = try await client(name)
        let receipts = "vigil/v1/receipts/\(name)/d"
        try await device.subscribe(receipts)
        var texts: [UInt16: String] = [:]
        defer { note(texts, of: device) }
        repeat {
            for _ in 0..<60 {
                let text = "\(name)-\(texts.count)"
                let identifier = device.publish(
                    "vigil/v1/ingest/\(name)/d", #"{"metric":"note","text":"\#(text)"}"#,
                    properties: [.responseTopic(receipts), .correlation(Array(text.utf8))])
                texts[identifier] = text
            }
            try await Task.sleep(for: .milliseconds(400))
        } while ContinuousClock.now < end && device.isOpen && texts.count < 30_000
        try? await eventually(within: .seconds(15), "the receipts") { device.messages.count >= texts.count || !device.isOpen }
    }

    private func note(_ texts: [UInt16: String], of device: HostileClient) {
        let identifiers = device.packets(.publishAcknowledgement).filter { $0.reason ?? 0 < 0x80 }.map {
            UInt16($0.body[0]) << 8 | UInt16($0.body[1])
        }
        let stored = device.messages.filter { $0.text.contains(#""outcome":"stored""#) && $0.text.contains(#""stored":1"#) }
        bursts.withLock { burst in
            burst.acknowledged.formUnion(identifiers.compactMap { texts[$0] })
            burst.stored.formUnion(stored.map { String(decoding: $0.correlation, as: UTF8.self) })
        }
    }

    private func publishPacks(until end: ContinuousClock.Instant) async throws {
        let name = "packs-\(next())"
        let device = try await client(name)
        let receipts = "vigil/v1/receipts/\(name)/d"
        try await device.subscribe(receipts)
        var sent = 0
        defer {
            let acknowledged = device.packets(.publishAcknowledgement).count { $0.reason ?? 0 < 0x80 }
            let stored = device.messages.count { $0.text.contains(#""outcome":"stored""#) && $0.text.contains(#""stored":2"#) }
            packs.withLock { $0[name] = Packs(sent: sent, acknowledged: acknowledged, stored: stored) }
        }
        repeat {
            for _ in 0..<40 {
                let values = [0, 0.0001].map { String(format: "%.4f", 60 + Double(sent) / 5000 + $0) }
                let pack = values.map { #"{"n":"heart-rate","u":"beat/min","t":-1,"v":\#($0)}"# }
                device.publish(
                    "vigil/v1/ingest/\(name)/d", "[\(pack.joined(separator: ","))]",
                    properties: [.responseTopic(receipts), .correlation(Array("\(sent)".utf8))])
                sent += 1
            }
            try await Task.sleep(for: .milliseconds(400))
        } while ContinuousClock.now < end && device.isOpen && sent < 20_000
        try? await eventually(within: .seconds(15), "the receipts") { device.messages.count >= sent || !device.isOpen }
    }

    private func publishRetained(until end: ContinuousClock.Instant) async throws {
        let device = try await client("retained")
        let name = "ghost-\(next())"
        device.publish("vigil/v1/ingest/\(name)/d", #"{"metric":"note","text":"\#(name)"}"#, isRetained: true)
        device.publish(
            "vigil/v1/requests/retained/alert",
            #"{"command":"silence","participant":"\#(name)","rule":"high","actor":"x","reason":"x","duration":"10h"}"#, isRetained: true)
        device.publish("vigil/v1/requests/retained/timeline", #"{"query":"erase","participant":"\#(name)-nobody"}"#, isRetained: true)
        try await Task.sleep(until: min(end, .now + .seconds(2)))
    }

    private static let badTopics = [
        "x", "/", String(repeating: "/", count: 300), "vigil/v1/latest/bench-000/heart-rate", "vigil/v1/receipts/bench-000/bench",
        "vigil/v1/#", "+", "$SYS/x",
        String(repeating: "x", count: 2_000), String(repeating: "x", count: 65_535),
        "vigil/v1/responses/mallory" + String(repeating: "/a", count: 250),
    ]

    private func askForAnswersAnywhere(until end: ContinuousClock.Instant) async throws {
        let device = try await client("mallory")
        repeat {
            for (place, topic) in Self.badTopics.enumerated() {
                let properties: [MQTTProperty] = [.responseTopic(topic), .correlation([1])]
                device.publish("vigil/v1/ingest/mallory/d", place % 2 == 0 ? "{}" : reading("mallory"), properties: properties)
                device.publish("vigil/v1/requests/mallory/timeline", #"{"query":"latest","participant":"mallory"}"#, properties: properties)
                device.publish(
                    "vigil/v1/requests/mallory/alert", #"{"command":"why","participant":"mallory","rule":"high","actor":"x"}"#,
                    properties: properties)
                device.publish(
                    "vigil/v1/requests/mallory/stress", #"{"command":"calibrate","participant":"mallory"}"#, properties: properties)
            }
            try await Task.sleep(for: .milliseconds(250))
        } while ContinuousClock.now < end && device.isOpen
    }

    private func exaggerate(until end: ContinuousClock.Instant) async throws {
        let device = try await client("mallory")
        let long = String(repeating: "y", count: 1_000_000)
        repeat {
            device.publish("vigil/v1/ingest/mallory/d", #"{"metric":"note","text":"\#(long)"}"#)
            device.publish("vigil/v1/ingest/mallory/d", #"{"session":"\#(long.prefix(10_000))","observations":[\#(reading("mallory"))]}"#)
            device.publish(
                "vigil/v1/ingest/mallory/d", reading("mallory"),
                properties: [.responseTopic("vigil/v1/receipts/mallory/d"), .correlation([UInt8](repeating: 1, count: 60_000))])
            try await Task.sleep(for: .milliseconds(250))
        } while ContinuousClock.now < end && device.isOpen
    }

    private func acknowledgeNothing(until end: ContinuousClock.Instant) async throws {
        let deaf = try await client("deaf")
        deaf.set(.never)
        try await deaf.subscribe("vigil/v1/rejects/mallory/+", "vigil/v1/receipts/mallory/#")
        let device = try await client("mallory")
        let correlation = MQTTProperty.correlation([UInt8](repeating: 1, count: 60_000))
        repeat {
            for number in 0..<20 {
                let isSmall = number % 2 == 0
                device.publish(
                    "vigil/v1/ingest/mallory/d", isSmall ? #"{"metric":"heart-rate","value":6100}"# : "{}",
                    properties: [.responseTopic("vigil/v1/receipts/mallory/d")] + (isSmall ? [] : [correlation]))
            }
            try await Task.sleep(for: .milliseconds(50))
        } while ContinuousClock.now < end && device.isOpen
    }

    private func askWithoutEnd(until end: ContinuousClock.Instant) async throws {
        let device = try await client("curious")
        let answers = "vigil/v1/responses/curious/1"
        try await device.subscribe(answers)
        repeat {
            for number in 0..<100 {
                let command = ["history", "rules", "why", "history"][number % 4]
                device.publish("vigil/v1/requests/curious/alert", #"{"command":"\#(command)"}"#, properties: [.responseTopic(answers)])
            }
            try await Task.sleep(for: .milliseconds(100))
        } while ContinuousClock.now < end && device.isOpen
    }

    private func correct(until end: ContinuousClock.Instant) async throws {
        let name = "corrector-\(next())"
        let device = try await client(name)
        var sent = 0
        repeat {
            sent += 1
            device.publish("vigil/v1/ingest/\(name)/d", Self.correction(sent))
            try await Task.sleep(for: .milliseconds(200))
        } while ContinuousClock.now < end && device.isOpen
        let all = sent
        try? await eventually(within: .seconds(15), "the acknowledgements") {
            device.packets(.publishAcknowledgement).count >= all || !device.isOpen
        }
        let acknowledged = device.packets(.publishAcknowledgement).count { $0.reason ?? 0 < 0x80 }
        // Of a connection that broke the broker may have taken more than it acknowledged.
        if acknowledged == sent { correctors.withLock { $0[name] = sent } }
    }

    /// The readings that one message corrects.
    private static let corrected = 10_000

    /// SenML, with which so many readings fit into a message.
    private static func correction(_ number: Int) -> String {
        let rest = (1..<corrected).map { #"{"t":\#($0),"v":\#(value(number))}"# }.joined(separator: ",")
        return #"[{"bn":"heart-rate","bu":"beat/min","bt":1600000000,"v":\#(value(number))},\#(rest)]"#
    }

    private static func value(_ number: Int) -> Double { 50 + Double(number) / 8 }

    private func readEverything(until end: ContinuousClock.Instant) async throws {
        let device = try await client("reader")
        let answers = "vigil/v1/responses/reader/1"
        try await device.subscribe(answers)
        let query = #"{"query":"readings","participant":"bench-000","metric":"heart-rate","from":0,"to":2000000000,"limit":10000}"#
        repeat {
            for _ in 0..<20 {
                device.publish("vigil/v1/requests/reader/timeline", query, properties: [.responseTopic(answers), .correlation([1])])
            }
            try await Task.sleep(for: .milliseconds(100))
        } while ContinuousClock.now < end && device.isOpen
    }

    private func grow(until end: ContinuousClock.Instant) async throws {
        let name = "ager-\(next())"
        let carer = try await client("carer")
        setProfile(name, born: 315_532_800, by: carer)
        carer.publish("vigil/v1/ingest/\(name)/d", #"{"metric":"body-weight","time":\#(Date.now.timeIntervalSince1970),"value":150}"#)
        try await Task.sleep(until: min(end, .now + .seconds(2)))
        let answers = "vigil/v1/responses/carer/\(name)"
        try await carer.subscribe(answers)
        setProfile(name, born: 1_577_836_800, by: carer, properties: [.responseTopic(answers)])
        // A broker that is killed may have forgotten the command that it acknowledged; what the service confirms holds.
        try await eventually(within: .seconds(15), "the confirmation") { carer.messages.contains { $0.topic == answers } || !carer.isOpen }
        guard carer.messages.contains(where: { $0.topic == answers && $0.text.contains(#""ok":true"#) }) else { return }
        agers.withLock { $0.append(name) }
        try await Task.sleep(until: min(end, .now + .seconds(1)))
    }

    private func setProfile(_ name: String, born: Int, by carer: HostileClient, properties: [MQTTProperty] = []) {
        let command =
            #"{"command":"set-profile","participant":"\#(name)","actor":"x","id":"\#(name)-\#(born)","profile":{"born":\#(born)}}"#
        carer.publish("vigil/v1/requests/carer/alert", command, properties: properties)
    }

    private func reading(_ name: String) -> String {
        #"{"metric":"heart-rate","time":\#(1_600_000_000 + next()),"value":61}"#
    }
}

// MARK: - The oracle's part

extension HostileCrowd {
    /// The readings whose last correction is to be stored.
    var expectedCorrections: Int { correctors.withLock { $0.count } * Self.corrected }

    /// Those of which it is.
    func storedCorrections(in store: StoreUnderTest) async throws -> Int {
        var count = 0
        for (name, number) in correctors.withLock({ $0 }) {
            let lines = try await store.lines(
                "SELECT count(*) FROM readings WHERE participant = '\(name)' AND value = \(Self.value(number))")
            count += lines.first.flatMap { Int($0) } ?? 0
        }
        return count
    }

    private func correctionProblems(in store: StoreUnderTest, forgets: Bool) async throws -> [String] {
        guard !forgets else { return [] }
        let stored = try await storedCorrections(in: store)
        guard stored == expectedCorrections else { return ["of \(expectedCorrections) corrections \(stored) hold"] }
        return []
    }

    /// Returns what is wrong with what these clients left behind.
    /// - Parameter forgets: Indicates whether the broker was killed, and may have forgotten what it acknowledged.
    func problems(in store: StoreUnderTest, forgets: Bool) async throws -> [String] {
        var problems = try await burstProblems(in: store, forgets: forgets) + packProblems(in: store, forgets: forgets)
        problems += try await correctionProblems(in: store, forgets: forgets)
        let ghosts = try await store.lines(
            "SELECT participant FROM readings WHERE participant LIKE 'ghost-%' GROUP BY participant HAVING count(*) > 1")
        if !ghosts.isEmpty { problems.append("retained readings were stored again: \(ghosts.prefix(3))") }
        let endless = try await store.lines("SELECT count(*) FROM readings WHERE length(text) > 4096")
        if endless.first != "0" { problems.append("\(endless.first ?? "?") texts of more than 4,096 characters are stored") }
        return problems
    }

    private func packProblems(in store: StoreUnderTest, forgets: Bool) async throws -> [String] {
        var problems: [String] = []
        for (name, pack) in packs.withLock({ $0 }) {
            let rows = try await store.lines("SELECT value FROM readings WHERE participant = '\(name)' AND metric = 'heart-rate'")
            if Set(rows).count < rows.count {
                problems.append("of \(name)'s readings \(rows.count - Set(rows).count) are stored more than once")
            }
            if rows.count < 2 * pack.stored {
                problems.append("receipts say that \(2 * pack.stored) of \(name)'s readings are stored: \(rows.count) are")
            }
            if !forgets, rows.count < 2 * pack.acknowledged {
                problems.append("\(2 * pack.acknowledged - rows.count) of \(name)'s readings are lost")
            }
        }
        return problems
    }

    private func burstProblems(in store: StoreUnderTest, forgets: Bool) async throws -> [String] {
        let burst = bursts.withLock { $0 }
        let lines = try await store.lines("SELECT text FROM readings WHERE participant LIKE 'clockless-%'")
        let stored = Set(lines)
        var problems: [String] = []
        if lines.count != stored.count {
            problems.append("\(lines.count - stored.count) readings without a time are stored more than once")
        }
        let lied = burst.stored.subtracting(stored)
        if !lied.isEmpty {
            problems.append(
                "\(lied.count) of \(burst.stored.count) receipts say stored for readings without a time that are not: "
                    + "\(lied.sorted().prefix(3))")
        }
        let lost = burst.acknowledged.subtracting(stored)
        if !forgets, !lost.isEmpty {
            problems.append("\(lost.count) of \(burst.acknowledged.count) readings without a time are lost: \(lost.sorted().prefix(3))")
        }
        return problems
    }

    /// Returns what is wrong with the alerts whose rule no longer applies to the participant.
    func problems(retained: [String: String]) -> [String] {
        let stranded = agers.withLock { $0 }.filter { retained["vigil/v1/alerts/\($0)/grown"] != nil }
        return stranded.isEmpty ? [] : ["an alert is active though its rule no longer applies: \(stranded.prefix(3))"]
    }

    /// The number of readings without a time that have a receipt.
    var confirmed: Int { bursts.withLock { $0.stored.count } }

    /// The number of changed profiles that were confirmed.
    var changedProfiles: Int { agers.withLock { $0.count } }
}
