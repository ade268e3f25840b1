import Testing
import VigilSchema

@testable import Alerting

@Suite("Alarms that are told before they are stored")
struct UnconfirmedAlarmsTests {
    private static let second: Int64 = 1_000_000

    private static func alarm(_ rule: String, sequence: Int = 1) -> AlertMessage {
        NotificationGroupTests.alert(rule, severity: "critical", sequence: sequence).message
    }

    @Test("an attempt that failed is repeated after pauses that double, up to a minute, for an hour")
    func pauses() {
        var alarms = UnconfirmedAlarms()
        let alarm = Self.alarm("fast")
        alarms.add(alarm, now: 0)
        var attempts: [Int64] = []
        while let due = alarms.nextDue, !alarms.begin(now: due).isEmpty {
            attempts.append(due / Self.second)
            #expect(alarms.nextDue == nil, "one attempt at a time")
            alarms.finished(.init(alarm), isDelivered: false, now: due)
        }
        #expect(attempts.prefix(9) == [0, 1, 3, 7, 15, 31, 63, 123, 183])
        #expect(attempts.last.map { (3541...3600).contains($0) } == true)
    }

    @Test("one that was accepted, or is stored, or whose person was erased is not tried again")
    func ends() {
        var alarms = UnconfirmedAlarms()
        for rule in ["accepted", "stored", "later"] { alarms.add(Self.alarm(rule, sequence: rule == "later" ? 5 : 2), now: 0) }
        #expect(alarms.begin(now: 0).count == 3)
        alarms.finished(.init(Self.alarm("accepted", sequence: 2)), isDelivered: true, now: 0)
        for rule in ["stored", "later"] {
            alarms.finished(.init(Self.alarm(rule, sequence: rule == "later" ? 5 : 2)), isDelivered: false, now: 0)
        }
        alarms.drop(upTo: Self.alarm("stored", sequence: 2))
        alarms.drop(upTo: Self.alarm("later", sequence: 4))
        #expect(alarms.begin(now: Self.second).map(\.rule) == ["later"])
        alarms.forget("12")
        alarms.finished(.init(Self.alarm("later", sequence: 5)), isDelivered: false, now: 0)
        #expect(alarms.nextDue == nil)
    }

    @Test("no more are kept than a thousand, and each once")
    func bounds() {
        var alarms = UnconfirmedAlarms()
        let taken = (0..<1200).map { alarms.add(Self.alarm("a\($0 % 1100)"), now: 0) }
        #expect(taken.count(where: { $0 }) == UnconfirmedAlarms.most + 100)
        var told: Set<String> = []
        while case let next = alarms.begin(now: 0), !next.isEmpty {
            #expect(next.count <= UnconfirmedAlarms.mostAttempts && alarms.begin(now: 0).isEmpty, "a few at a time")
            for alarm in next {
                told.insert(alarm.rule)
                alarms.finished(.init(alarm), isDelivered: true, now: 0)
            }
        }
        #expect(told.count == UnconfirmedAlarms.most)
    }

    @Test("the pauses of many are spread")
    func spread() {
        var alarms = UnconfirmedAlarms()
        alarms.add(Self.alarm("fast"), now: 0)
        let alarm = alarms.begin(now: 0)[0]
        alarms.finished(.init(alarm), isDelivered: false, now: 0, spread: 0.75)
        #expect(alarms.nextDue == 750_000)
    }
}
