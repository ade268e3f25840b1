import Testing

@testable import CSVImport

@Suite("Times and zones that are found out")
struct FoundTimesTests {
    @Test(
        "numbers that count from a start, years alone and seconds since 2001 are no times, and are refused with a next step",
        arguments: [
            "Time,Heart Rate\n0,70\n1,71\n2,72\n", "Time,Heart Rate\n0.0,70\n0.5,71\n1.0,72\n", "date,weight\n2021,80\n2022,81\n",
            "timestamp,heart rate\n726000000.5,70\n726000001.5,71\n", "time,heart rate\n60000,70\n120000,71\n",
        ])
    func noTimes(text: String) throws {
        let error = #expect(throws: ImportError.self) { try Decoded(text, options: .ofParticipant("UTC", ["weight": "kg"])) }
        #expect(error?.code == .format && error?.message.contains("profile") == true, "\(error?.message ?? "it was read")")
    }

    @Test("one odd number among Unix times is refused with its row")
    func odd() throws {
        let rows = (0..<20).map { "\(1_700_000_000 + $0),70\n" }.joined()
        let decoded = try Decoded("timestamp,heart rate\n" + rows + "17,70\n", options: .ofParticipant())
        #expect(decoded.rows.count == 20 && decoded.rejects.count == 1)
    }

    @Test("a profile may say that small numbers are Unix times")
    func said() throws {
        var profile = BuiltIn.generic
        profile.time.formats = [.unix(unit: 1_000_000)]
        #expect(try Decoded("timestamp,heart rate\n100,70\n", options: .ofParticipant(), profile: profile).rows.map(\.time) == [100])
    }

    @Test(
        "a column of offsets or zones tells the wearer's clock, row by row",
        arguments: [
            ("GMT Offset", "-8", 1_704_132_000), ("GMT Offset", "5.5", 1_704_083_400), ("UTC Offset (min)", "-480", 1_704_132_000),
            ("UTC Offset (h)", "-8", 1_704_132_000), ("tz", "America/New_York", 1_704_121_200), ("timezone", "Asia/Tokyo", 1_704_070_800),
            ("Time Zone", "+02:00", 1_704_096_000), ("utc offset", "-0500", 1_704_121_200), ("timezone", "", 1_704_103_200),
        ])
    func zones(header: String, cell: String, time: Double) throws {
        let decoded = try Decoded("Date,Time,\(header),Heart Rate\n2024-01-01,10:00:00,\(cell),70\n", options: .ofParticipant(nil))
        #expect(decoded.rows.map(\.time) == [time] && decoded.values("heart-rate") == [70], "\(decoded.rejects.map(\.reason))")
        let long = try Decoded(
            "timestamp,\(header),metric,value\n2024-01-01 10:00:00,\(cell),heart rate,70\n", options: .ofParticipant(nil))
        #expect(long.rows.map(\.time) == [time], "\(long.rejects.map(\.reason))")
    }

    @Test("a zone that is none refuses its row, and times without one are said to be taken as UTC whatever other headers say")
    func remarks() throws {
        let odd = try Decoded("timestamp,timezone,hr\n2024-01-01 10:00:00,Mars/Olympus,70\n", options: .ofParticipant(nil))
        #expect(odd.rows.isEmpty && odd.rejects.map(\.reason) == ["the time zone is not known"])
        let other = try Decoded("timestamp,hr,GMT note\n2024-01-01 10:00:00,70,x\n", options: .ofParticipant(nil))
        #expect(other.survey.warnings.contains { $0.contains("taken as UTC") })
        let own = try Decoded("timestamp (UTC),hr\n2024-01-01 10:00:00,70\n", options: .ofParticipant(nil))
        #expect(!own.survey.warnings.contains { $0.contains("taken as UTC") })
    }
}
