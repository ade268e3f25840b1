import ServiceKit
import Testing
import VigilSchema

@testable import HealthModules

@Suite("Heart: rhythm")
struct HeartRhythmTests {
    /// Minutes that end now, each with 70 beats, of which some are early or strange, and with seconds of suspected fibrillation.
    private func person(
        _ minutes: Int, until end: Double = PersonFixture.noon, ventricular: @escaping (Int) -> Double = { _ in 0 },
        supraventricular: @escaping (Int) -> Double = { _ in 0 }, fibrillation: @escaping (Int) -> Double = { _ in 0 }
    ) -> PersonFixture {
        var person = PersonFixture()
        let times = (0..<minutes).map { end - Double(minutes - $0) * 60 }
        let add = { (metric: String, values: (Int) -> Double) in
            person.add(metric, times.enumerated().map { ($0.element, values($0.offset)) })
        }
        add("beats-judged") { _ in 70 }
        add("ventricular-beats", ventricular)
        add("supraventricular-beats", supraventricular)
        add("fibrillation-suspected", fibrillation)
        for (place, time) in times.enumerated() {
            person.add("rhythm", text: fibrillation(place) >= 30 ? "suspected-atrial-fibrillation" : "regular", at: time)
        }
        return person
    }

    private let module = HeartModule()

    @Test("says nothing of a rhythm from less than half an hour, and nothing of the present from what is long past")
    func little() throws {
        let short = try person(29).evaluate(module)
        #expect(short.number("ectopy") == nil && short.number("fibrillation-minutes") == nil && short.text("rhythm") == "regular")
        #expect(short.message == nil)
        let old = try person(600, until: PersonFixture.noon - 7200).evaluate(module)
        #expect(old.text("rhythm") == nil && old.number("ectopy") == 0 && old.number("fibrillation-minutes") == 0)
        var bad = person(60)
        bad.add("rhythm", text: "unknown", at: PersonFixture.noon - 10)
        #expect(try bad.evaluate(module).text("rhythm") == nil)
        let none = try PersonFixture().evaluate(module)
        #expect(none.text("rhythm") == nil && none.number("rhythm-hours") == nil)
    }

    @Test("counts strange and early beats as shares and by the hour")
    func shares() throws {
        let found = try person(120, ventricular: { $0 % 10 == 0 ? 7 : 0 }, supraventricular: { $0 % 2 == 0 ? 7 : 0 }).evaluate(module)
        #expect(found.number("ventricular-burden") == 1 && found.number("supraventricular-burden") == 5 && found.number("ectopy") == 6)
        #expect(found.number("ventricular-per-hour") == 42 && found.number("rhythm-hours") == 2)
        #expect(found.message == nil)
    }

    @Test("asks to have many strange beats looked at, only from half a day, and without alarm")
    func many() throws {
        #expect(try person(700, ventricular: { _ in 8 }).evaluate(module).message == nil)
        let message = try person(721, ventricular: { _ in 8 }).evaluate(module).message
        #expect(message?.code == "many-strange-beats" && message?.kind == .info && message?.text.de.contains("10 %") == true)
        #expect(try person(721, ventricular: { _ in 6 }).evaluate(module).message == nil)
    }

    @Test("counts suspected fibrillation in episodes of six minutes, tells what it may be in truth, and wakes nobody for it")
    func fibrillation() throws {
        let scattered = try person(600, fibrillation: { $0 % 6 == 0 ? 0 : 60 }).evaluate(module)
        #expect(scattered.number("fibrillation-minutes") == 0 && scattered.message == nil)
        let episode = try person(600, fibrillation: { (100..<220).contains($0) ? 45 : 20 }).evaluate(module)
        #expect(episode.number("fibrillation-minutes") == 120 && episode.number("fibrillation-judged") == 600)
        let (low, high) = (
            try #require(episode.number("fibrillation-minutes-low")), try #require(episode.number("fibrillation-minutes-high"))
        )
        #expect(low > 0 && low < 120 && high > 120 && high < 600)
        #expect(episode.message?.code == "irregular-rhythm" && episode.message?.kind == .reminder)
        #expect(episode.message?.text.en.contains("ECG") == true && episode.message?.text.ru.contains("120") == true)
        // A gap ends an episode: of what lies in it nothing is known.
        var gap = person(600, fibrillation: { (100..<110).contains($0) ? 60 : 0 })
        gap.numbers["beats-judged"]?.remove(at: 105)
        #expect(try gap.evaluate(module).number("fibrillation-minutes") == 0)
    }

    @Test("stays silent of variability while the rhythm is irregular")
    func variability() throws {
        var person = person(600, fibrillation: { _ in 60 })
        for day in 0..<60 {
            person.add("heart-rate-variability-rmssd", [(PersonFixture.noon - Double(day) * 86_400 - 30_000, 40 + Double(day % 5))])
        }
        #expect(try person.evaluate(module).text("variability-state") == nil)
        person.numbers["fibrillation-suspected"] = person.numbers["fibrillation-suspected"]?.map {
            NumberReading(time: $0.time, value: 0, day: $0.day, second: $0.second)
        }
        #expect(try person.evaluate(module).text("variability-state") == "usual")
    }

    @Test("keeps the shares of days that are over for the timeline")
    func days() throws {
        let found = try person(2 * 1440, ventricular: { _ in 7 }).evaluate(module)
        let shares = found.observations.filter { $0.metric == "ventricular-burden" }
        #expect(shares.map(\.value) == [10, 10])
    }

    @Test("leaves out a minute of which not everything came")
    func incomplete() throws {
        var person = person(60, ventricular: { _ in 70 })
        person.numbers["fibrillation-suspected"]?.removeAll()
        #expect(try person.evaluate(module).number("ectopy") == nil)
    }
}
