import AlertRules
import MessageBus
import Observability
import Synchronization
import TestSupport
import Testing
import VigilSchema

@testable import Alerting

/// A notifier beside its core, with a receiver in memory.
@Suite("One notifier at work", .timeLimit(.minutes(3)))
struct NotifierCourseTests {
    /// A receiver that notes what it accepts, and refuses as long as it is told to.
    final class Receiver: NotificationChannel {
        private struct State {
            var sent: [Alerting.Notification] = []
            var refused = 0
            var isAway = false
        }
        private let state = Mutex(State())

        func send(_ notification: Alerting.Notification) async throws(ChannelError) {
            let isAway = state.withLock { state in
                if state.isAway { state.refused += 1 } else { state.sent.append(notification) }
                return state.isAway
            }
            if isAway { throw ChannelError("away") }
        }

        var isAway: Bool {
            get { state.withLock { $0.isAway } }
            set { state.withLock { $0.isAway = newValue } }
        }
        var refused: Int { state.withLock { $0.refused } }
        var sent: [Alerting.Notification] { state.withLock { $0.sent } }
        /// `status participant…` of each notification, with the participants of its alerts.
        var told: [String] { sent.map { "\($0.status) \(($0.alerts + $0.resolved).map(\.participant).joined(separator: " "))" } }
    }

    static let rules = #"{rules: [{id: "high", metric: "heart-rate", severity: "critical", above: 110, staleAfter: "2h"}]}"#

    /// What was said, in order.
    final class Lines: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func note(_ line: String) { lines.withLock { $0.append(line) } }
    }

    final class Rig: Sendable {
        let base: CoordinatorRig
        let receiver = Receiver()
        let reports = Lines()
        let counters = NotifierCounters(MetricsRegistry())
        var delivered: Counter { counters.delivered }
        var failed: Counter { counters.failed }
        let notifier: Notifier
        let inbox: NotifierInbox

        /// - Parameters:
        ///   - channel: in place of `receiver`.
        ///   - second: the way that takes its place where it fails.
        init(
            _ base: CoordinatorRig? = nil, channel: (any NotificationChannel)? = nil, second: (any NotificationChannel)? = nil,
            secondAnswers: AnswerOffers? = nil,
            clock: any Clock<Duration> = ContinuousClock(),
            change: (inout NotifierRoute) -> Void = { _ in }
        ) throws {
            let base = try base ?? CoordinatorRig(NotifierCourseTests.rules, notifiers: ["web"])
            var route = NotifierRoute(id: "web", groupInterval: 0)
            change(&route)
            let inbox = try #require(base.feed.inbox(of: "web"))
            (self.base, self.inbox) = (base, inbox)
            let reports = reports
            notifier = Notifier(
                route: route, told: base.feed.told,
                ways: [NotificationWay(name: "web", channel: channel ?? receiver)]
                    + [second].compactMap(\.self).map { NotificationWay(name: "sms", channel: $0, answers: secondAnswers) },
                core: base.core, inbox: inbox,
                log: base.log.logger, counters: counters,
                clock: clock,
                report: { name, condition in reports.note("\(name) \(condition.rawValue)") })
        }

        /// Runs it beside a test; what it stores at its end is stored then.
        func run(_ body: @Sendable @escaping () async throws -> Void) async throws {
            try await withThrowingTaskGroup { tasks in
                tasks.addTask { [notifier] in try await notifier.run() }
                try await body()
                tasks.cancelAll()
                try await tasks.waitForAll()
            }
        }
    }

    @Test("hears of what is active when it is new, of what is decided then, and after a start of nothing again")
    func course() async throws {
        let rig = try Rig()
        try await rig.base.coordinator.publishLeftOver()
        try await rig.base.coordinator.take([rig.base.reading(120)])
        try await rig.run {
            try await eventually("what is active") { rig.receiver.told == ["firing 12"] }
            try await rig.base.coordinator.take([rig.base.reading(120, of: "13")])
            try await eventually("the next") { rig.receiver.told == ["firing 12", "firing 13"] }
            try await rig.base.coordinator.take([rig.base.reading(90, of: "13")])
            try await eventually("its end") { rig.receiver.told.count == 3 }
        }
        #expect(rig.receiver.told.last == "resolved 13" && rig.delivered.value == 3 && rig.failed.value == 0)
        #expect(try rig.base.store.cursor(of: "web") == 3)
        let next = try Rig(rig.base)
        try await next.run {
            try await next.base.coordinator.take([next.base.reading(120, of: "14")])
            try await eventually("only what is new") { !next.receiver.told.isEmpty && !next.reports.all.isEmpty }
        }
        #expect(next.receiver.told == ["firing 14"])
        #expect(rig.reports.all == ["web delivering"] && next.reports.all == ["web delivering"], "each process tells it once")
    }

    @Test("a receiver that failed three times in a row is reported once, and once again when it is back, and is then told all")
    func unreachable() async throws {
        let rig = try Rig()
        try await rig.base.coordinator.publishLeftOver()
        rig.receiver.isAway = true
        try await rig.run {
            for (number, name) in ["a", "b", "c"].enumerated() {
                #expect(rig.reports.all.isEmpty)
                try await rig.base.coordinator.take([rig.base.reading(120, of: name)])
                try await eventually("a failure") { rig.failed.value > number }
            }
            try await eventually("the report") { rig.reports.all == ["web failing"] }
            rig.receiver.isAway = false
            try await rig.base.coordinator.take([rig.base.reading(120, of: "d")])
            try await eventually("all of it") { Set(rig.receiver.told) == ["firing a", "firing b", "firing c", "firing d"] }
            try await eventually("the report") { rig.reports.all.count == 2 }
        }
        #expect(rig.reports.all == ["web failing", "web delivering"])
        #expect(rig.delivered.value == 4 && rig.failed.value == rig.receiver.refused)
    }

    @Test(
        "alarms that are not stored yet are told at once where they concern it, and not where it is told of escalations",
        arguments: [nil, "nurse"])
    func unconfirmed(escalation: String?) async throws {
        let rig = try Rig { $0.escalation = escalation }
        try await rig.base.coordinator.publishLeftOver()
        let alarm = NotificationGroupTests.alert("fast", severity: "critical", sequence: 4).message
        let mild = NotificationGroupTests.alert("mild", severity: "notice").message
        let wall = ClockSample.now.wall
        try await rig.run {
            rig.inbox.announce([alarm, mild])
            rig.receiver.isAway = false
            if escalation == nil { try await eventually("the alarm") { rig.receiver.sent.count == 1 } }
            // A test behind it is answered once it was looked at.
            let answered = Lines()
            #expect(
                rig.inbox.request(
                    NotifierInbox.Test(actor: "n") { text, isDelivered in answered.note("\(isDelivered) \(text)") }))
            try await eventually("the test") { answered.all.count == 1 }
            #expect(answered.all.first?.hasPrefix("true delivered in ") == true && answered.all.first?.hasSuffix(" ms") == true)
        }
        let told = rig.receiver.sent.filter { $0.status != "test" }
        #expect(told.map(\.id) == (escalation == nil ? ["web/unconfirmed/12/fast/4"] : []))
        for one in told {
            #expect(one.alerts.map(\.unconfirmed) == [true] && one.status == "firing" && !one.isReminder && one.group == "participant=12")
        }
        for one in rig.receiver.sent {
            #expect(one.time >= Double(wall) / 1e6 - 1 && one.time < Double(wall) / 1e6 + 600)
        }
        #expect(rig.delivered.value == told.count && rig.failed.value == 0, "a test is no delivery")
    }

    @Test("a test and an unconfirmed alarm that do not arrive are said, and counted where they are alarms")
    func undelivered() async throws {
        let rig = try Rig()
        try await rig.base.coordinator.publishLeftOver()
        rig.receiver.isAway = true
        let answers = Lines()
        try await rig.run {
            rig.inbox.announce([NotificationGroupTests.alert("fast", severity: "critical").message])
            try await eventually("the failure") { rig.failed.value >= 1 }
            #expect(
                rig.inbox.request(
                    NotifierInbox.Test(actor: "n") { text, isDelivered in answers.note("\(isDelivered) \(text)") }))
            try await eventually("the test") { !answers.all.isEmpty }
            #expect(rig.delivered.value == 0 && rig.reports.all.isEmpty)
            // The receiver is back, and nobody announces the alarm again.
            rig.receiver.isAway = false
            try await eventually("the alarm") { rig.delivered.value == 1 }
        }
        #expect(answers.all == ["false not delivered: away"])
        #expect(rig.receiver.sent.map(\.id) == ["web/unconfirmed/12/fast/1"])
        #expect(
            Set(rig.base.log.lines).isSuperset(of: [
                "warning: notification not delivered; it will be tried again", "notice: notifications are delivered again",
            ]))
    }

    /// A receiver that has a notification, and says so only later.
    private final class SlowReceiver: NotificationChannel {
        private let state = Mutex((isAsked: false, isOpen: false))
        var isAsked: Bool { state.withLock { $0.isAsked } }
        func open() { state.withLock { $0.isOpen = true } }

        func send(_ notification: Alerting.Notification) async throws(ChannelError) {
            state.withLock { $0.isAsked = true }
            while !state.withLock({ $0.isOpen }) { await Task.yield() }
        }
    }

    @Test("an alarm that arrives while other settings take its notifier's place is not left for them")
    func arrivedAtReload() async throws {
        let receiver = SlowReceiver()
        let rig = try Rig(channel: receiver)
        try await rig.base.coordinator.publishLeftOver()
        try await withThrowingTaskGroup { tasks in
            tasks.addTask { try await rig.notifier.run() }
            rig.inbox.announce([NotificationGroupTests.alert("fast", severity: "critical").message])
            try await eventually("the delivery") { receiver.isAsked }
            tasks.cancelAll()
            receiver.open()
            try await tasks.waitForAll()
        }
        #expect(rig.inbox.takeUnconfirmed().isEmpty)
    }

    @Test("only who is notified before others, or at the same time, is among the first")
    func first() async throws {
        let base = try CoordinatorRig(Self.rules, notifiers: ["web", "ward"])
        let rig = try Rig(base)
        try await rig.base.coordinator.publishLeftOver()
        let hourAgo = Double(ClockSample.now.wall) / 1e6 - 3600
        try #require(base.feed.inbox(of: "ward")).state.withDeliveries { log in
            for alert in ["13/high", "14/high"] { log.began([alert], at: hourAgo) }
            log.accepted(["13/high"], by: "ward", at: hourAgo)
        }
        #expect(base.feed.told(of: "13/high") == ["ward": hourAgo] && base.feed.told(of: "14/high").isEmpty)
        try await rig.run {
            for (number, person) in ["12", "13", "14"].enumerated() {
                try await rig.base.coordinator.take([rig.base.reading(120, of: person)])
                try await eventually("\(person)") { rig.receiver.sent.count == number + 1 }
            }
        }
        #expect(rig.receiver.sent.map(\.isFirst) == [true, nil, true])
    }

    @Test("an alarm that is over before it could be told is not told unconfirmed any more")
    func over() async throws {
        let rig = try Rig()
        try await rig.base.coordinator.publishLeftOver()
        rig.receiver.isAway = true
        let end = NotificationGroupTests.alert("fast", "cleared", severity: "critical", state: "resolved", sequence: 2).message
        try await rig.run {
            rig.inbox.announce([NotificationGroupTests.alert("fast", severity: "critical").message])
            try await eventually("the failure") { rig.failed.value >= 1 }
            rig.inbox.announce([end, NotificationGroupTests.alert("slow", severity: "critical").message])
            rig.receiver.isAway = false
            try await eventually("the other alarm") { rig.delivered.value == 1 }
        }
        #expect(rig.receiver.sent.map(\.id) == ["web/unconfirmed/12/slow/1"])
    }

    @Test("nobody is told any more of a person who was erased, also after a start")
    func erased() async throws {
        let rig = try Rig { $0.groupBy = ["rule"] }
        try await rig.base.coordinator.publishLeftOver()
        rig.receiver.isAway = true
        try await rig.run {
            for name in ["12", "13"] { try await rig.base.coordinator.take([rig.base.reading(120, of: name)]) }
            try await eventually("a failure") { rig.failed.value > 0 }
            _ = try await rig.base.ask(#"{"command": "erase", "actor": "a"}"#)
            try await eventually("it is forgotten") {
                try !rig.base.store.groups(of: "web").contains { String(decoding: $0.state, as: UTF8.self).contains("12/") }
            }
        }
        let next = try Rig(rig.base) { $0.groupBy = ["rule"] }
        try await next.run {
            try await next.base.coordinator.take([next.base.reading(120, of: "14")])
            try await eventually("the others") { !next.receiver.told.isEmpty }
        }
        #expect(next.receiver.told.allSatisfy { !$0.contains("12") } && next.receiver.told.contains { $0.contains("13") })
    }

    @Test("a thousand alarms that are not stored wait for it, and four tests")
    func bounds() {
        let inbox = NotifierInbox()
        let alarm = NotificationGroupTests.alert("a").message
        inbox.announce(Array(repeating: alarm, count: 999))
        inbox.announce([alarm, alarm])
        #expect(inbox.takeUnconfirmed().count == 1000 && inbox.takeUnconfirmed().isEmpty)
        let test = NotifierInbox.Test(actor: "n") { _, _ in }
        for _ in 0..<4 { #expect(inbox.request(test)) }
        #expect(!inbox.request(test) && inbox.takeTests().count == 4 && inbox.request(test))
    }

    @Test("more transitions than are read at once are all told, in order")
    func many() async throws {
        let rig = try Rig { $0.groupBy = ["participant", "rule"] }
        try await rig.base.coordinator.publishLeftOver()
        let entries = try (1...1001).map { number -> AlertEntry in
            let alert = NotificationGroupTests.alert(number == 1001 ? "last" : "r\(number % 2)", severity: "critical", sequence: number)
            return AlertEntry(kind: .transition, participant: "12", rule: alert.message.rule, content: try alert.message.encoded())
        }
        try rig.base.store.keep(notifier: "web", coveredTo: 0, [])
        _ = try rig.base.store.commit(JournalRecord(), entries, published: 0)
        let pages = try await [0, 500, 501, 1000, 1001].asyncMap { try await rig.base.core.transitions(after: $0) }
        #expect(pages.map(\.alerts.count) == [500, 500, 500, 1, 0])
        #expect(pages.map(\.isAll) == [false, false, false, true, true] && pages.map(\.last) == [500, 1000, 1001, 1001, 1001])
        try await rig.run {
            try await eventually("the last of them") { rig.receiver.sent.contains { $0.group.hasSuffix("last") } }
        }
        #expect(rig.receiver.sent.allSatisfy { $0.alerts.count == 1 } && Set(rig.receiver.sent.map(\.group)).count == 3)
        #expect(try rig.base.store.cursor(of: "web") == 1001)
    }
}

extension Array {
    fileprivate func asyncMap<Result>(_ body: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}
