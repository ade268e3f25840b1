import MessageBus
import Testing
import VigilSchema

@testable import SensorIngest

@Suite("Reckoning about devices")
struct DeviceArithmeticTests {
    private static let start = Timestamp(seconds: 1_700_000_000)
    private static let address = DeviceAddress(participant: "12", device: "A")

    private func at(_ seconds: Double) -> Timestamp { Self.start.advanced(bySeconds: seconds) }

    @Test("an allowance begins full, gives one at a time, and fills at its rate and no further")
    func bucket() {
        var bucket = TokenBucket()
        func take(_ time: Double) -> Bool { bucket.take(rate: 2, burst: 2, at: at(time)) }
        // Four at once, a half a second for each further one.
        #expect((0..<4).allSatisfy { _ in take(0) })
        #expect(!take(0) && !take(0.25))
        #expect(take(0.5) && !take(0.75))
        #expect(take(1))
        // However long it was quiet, it holds four.
        #expect((0..<4).allSatisfy { _ in take(1000) } && !take(1000))
        // A clock that is set back fills nothing and takes nothing away.
        #expect(!take(500) && !take(500.25) && take(500.5))
    }

    @Test("an allowance of less than one holds one all the same")
    func smallBucket() {
        var bucket = TokenBucket()
        #expect([0, 9, 10].map { bucket.take(rate: 0.1, burst: 1, at: at($0)) } == [true, false, true])
    }

    @Test("a rate lets ten seconds' worth pass at once; excess is told after a minute of it, and after each further one")
    func rate() {
        var guardian = RateGuard()
        func take(_ time: Double) -> (Bool, Bool) {
            let result = guardian.take(rate: 1, at: at(time))
            return (result.isAllowed, result.isSustained)
        }
        for _ in 0..<10 { #expect(take(0) == (true, false)) }
        #expect(take(0) == (false, false) && take(0.5) == (false, false) && take(1) == (true, false))
        // Four a second from then on: the first excess is at 0 s, so that it is told at 60 s, and again at 120 s.
        var other = RateGuard()
        for _ in 0..<10 { _ = other.take(rate: 1, at: at(0)) }
        var told: [Double] = []
        for tick in 0...600 {
            // A bit late, so that no message comes just when another may pass.
            let time = Double(tick) / 4
            if other.take(rate: 1, at: at(time)).isSustained { told.append(time) }
        }
        #expect(told == [60.25, 120.25] || told == [60, 120], "\(told)")
    }

    @Test("an excess is over once there was none for more than five seconds, and begins anew after that")
    func calm() {
        func told(gap: Double) -> Bool {
            var guardian = RateGuard()
            for _ in 0..<10 { _ = guardian.take(rate: 1, at: at(0)) }
            // Excess at 0, then once in each second for a minute but for one gap, always at a moment at which nothing has filled up.
            var isTold = false
            var time = 0.0
            while time <= 62 {
                let before = guardian.take(rate: 0.0001, at: at(time))
                if before.isSustained { isTold = true }
                time += time == 30 ? gap : 1
            }
            return isTold
        }
        #expect(told(gap: 5))
        #expect(!told(gap: 6))
    }

    @Test("a clock is judged by the smallest delay of ten messages over half a minute, and off by more than a minute")
    func clock() {
        func verdict(count: Int, over span: Double, offset: Double, then delay: Double = 0) -> (Bool, Int64?) {
            var estimator = ClockSkewEstimator()
            var changed = false
            for index in 0..<count {
                let received = at(span * Double(index) / Double(count - 1))
                let late = index == 3 ? 0 : 5.0
                changed = estimator.observe(newest: received.advanced(bySeconds: -offset - late), received: received) || changed
            }
            return (changed, estimator.offset)
        }
        #expect(verdict(count: 10, over: 30, offset: 3600) == (true, 3_600_000_000))
        #expect(verdict(count: 9, over: 30, offset: 3600) == (false, nil))
        #expect(verdict(count: 10, over: 29.9, offset: 3600) == (false, nil))
        #expect(verdict(count: 10, over: 30, offset: -3600) == (true, -3_600_000_000))
        #expect(verdict(count: 10, over: 30, offset: 60) == (false, nil))
        #expect(verdict(count: 10, over: 30, offset: 60.000001) == (true, 60_000_001))
        #expect(verdict(count: 10, over: 30, offset: -60) == (false, nil))
        #expect(verdict(count: 10, over: 30, offset: -60.000001) == (true, -60_000_001))
    }

    @Test("a verdict on a clock stays until it has moved by more than a minute, or is right again")
    func verdicts() {
        var estimator = ClockSkewEstimator(offset: 3_600_000_000)
        var second = 0.0
        func judge(_ offset: Double) -> (Bool, Int64?) {
            var changed = false
            for _ in 0..<20 {
                changed = estimator.observe(newest: at(second - offset), received: at(second)) || changed
                second += 3
            }
            return (changed, estimator.offset)
        }
        #expect(judge(3660) == (false, 3_600_000_000))
        #expect(judge(3540) == (false, 3_600_000_000))
        #expect(judge(3661) == (true, 3_661_000_000))
        #expect(judge(0) == (true, nil))
        #expect(judge(0) == (false, nil))
    }

    @Test("the tenth repetition of the same readings is held back, and every further one, until something else comes")
    func flood() {
        var filter = DuplicateFilter()
        func take(_ text: String, _ time: Double?) -> (Bool, Int) {
            let (payload, time) = (Array(text.utf8), time.map { at($0) })
            let isFlood = filter.isFlood(payload, first: time, at: at(0))
            if !isFlood { filter.note(payload, first: time, at: at(0)) }
            return (isFlood, filter.count)
        }
        #expect(take("a", 0) == (false, 0))
        for count in 1...9 { #expect(take("a", 0) == (false, count)) }
        #expect(take("a", 0) == (true, 10))
        #expect(take("a", 0) == (true, 11))
        #expect(take("a", 1) == (false, 0))
        for count in 1...9 { #expect(take("a", 1) == (false, count)) }
        #expect(take("a", 1) == (true, 10))
        #expect(take("b", 1) == (false, 0))
        // Without a time of its own a reading is new each time.
        for _ in 0..<20 { #expect(!take("b", nil).0) }
        #expect(take("b", 1) == (false, 0))
        func isFlood(_ length: Int) -> Bool {
            var filter = DuplicateFilter()
            let payload = [UInt8](repeating: 1, count: length)
            for _ in 0..<10 { filter.note(payload, first: at(0), at: at(0)) }
            return filter.isFlood(payload, first: at(0), at: at(0))
        }
        #expect(isFlood(4096) && !isFlood(4097))
    }

    @Test("one a minute passes all the same, and what was not taken whole is none of those that the store knows")
    func floodPasses() {
        var filter = DuplicateFilter()
        for _ in 0..<10 { filter.note([1], first: at(0), at: at(5)) }
        for (second, isHeld) in [(5.0, true), (64.9, true), (65, false), (4.9, false)] {
            var copy = filter
            #expect(copy.isFlood([1], first: at(0), at: at(second)) == isHeld, "\(second)")
        }
        filter.note([1], first: at(0), at: at(65))
        for (second, isHeld) in [(66.0, true), (125, false)] {
            var copy = filter
            #expect(copy.isFlood([1], first: at(0), at: at(second)) == isHeld, "\(second)")
        }
        for _ in 0..<20 { filter.note([2], first: nil, at: at(70)) }
        #expect(!filter.isFlood([2], first: at(0), at: at(70)) && !filter.isFlood([1], first: at(0), at: at(70)))
    }

    @Test("a message is known again by its number and by FNV-1a of topic and payload, a zero between them")
    func key() {
        func key(_ topic: String, _ payload: String, packet: UInt16 = 7) -> ArrivalStamps.Key? {
            ArrivalStamps.Key(IncomingMessage(topic: topic, payload: Array(payload.utf8), packetID: packet))
        }
        // FNV-1a of the bytes "a", 0, "b", worked out by hand from the offset basis and the prime.
        var hash: UInt64 = 14_695_981_039_346_656_037
        for byte in [UInt64(97), 0, 98] { hash = (hash ^ byte).multipliedReportingOverflow(by: 1_099_511_628_211).partialValue }
        #expect(key("a", "b") == ArrivalStamps.Key(packet: 7, digest: hash))
        #expect(key("a", "b", packet: 0) == nil)
        #expect(key("ab", "") != key("a", "b") && key("", "ab") != key("a", "b"))
    }

    @Test(
        "a stamp is the time of receipt, a microsecond later than the last one where that is not earlier, unless the clock was set back by a minute"
    )
    func stamps() {
        func stamp(after last: Double?, at received: Double) -> Int64 {
            var cache = DeviceCache(deviceRules: DeviceRules())
            cache.begin(at: at(0))
            let place = cache.place(of: Self.address, at: at(0))
            if let last { cache[place].stamps.note(at(last), received: at(last)) }
            return cache.stamp(of: place, received: at(received)).microseconds - Self.start.microseconds
        }
        #expect(stamp(after: nil, at: 0) == 0)
        #expect(stamp(after: 0, at: 1) == 1_000_000)
        #expect(stamp(after: 0, at: 0) == 1)
        #expect(stamp(after: 10, at: 5) == 10_000_001)
        #expect(stamp(after: 60, at: 0) == 0)
        #expect(stamp(after: 59.999999, at: 0) == 60_000_000)
    }

    @Test("what is known of devices that sent once is emptied at its capacity, and no stamp is given twice for that")
    func capacity() {
        var cache = DeviceCache(deviceRules: DeviceRules(), capacity: 2)
        cache.begin(at: at(0))
        let first = cache.place(of: Self.address, at: at(0))
        cache[first].stamps.note(at(5), received: at(0))
        cache.begin(at: at(1))
        #expect(cache.stamp(of: first, received: at(1)) == at(5.000001))
        _ = cache.place(of: DeviceAddress(participant: "12", device: "B"), at: at(1))
        cache.begin(at: at(2))
        let again = cache.place(of: Self.address, at: at(2))
        #expect(cache[again].stamps == StampLine())
        #expect(cache.stamp(of: again, received: at(2)) == at(5.000001))
        // The clock was set back by more than a minute: what was forgotten is no floor any more, and the next that is forgotten is.
        let before = cache.stamp(of: again, received: at(-100))
        cache[again].stamps.note(before, received: at(-100))
        _ = cache.place(of: DeviceAddress(participant: "12", device: "B"), at: at(-100))
        cache.begin(at: at(-100))
        let anew = cache.place(of: Self.address, at: at(-100))
        #expect(before == at(-100) && cache.stamp(of: anew, received: at(-100)) == at(-99.999999))
    }

    @Test("a delivery that is given back leaves devices as they were, but for the stamps that were given")
    func rollBack() throws {
        let rules = DeviceRules()
        var cache = DeviceCache(deviceRules: rules)
        cache.begin(at: at(0))
        let place = try cache.place(of: "vigil/v1/ingest/12/A", at: at(0))
        cache[place].omittedRejects = 3
        cache[place].stamps.note(at(1), received: at(0))
        cache.rollBack()
        #expect(cache[place].omittedRejects == 0 && cache[place].change == nil)
        #expect(cache.stamp(of: place, received: at(1)) == at(1.000001))
        cache.begin(at: at(0))
        #expect(rules.takeChanges().devices.isEmpty)
        _ = try cache.place(of: "vigil/v1/ingest/12/A", at: at(2))
        _ = cache.place(of: Self.address, at: at(3))
        cache.commit()
        let changes = rules.takeChanges().devices
        #expect(changes.map(\.messages) == [2] && changes.map(\.firstSeen) == [at(2)] && changes.map(\.lastSeen) == [at(3)])
        cache.begin(at: at(0))
        #expect(cache[place].change == nil && rules.takeChanges().devices.isEmpty)
    }

    @Test("rejects are sixty at once and one a second, those left out being told with the next")
    func rejects() {
        var cache = DeviceCache(deviceRules: DeviceRules())
        cache.begin(at: at(0))
        let place = cache.place(of: Self.address, at: at(0))
        func allows(_ place: Int?, _ time: Double) -> (Bool, Int) {
            let result = cache.allowsReject(of: place, at: at(time))
            return (result.isAllowed, result.omitted)
        }
        for target in [place, nil] {
            for _ in 0..<60 { #expect(allows(target, 0) == (true, 0)) }
            #expect(allows(target, 0) == (false, 0) && allows(target, 0.5) == (false, 0))
            #expect(allows(target, 1) == (true, target == nil ? 0 : 2))
            #expect(allows(target, 2) == (true, 0))
        }
    }

    @Test("changes of a device add up")
    func merge() {
        var change = DeviceChange(address: Self.address, at: at(0))
        (change.messages, change.accepted, change.refused) = (1, 2, 3)
        change.lastRefused = .init(code: "a", reason: "r", time: at(0))
        change.clock = .some(5)
        var later = DeviceChange(address: Self.address, at: at(9))
        (later.messages, later.accepted, later.refused) = (10, 20, 30)
        let rules = DeviceRules()
        rules.record([change, later])
        let merged = rules.takeChanges().devices.first
        #expect(merged?.firstSeen == at(0) && merged?.lastSeen == at(9) && merged?.clock == .some(5) && merged?.lastRefused?.code == "a")
        #expect(merged.map { [$0.messages, $0.accepted, $0.refused] } == [11, 22, 33])
        later.clock = .some(nil)
        later.lastRefused = .init(code: "b", reason: "r", time: at(9))
        rules.record([change, later])
        #expect(rules.takeChanges().devices.first?.clock == .some(nil))
        rules.record([change, later])
        #expect(rules.takeChanges().devices.first?.lastRefused?.code == "b")
    }

    @Test("what could not be written down is written with what came meanwhile, but for a participant who was erased")
    func notWritten() {
        let rules = DeviceRules()
        func change(_ participant: String, messages: Int) -> DeviceChange {
            var change = DeviceChange(address: DeviceAddress(participant: participant, device: "A"), at: at(0))
            change.messages = messages
            return change
        }
        #expect(rules.bind("A", to: "12") && rules.bind("B", to: "13"))
        rules.record([change("12", messages: 1), change("13", messages: 1)])
        let first = rules.takeChanges()
        #expect(first.bindings == ["A": "12", "B": "13"])
        rules.record([change("12", messages: 2)])
        rules.erase(participant: "13")
        rules.notWritten(first)
        let again = rules.takeChanges()
        #expect(again.bindings == ["A": "12"] && again.devices.map(\.address.participant) == ["12"] && again.devices.map(\.messages) == [3])
        rules.written(again)
        rules.notWritten(again)
        #expect(rules.takeChanges().isEmpty)
        // Of very many only whose they are.
        rules.record((0..<5_001).map { DeviceChange(address: DeviceAddress(participant: "p", device: "d\($0)"), at: at(0)) })
        #expect(rules.bind("C", to: "12"))
        rules.notWritten(rules.takeChanges())
        #expect(rules.takeChanges().devices.isEmpty)
    }

    @Test("of two who write at once, as where somebody asks for the list while the disk is full, neither forgets what the other had")
    func writtenAtOnce() {
        let rules = DeviceRules()
        #expect(rules.bind("A", to: "12"))
        let first = rules.takeChanges()
        #expect(rules.bind("B", to: "13"))
        let second = rules.takeChanges()
        rules.written(second)
        rules.notWritten(first)
        let third = rules.takeChanges()
        #expect(third.bindings == ["A": "12"])
        #expect(rules.bind("C", to: "14"))
        let fourth = rules.takeChanges()
        rules.notWritten(fourth)
        rules.notWritten(third)
        #expect(rules.takeChanges().bindings == ["A": "12", "C": "14"])
    }

    @Test("names that are new in every delivery push out none that sends again and again")
    func manyNames() {
        var cache = DeviceCache(deviceRules: DeviceRules(), capacity: 10)
        for delivery in 0..<20 {
            cache.begin(at: at(Double(delivery)))
            let place = cache.place(of: Self.address, at: at(Double(delivery)))
            cache[place].omittedRejects += 1
            for name in 0..<7 {
                _ = cache.place(of: DeviceAddress(participant: "x\(delivery)", device: "\(name)"), at: at(Double(delivery)))
            }
        }
        cache.begin(at: at(20))
        let place = cache.place(of: Self.address, at: at(20))
        #expect(cache[place].omittedRejects == 20 && cache[place].address == Self.address)
        let other = cache.place(of: DeviceAddress(participant: "x19", device: "6"), at: at(20))
        #expect(cache[other].address.participant == "x19" && other != place)
    }

    @Test("a device that was forgotten is judged by its newest verdict, not by that of the start")
    func forgottenVerdicts() {
        var set = DeviceRuleSet()
        set.offsets = [Self.address: 90_000_000]
        var cache = DeviceCache(deviceRules: DeviceRules(rules: set), capacity: 1)
        cache.begin(at: at(0))
        let place = cache.place(of: Self.address, at: at(0))
        #expect(cache[place].clock.offset == 90_000_000)
        cache[place].change?.clock = .some(nil)
        cache.begin(at: at(1))
        let again = cache.place(of: Self.address, at: at(1))
        #expect(cache[again].clock.offset == nil)
        cache[again].change?.clock = .some(70_000_000)
        cache.begin(at: at(2))
        let third = cache.place(of: Self.address, at: at(2))
        #expect(cache[third].clock.offset == 70_000_000)
    }

    @Test("changes are to be written down from five thousand devices on")
    func full() {
        let rules = DeviceRules()
        rules.record((0..<4999).map { DeviceChange(address: DeviceAddress(participant: "p", device: "d\($0)"), at: at(0)) })
        #expect(!rules.isFull)
        rules.record([DeviceChange(address: Self.address, at: at(0))])
        #expect(rules.isFull)
        #expect(rules.takeChanges().devices.count == 5000 && !rules.isFull)
    }

    @Test("rules are newer after each change, and what is erased is gone from all of them")
    func rules() {
        let rules = DeviceRules()
        #expect(rules.rules(newerThan: 0)?.version == 1 && rules.rules(newerThan: 1) == nil)
        rules.change { $0.offsets = [Self.address: 5, DeviceAddress(participant: "13", device: "B"): 6] }
        #expect(rules.rules(newerThan: 1)?.version == 2 && rules.rules(newerThan: 2) == nil)
        rules.change { $0.quarantined = [Self.address, DeviceAddress(participant: "13", device: "B")] }
        #expect(rules.bind("A", to: "12") && rules.bind("B", to: "13"))
        rules.record([
            DeviceChange(address: Self.address, at: at(0)), DeviceChange(address: DeviceAddress(participant: "13", device: "B"), at: at(0)),
        ])
        rules.erase(participant: "12")
        #expect(rules.rules(newerThan: 3)?.version == 4)
        #expect(rules.rules.bindings == ["B": "13"] && rules.rules.offsets.keys.map(\.participant) == ["13"])
        #expect(rules.rules.quarantined.map(\.participant) == ["13"])
        let changes = rules.takeChanges()
        #expect(changes.devices.map(\.address.participant) == ["13"] && changes.bindings == ["B": "13"])
        #expect(rules.takeChanges().bindings.isEmpty)
    }

    @Test(
        "notices say in words what is wrong",
        arguments: [
            (DeviceNotice.clock(address, seconds: 90, isCorrected: false), "the device's times are 90 s behind"),
            (.clock(address, seconds: -90, isCorrected: true), "the device's times are 90 s ahead; they are corrected"),
            (.clock(address, seconds: nil, isCorrected: true), "the device's clock is right again"),
        ])
    func notices(notice: DeviceNotice, text: String) {
        #expect(notice.description == text && notice.address == Self.address)
    }
}
