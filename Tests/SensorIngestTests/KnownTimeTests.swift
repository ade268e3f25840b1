import Testing
import VigilSchema

@testable import SensorIngest

@Suite("The time beside known names")
struct KnownTimeTests {
    private static let reading = "a b heart-rate 61.0 /min"

    private func lines(_ members: String, _ more: String = "") throws -> [String] {
        try MappingSample.lines("knownNames: true, ignore: [\"*\"]\(more)", "{\(members)}")
    }

    /// The refusal of a message whose key tells of a time that nobody reads.
    private static func unread(_ key: String, _ path: String = "$.hr") -> String {
        "no the key \"\(key)\" tells of a time that is not read, so it is not known when this was measured: name it timestamp, or take the time "
            + "from it in a mapping; name an identifier or a counter as one at \(path)"
    }

    @Test(
        "is read under the names that usually mean one, whatever their case and punctuation",
        arguments: [
            "timestamp", "Time", "measurement_time", "sampleTime", "TS", "Measured At", "recorded-at", "epoch", "unix_time", "created_at",
            "lastUpdated", "date", "effectiveDateTime", "published_at", "start", "END", "startTime", "finish", "window-start",
        ])
    func names(key: String) throws {
        #expect(try lines("\"hr\":61,\"\(key)\":1769857200") == ["\(Self.reading) 1769857200.0"])
        #expect(try lines("\"\(key)\":\"2026-01-31T11:00:00Z\",\"hr\":61") == ["\(Self.reading) 1769857200.0"])
        #expect(try lines("\"\(key)\":null,\"hr\":61") == ["\(Self.reading) on arrival"])
    }

    @Test("is that of the name that says more of the measurement, and of two names that say the same the first")
    func ranks() throws {
        for members in [
            #""updated":1769857260,"measured_at":1769857200"#, #""measured_at":1769857200,"updated":1769857260"#,
            #""timestamp":1769857200,"Timestamp":1769857260"#, #""start":1769857200,"start_time":1769857260"#,
            #""end":1769857200,"end_time":1769857260"#, #""timestamp":1769857200,"start":1769857000,"end":1769857100"#,
        ] {
            #expect(try lines("\"hr\":61,\(members)") == ["\(Self.reading) 1769857200.0"], "\(members)")
        }
    }

    @Test("says nothing where it is empty, true, or no time at all", arguments: ["null", "\"\"", "\"  \"", "[]", "{}", "true", "false"])
    func empty(value: String) throws {
        #expect(try lines("\"hr\":61,\"timestamp\":\(value)") == ["\(Self.reading) on arrival"])
        #expect(try lines("\"hr\":61,\"timestamp\":\(value),\"date\":1769857200") == ["\(Self.reading) 1769857200.0"])
    }

    @Test("counts from 1990 on; an end that is no time is passed over, a time that is none or earlier refuses the reading")
    func earliest() throws {
        #expect(try lines(#""hr":61,"start":631152000"#) == ["\(Self.reading) 631152000.0"])
        #expect(try lines(#""hr":61,"timestamp":631152000"#) == ["\(Self.reading) 631152000.0"])
        #expect(try lines(#""hr":61,"start":631151999"#) == ["\(Self.reading) on arrival"])
        #expect(try lines(#""hr":61,"end":"soon""#) == ["\(Self.reading) on arrival"])
        let before = "the time lies before 1990: it counts from a device's start, or from a clock that was never set"
        #expect(try lines(#""hr":61,"timestamp":631151999"#) == ["no \(before) at $.hr"])
        #expect(try lines(#""hr":61,"timestamp":"soon""#) == ["no the time cannot be read at $.hr"])
    }

    @Test(
        "is looked for in the envelope of the message where nothing beside the reading tells one", arguments: ["meta", "Header", "source"])
    func envelope(key: String) throws {
        #expect(try lines("\"hr\":61,\"\(key)\":{\"timestamp\":1769857200}") == ["\(Self.reading) 1769857200.0"])
        #expect(try lines("\"hr\":61,\"\(key)\":{\"measured_at\":1769857260},\"updated\":1769857200") == ["\(Self.reading) 1769857200.0"])
        #expect(try lines("\"hr\":61,\"\(key)\":{\"timestamp\":1769857260},\"start\":1769857200") == ["\(Self.reading) 1769857200.0"])
        #expect(try lines("\"hr\":61,\"\(key)\":{\"timestamp\":1769857260},\"end\":1769857200") == ["\(Self.reading) 1769857200.0"])
        #expect(try lines("\"hr\":61,\"other\":{\"timestamp\":1769857200}") == [Self.unread("timestamp")])
        #expect(try lines("\"hr\":61,\"\(key)\":\"1769857200\"") == [Self.unread(key)])
    }

    @Test("is no time under a key of more than 64 bytes")
    func long() throws {
        func key(_ count: Int) -> String { "time" + String(repeating: "_", count: count - 4) }
        #expect(try lines("\"hr\":61,\"\(key(64))\":1769857200") == ["\(Self.reading) 1769857200.0"])
        #expect(try lines("\"hr\":61,\"\(key(65))\":1769857200") == [Self.unread(key(64))])
        #expect(try lines("\"hr\":61,\"\(key(65))\":12") == ["\(Self.reading) on arrival"])
    }

    @Test(
        "that no name tells of, but a value, refuses the readings beside it and names the key",
        arguments: [
            (#""ordered":"2026-01-31""#, "ordered"), (#""ordered":"31.01.2026 11:00""#, "ordered"),
            (#""ordered":"1/31/2026, 11:00""#, "ordered"),
            (#""ordered":"Jan 1, 2026""#, "ordered"), (#""ordered":"31 January 2026 11:00""#, "ordered"),
            (#""ordered":"Sat, 31 Jan 2026 11:00:00 GMT""#, "ordered"), (#""beat_time":631152000"#, "beat_time"),
            (#""beatTimestamp":1769857200"#, "beatTimestamp"), (#""beat_date":1769857200"#, "beat_date"),
            (#""beat_ts":4102444799"#, "beat_ts"),
            (#""beat_epoch":"1769857200""#, "beat_epoch"), (#""ordered":"2026-01-31","shipped":"2026-02-01""#, "ordered"),
            (#""effectivePeriod":{"start":"2026-01-31"}"#, "effectivePeriod"),
        ])
    func unread(members: String, key: String) throws {
        #expect(try lines("\"hr\":61,\(members)") == [Self.unread(key)])
        // A time that is read says enough.
        #expect(try lines("\"hr\":61,\(members),\"timestamp\":1769857200") == ["\(Self.reading) 1769857200.0"])
    }

    @Test(
        "is none where a number or a text is no date, or one that tells of something else",
        arguments: [
            #""beat_time":631151999"#, #""beat_time":4102444800"#, #""beat_time":12"#, #""beat":631151999"#, #""who":"somebody""#,
            #""who":"room 12 of 345""#, #""birth_date":"1980-01-31""#, #""firmware_date":"2026-01-31""#, #""version_time":1769857200"#,
            #""next_due":"2026-01-31""#, #""ordered":"202-01-31""#, #""serial":"2026-01-31x""#, #""ordered":"1.1.202""#,
        ])
    func noDate(member: String) throws {
        #expect(try lines("\"hr\":61,\(member)") == ["\(Self.reading) on arrival"])
    }

    @Test("with both ends is the interval of what was counted, and of anything else where no moment is told")
    func intervals() throws {
        let ends = #""start":1769857200,"end":1769857260"#, steps = "a b steps 5.0 {steps}"
        #expect(try lines("\"steps\":5,\(ends)") == ["\(steps) 1769857200.0 for 60 s"])
        #expect(try lines("\"hr\":61,\(ends)") == ["\(Self.reading) 1769857200.0 for 60 s"])
        #expect(
            try lines("\"steps\":5,\"hr\":61,\(ends),\"timestamp\":1769857230") == [
                "\(steps) 1769857200.0 for 60 s", "\(Self.reading) 1769857230.0",
            ])
        #expect(try lines(#""steps":5,"start":1769857200,"end":1769857200"#) == ["\(steps) 1769857200.0"])
        #expect(try lines(#""steps":5,"start":1769857200,"end":1769857199"#) == ["no the interval ends before it starts at $.steps"])
        for end in [#""start":1769857200"#, #""end":1769857200"#] {
            #expect(
                try lines("\"steps\":5,\(end)") == [
                    "no what is counted needs the start and the end of its interval, and one of them is missing at $.steps"
                ])
        }
    }

    @Test("with both ends is the interval of what was counted also where the mapping declares a time, but no period or end of its own")
    func declared() throws {
        let message = #""t":1769857230,"steps":5,"hr":61,"start":1769857200,"end":1769857260"#, pulse = "\(Self.reading) 1769857230.0"
        #expect(try lines(message, ", time: \"t\"") == ["a b steps 5.0 {steps} 1769857200.0 for 60 s", pulse])
        let half = message.replacing(#","end":1769857260"#, with: "")
        let midnight = MappingSample.midnight(1_769_857_230)
        #expect(try lines(half, ", time: \"t\"") == ["a b steps 5.0 {steps} \(midnight) for 86400 s", pulse])
        #expect(
            try lines(message, ", time: \"t\", period: 20") == ["a b steps 5.0 {steps} 1769857230.0 for 20 s", "\(pulse) for 20 s"])
        #expect(
            try lines(message, ", time: \"t\", until: \"end\"") == ["a b steps 5.0 {steps} 1769857230.0 for 30 s", "\(pulse) for 30 s"])
    }

    @Test("is the declared one of the object at hand before any around it, and the period is that of the record")
    func within() throws {
        #expect(
            try lines(#""timestamp":1769857200,"list":[{"t":1769857260,"hr":61}]"#, ", time: \"t\"") == ["\(Self.reading) 1769857260.0"])
        #expect(
            try lines(#""p":60,"list":[{"timestamp":1769857200,"hr":61}]"#, ", period: \"p\"") == ["\(Self.reading) 1769857200.0 for 60 s"])
        #expect(
            try lines(#""timestamp":1769857200,"list":[{"hr":61},{"timestamp":1769857260,"hr":61}]"#)
                == ["\(Self.reading) 1769857200.0", "\(Self.reading) 1769857260.0"])
    }
}
