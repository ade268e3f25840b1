import Foundation
import SignalSynthesis
import SuiteHarness
import TestSupport

/// The packets that a few hostile clients send, one by one: follows from a seed and a number alone.
struct PacketSequence: Sendable, CustomStringConvertible {
    /// One thing that one of the clients does.
    enum Step: Sendable {
        case connect(MQTTPacket.Connection)
        case send(MQTTPacket)
        case sendBytes([UInt8])
        case acknowledge(HostileClient.Acknowledgement)
        case hangUp
        case pause(milliseconds: Int)
    }

    /// The number of clients that take part.
    static let clients = 3
    let number: UInt64
    private(set) var steps: [(client: Int, step: Step)] = []
    private var random: SeededGenerator
    private var writer: PayloadWriter

    init(seed: UInt64, number: UInt64) {
        self.number = number
        random = SeededGenerator(seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ number)
        writer = PayloadWriter(marker: number)
        for client in 0..<Self.clients { steps.append((client, .connect(connection()))) }
        for _ in 0..<Int.random(in: 1...24, using: &random) { steps.append((Int.random(in: 0..<Self.clients, using: &random), step())) }
    }

    /// The notes that these packets may have stored, each at most as often as it was sent.
    var notes: [String] { writer.notes }

    var description: String {
        steps.map { client, step in
            switch step {
            case .send(let packet):
                "\(client) \(packet.kind.map { "\($0)" } ?? "reserved") \(Data(packet.bytes.prefix(400)).base64EncodedString())"
            case .sendBytes(let bytes): "\(client) bytes \(Data(bytes.prefix(400)).base64EncodedString())"
            case .connect(let connection): "\(client) \(connection)"
            default: "\(client) \(step)"
            }
        }.joined(separator: "\n")
    }

    // MARK: - Choices

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func one<Element>(of elements: [Element]) -> Element { elements[Int.random(in: 0..<elements.count, using: &random)] }

    private mutating func step() -> Step {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<62: return .send(publish())
        case 62..<72: return .send(subscribe())
        case 72..<77: return .connect(connection())
        case 77..<83: return .sendBytes(spoilt())
        case 83..<86:
            return .send(
                MQTTPacket(type: UInt8.random(in: 0...15, using: &random), flags: UInt8.random(in: 0...15, using: &random), body: noise(40))
            )
        case 86..<90: return .acknowledge(one(of: [.always, .never, .neverReads]))
        case 90..<94: return .hangUp
        case 94..<96: return .send(.disconnect(reason: one(of: [0, 4, 0x81, 0xFF])))
        default: return .pause(milliseconds: Int.random(in: 1...30, using: &random))
        }
    }

    private mutating func connection() -> MQTTPacket.Connection {
        let version: UInt8 = chance(80) ? 5 : chance(80) ? 4 : one(of: [0, 3, 6, 255])
        var connection = MQTTPacket.Connection(
            clientID: one(of: ["m", "", "vigil-ingest", "vigil-timeline-main", "\u{0}", long(70_000)]), version: version)
        (connection.user, connection.password) = (one(of: Participants.hostileAccounts), GuardedBroker.password)
        if chance(4) { connection.password = "wrong" }
        connection.cleanStart = chance(60)
        connection.keepAlive = one(of: [0, 1, 60, 65_535])
        if chance(40) {
            connection.will = .init(
                topic: topic(), payload: writer.payload(using: &random), qos: one(of: [0, 1, 2, 3]), isRetained: chance(50),
                properties: properties())
        }
        if chance(50) {
            connection.properties = [.sessionExpiry(one(of: [0, 1, 3600, .max])), .receiveMaximum(one(of: [1, 20, 65_535]))]
            if chance(30) { connection.properties.append(.maximumPacketSize(one(of: [1, 64, 100_000]))) }
            if chance(10) { connection.properties += properties() }
        }
        if chance(3) { connection.flags = UInt8.random(in: 0...255, using: &random) }
        return connection
    }

    private mutating func publish() -> MQTTPacket {
        .publish(
            topic(), writer.payload(using: &random), qos: one(of: [0, 1, 1, 1, 1, 2, 3]), identifier: one(of: [1, 2, 3, 0, 65_535]),
            isRetained: chance(20), isDuplicate: chance(10), properties: chance(70) ? properties() : [], version: chance(92) ? 5 : 4)
    }

    private mutating func subscribe() -> MQTTPacket {
        let filters = [
            "#", "vigil/v1/#", "vigil/v1/receipts/mallory/+", "vigil/v1/responses/mallory/#", "vigil/v1/responses/mallory-carer/#",
            "$share/x/vigil/v1/ingest/#",
            "$share/vigil/vigil/v1/ingest/#", "$SYS/#", "+/+/+", "", "a#", "vigil/v1/alerts/mallory/+", String(repeating: "+/", count: 300),
        ]
        return .subscribe(
            (0..<Int.random(in: 0...3, using: &random)).map { _ in one(of: filters) }, options: one(of: [0, 1, 2, 3, 0x2C, 0xFF]),
            properties: chance(20) ? [.variable(0x0B, one(of: [0, 1, 268_435_455]))] : [])
    }

    /// Right bytes with a few wrong ones among them.
    private mutating func spoilt() -> [UInt8] {
        var bytes = publish().bytes
        for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
            let place = Int.random(in: 0..<min(bytes.count, 60), using: &random)
            switch Int.random(in: 0...2, using: &random) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes.remove(at: place)
            default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
            }
        }
        return Array(bytes.prefix(chance(50) ? bytes.count : Int.random(in: 0...bytes.count, using: &random)))
    }

    private mutating func noise(_ count: Int) -> [UInt8] {
        (0..<Int.random(in: 0...count, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
    }

    private func long(_ count: Int) -> String { String(repeating: "x", count: count) }

    private mutating func topic() -> String {
        let hostile = one(of: Participants.hostileAccounts)
        let own = [
            "vigil/v1/ingest/mallory/mallory", "vigil/v1/ingest/mallory/mallory", "vigil/v1/ingest/mallory/mallory",
            "vigil/v1/requests/\(hostile)/timeline",
        ]
        if chance(70) { return one(of: own) }
        return one(of: [
            "vigil/v1/requests/\(hostile)/alert",
            "vigil/v1/requests/mallory-carer/alert", "vigil/v1/requests/mallory-carer/timeline",
            "vigil/v1/requests/mallory-carer/stress",
            "vigil/v1/modules/vigil-ingest/set",
            "vigil/v1/ingest/anna/anna-watch", "vigil/v1/observations/0a/readings", "vigil/v1/observations/0a/derived",
            "vigil/v1/history/0a",
            "vigil/v1/receipts/anna/anna-watch",
            "vigil/v1/ingest/mallory/", "vigil/v1/ingest/mallory/mallory/more", "vigil/v1/ingest//", "", "#", "a/+", "\u{0}",
            "$SYS/broker/uptime", long(65_535),
            String(repeating: "/", count: 300),
        ])
    }

    private mutating func properties() -> [MQTTProperty] {
        var properties: [MQTTProperty] = []
        if chance(60) { properties.append(.responseTopic(responseTopic())) }
        if chance(60) { properties.append(.correlation([UInt8](repeating: 7, count: one(of: [0, 1, 16, 64, 65, 1_000, 65_535])))) }
        if chance(30) {
            properties.append(
                .contentType(one(of: ["application/json", "application/senml+json", "application/cbor", "", "x/y", long(3_000)])))
        }
        if chance(20) { properties.append(.user(one(of: ["k", "", long(60_000)]), "v")) }
        if chance(15) { properties.append(.messageExpiry(one(of: [0, 1, .max]))) }
        if chance(10) { properties.append(.topicAlias(one(of: [0, 1, 10, 65_535]))) }
        if chance(10) { properties.append(.byte(0x01, one(of: [0, 1, 2]))) }
        if chance(3) { properties.append(.raw(noise(20))) }
        if chance(3), let first = properties.first { properties.append(first) }
        return properties
    }

    private mutating func responseTopic() -> String {
        one(of: [
            "x", "/", String(repeating: "/", count: 300), "vigil/v1/responses/mallory/1", "vigil/v1/responses/mallory-carer/1",
            "vigil/v1/responses/anna-watch/1",
            "vigil/v1/receipts/anna/anna-watch", "vigil/v1/receipts/mallory/mallory", "vigil/v1/receipts/mallory/mallory/deep/er",
            "vigil/v1/#", "+", "", "\u{0}", "$SYS/x",
            "vigil/v1/ingest/anna/anna-watch", "vigil/v1/observations/0a/readings", "vigil/v1/alerts/anna/x", long(1_024), long(65_535),
            "vigil/v1/responses/mallory/" + long(2_000),
            "vigil/v1/responses/mallory" + String(repeating: "/a", count: 250),
        ])
    }
}

/// Payloads for hostile publishes; what could be stored of them are notes that tell where they come from.
struct PayloadWriter: Sendable {
    let marker: UInt64
    private(set) var notes: [String] = []

    init(marker: UInt64) { self.marker = marker }

    /// A payload, right or wrong.
    mutating func payload(using random: inout SeededGenerator) -> [UInt8] {
        let now = Int(Date.now.timeIntervalSince1970)
        let text =
            switch Int.random(in: 0..<22, using: &random) {
            case 0...4: note(time: nil)
            case 5...8: note(time: now - Int.random(in: 0...300, using: &random))
            case 9: "[" + (0..<Int.random(in: 1...60, using: &random)).map { _ in note(time: nil) }.joined(separator: ",") + "]"
            case 10:
                #"{"metric":"note","text":"\#(String(repeating: "y", count: [4_096, 4_097, 100_000, 1_000_000][Int.random(in: 0..<4, using: &random)]))"}"#
            case 11: "{}"
            case 12: String(repeating: "[", count: Int.random(in: 1...5_000, using: &random))
            case 13: #"{"metric":"heart-rate","time":\#(now),"value":1e999}"#
            case 14:
                #"{"query":"\#(["page", "latest", "participants", "readings", "erase", "alerts"][Int.random(in: 0..<6, using: &random)])","participant":"mallory","span":"decade","limit":1000000}"#
            case 15:
                #"{"command":"\#(["silence", "acknowledge", "reload", "set-threshold", "why", "set-profile"][Int.random(in: 0..<6, using: &random)])","duration":"30000d","value":1e9,"severity":"warning","actor":"Dr. House","reason":"x"}"#
            case 16: #"{"session":"\#(String(repeating: "s", count: 10_000))","observations":[\#(note(time: now, isStored: false))]}"#
            case 17: #"[{"bn":"urn:x:","n":"heart-rate","u":"Pa","v":61,"s":2},{"n":"x","vs":"y"}]"#
            case 18: "0.5#0.61#120#80#95#36.6#61#97#2.1#476#0.5#1#"
            case 19: #"{"metric":"unheard-of","time":\#(now),"value":1,"unit":"furlong"}"#
            case 20: ""
            default: String(decoding: (0..<200).map { _ in UInt8.random(in: 0...255, using: &random) }, as: UTF8.self)
            }
        return Array(text.utf8)
    }

    private mutating func note(time: Int?, isStored: Bool = true) -> String {
        let note = "mallory-\(marker)-\(notes.count)"
        // A session's name that is too long is refused with all its readings; a store that took them would show the note.
        notes.append(isStored ? note : "never")
        return #"{"metric":"note","text":"\#(note)"\#(time.map { #","time":\#($0)"# } ?? "")}"#
    }
}

/// The people and accounts of a run.
enum Participants {
    static let honestAccount = "anna-watch"
    static let hostileAccounts = ["mallory", "mallory-carer"]

    /// The arguments of `vigil accounts add` for each.
    static let accounts = [
        ["anna-watch", "--participant", "anna"], ["mallory", "--participant", "mallory"],
        ["mallory-carer", "--participant", "mallory", "--role", "carer"],
    ]
}
