import Testing
import VigilSchema

@Suite("Durations")
struct DurationTextTests {
    @Test(
        "durations are read in every unit, up to ten years",
        arguments: [
            ("1ms", 1000), ("1s", 1_000_000), ("1m", 60_000_000), ("1h", 3_600_000_000), ("1d", 86_400_000_000), ("1w", 604_800_000_000),
            ("250ms", 250_000), ("0s", 0), ("1h30m", 5_400_000_000), ("1h 30m", 5_400_000_000), ("1.5h", 5_400_000_000),
            ("1m1m", 120_000_000), ("0.0005ms", 1), ("0.0004ms", 0), ("3653d", 315_619_200_000_000),
        ] as [(String, Int64)])
    func reading(text: String, microseconds: Int64) {
        #expect(DurationText.microseconds(text) == microseconds)
    }

    @Test(
        "refuses what is no duration",
        arguments: ["", " ", "5", "m", "5 parsecs", "-5m", "99999d", "3653d1ms", ".5", "1.2.3s", "1µs", "s1", "x1h"])
    func refused(text: String) {
        #expect(DurationText.microseconds(text) == nil)
    }

    @Test(
        "durations are written in as few parts as there are",
        arguments: [
            (0, "0s"), (1000, "1ms"), (999_000, "999ms"), (1_000_000, "1s"), (59_999_000, "59s999ms"), (60_000_000, "1m"),
            (5_400_000_000, "1h30m"), (86_399_000_000, "23h59m59s"), (86_400_000_000, "1d"), (1_209_601_001_000, "14d1s1ms"), (999, "0s"),
        ] as [(Int64, String)])
    func writing(microseconds: Int64, text: String) {
        #expect(DurationText.text(microseconds: microseconds) == text)
    }
}
