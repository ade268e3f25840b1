import Foundation
import MessageBus
import Synchronization
import TestSupport
import Timeline
import TimelineStore
import VigilSchema

@testable import Dashboard

/// A dashboard over a real timeline, with a few people in it.
enum FHIRFixture {
    /// 2024-05-01 00:00 UTC.
    static let start = Timestamp(seconds: 1_714_521_600)

    /// By server and account: an account has so many tokens only.
    private static let tokens = Mutex<[String: String]>([:])

    static func run(_ body: @Sendable (DashboardServer) async throws -> Void) async throws {
        let folder = try TemporaryFolder("vigil-fhir")
        let store = SQLiteStore(path: folder.path("timeline.sqlite"))
        try await fill(store)
        let handler = QueryHandler(store: store) { start.advanced(bySeconds: 86_400 * 30) }
        try await DashboardServer.run(answering: { message in
            let request = try JSONDecoder().decode(TimelineRequest.self, from: Data(message.payload))
            return String(decoding: await handler.answer(request), as: UTF8.self)
        }) { server in
            let now = Date().timeIntervalSince1970
            try await server.accounts.add(Account(name: "paul", roles: [.patient], participants: ["paul_1"]), now: now)
            try await server.accounts.add(Account(name: "ward", roles: [.carer], participants: ["*"]), now: now)
            defer { tokens.withLock { $0 = $0.filter { !$0.key.hasPrefix(server.base + " ") } } }
            try await body(server)
        }
        await store.close()
    }

    /// Asks as a program with a token of the account does.
    static func get(
        _ path: String, as account: String?, headers: [String: String] = [:], _ server: DashboardServer
    ) async throws -> DashboardServer.Reply {
        var all = headers
        if let account {
            let key = server.base + " " + account
            var token = tokens.withLock { $0[key] }
            if token == nil {
                let made = try await server.accounts.makeToken(for: account, label: "t", now: 0)
                tokens.withLock { $0[key] = made }
                token = made
            }
            all["Authorization"] = "Bearer " + (token ?? "")
        }
        return try await server.send(
            "GET", path.hasPrefix("http") ? String(path.dropFirst(server.base.count)) : "/fhir/R4/" + path, headers: all)
    }

    static func fill(_ store: any TimelineStore) async throws {
        try await store.setProfile(
            ParticipantProfile(first: "Anna", last: "Berg", birthDate: "1950-02-03", sex: .female, timeZone: "Europe/Berlin"),
            participant: "anna")
        _ = try await store.append([
            ObservationBatch(id: "a", groups: [group("anna", "watch", rates + others), group("anna", "dexcom-g6", [glucose(1)])]),
            ObservationBatch(id: "b", groups: [group("anna", "meter", [glucose(2)]), group("anna", "cuff", pressures)]),
            ObservationBatch(id: "c", groups: [group("anna", "cuff", [lateDiastolic], received: 700)]),
            ObservationBatch(
                id: "d", groups: [group("paul_1", "watch", Array(rates.prefix(3))), group("ben", "watch", Array(rates.prefix(2)))]),
        ])
        for entry in entries { try await store.post(entry, participant: "anna", received: start) }
    }

    private static func group(_ participant: String, _ source: String, _ observations: [Observation], received: Double = 600)
        -> ObservationGroup
    {
        ObservationGroup(
            participant: participant, source: source, received: start.advanced(bySeconds: received), observations: observations)
    }

    /// A heart rate each minute for two hours, in each of which there are three of one moment.
    private static let rates: [Observation] = (0..<120).flatMap { (minute: Int) -> [Observation] in
        let time = start.advanced(bySeconds: Double(minute) * 60)
        let value = 60 + Double(minute % 7)
        return (0..<(minute % 60 == 0 ? 3 : 1)).map { (sequence: Int) -> Observation in
            Observation(metric: "heart-rate", time: time, sequence: Int32(sequence), content: .value(value), unit: "/min", zone: 120)
        }
    }

    private static let others = [
        Observation(metric: "oxygen-saturation", time: start, content: .value(97), unit: "%"),
        Observation(metric: "blood-glucose", time: start.advanced(bySeconds: 30), content: .text("<40"), unit: "mg/dL"),
        Observation(metric: "steps", time: start, interval: 86_400, content: .value(2405), unit: "{steps}"),
        Observation(metric: "own-metric", time: start.advanced(bySeconds: 5), content: .value(1), unit: "1"),
        Observation(metric: "note", time: start.advanced(bySeconds: 6), content: .text("slept \"badly\""), unit: "1"),
    ]

    private static func glucose(_ minute: Double) -> Observation {
        Observation(metric: "blood-glucose", time: start.advanced(bySeconds: minute * 60), content: .value(101), unit: "mg/dL")
    }

    private static let pressures: [Observation] = (0..<3).flatMap { (hour: Int) -> [Observation] in
        let time = start.advanced(bySeconds: Double(hour) * 3600)
        let systolic = Observation(metric: "systolic-pressure", time: time, content: .value(120), unit: "mm[Hg]")
        let diastolic = Observation(metric: "diastolic-pressure", time: time, content: .value(80), unit: "mm[Hg]")
        return hour == 2 ? [systolic] : [systolic, diastolic]
    }

    /// It comes later than the systolic pressure of its moment.
    private static let lateDiastolic = Observation(
        metric: "diastolic-pressure", time: start.advanced(bySeconds: 7200), content: .value(81), unit: "mm[Hg]")

    private static let entries = [
        TimelineEntry(
            id: "r1", kind: .result, time: start.advanced(bySeconds: 60), description: "Hemoglobin A1c", value: 6.1, unit: "%",
            codes: ["LOINC": ["4548-4"]]),
        TimelineEntry(id: "n1", kind: .note, time: start.advanced(bySeconds: 61), description: "Feels well"),
        TimelineEntry(id: "c1", kind: .condition, time: start, description: "Asthma", codes: ["ICD-10-CM": ["J45"]]),
        TimelineEntry(id: "c2", kind: .condition, time: start, ends: start.advanced(bySeconds: 86_400), description: "Influenza"),
        TimelineEntry(id: "a1", kind: .allergy, time: start, description: "Penicillin", detail: "rash"),
        TimelineEntry(id: "m1", kind: .medication, time: start, description: "Salbutamol", codes: ["RxNorm": ["435"]], detail: "100 ug"),
        TimelineEntry(id: "i1", kind: .immunization, time: start, description: "Influenza vaccine", codes: ["CVX": ["141"]]),
    ]
}

/// What a test looks at in a searchset.
struct FHIRPageRead {
    let entries: [[String: Any]]
    let links: [String: String]
    let total: Int?

    init(_ reply: DashboardServer.Reply) throws {
        let bundle = try JSONSerialization.jsonObject(with: Data(reply.text.utf8)) as? [String: Any] ?? [:]
        entries = (bundle["entry"] as? [[String: Any]] ?? []).compactMap { $0["resource"] as? [String: Any] }
        let found = (bundle["link"] as? [[String: String]] ?? []).map { ($0["relation"] ?? "", $0["url"] ?? "") }
        links = Dictionary(found) { $1 }
        total = bundle["total"] as? Int
    }

    var ids: [String] { entries.compactMap { $0["id"] as? String } }
}
