import Foundation
import TestSupport
import Testing

@testable import CSVImport

@Suite("rejects")
struct RejectFileTests {
    @Test("are written with their places, and once corrected give the readings that were missing, under their identities")
    func corrected() async throws {
        let text = #"""
            source,participant-id,timestamp,spo2,heart-rate
            "ox, ""1""",3,100,96,69
            "ox, ""1""",3,100,400,70
            "ox, ""1""",3,never,98,71

            """#
        let folder = try TemporaryFolder("vigil-import")
        let decoded = try Decoded(text)
        let path = folder.path("rejects.csv")
        let bytes = Array(text.utf8)
        try await RejectFile(path: path).add(
            decoded.rejects, of: ImportFile(name: "test.csv") { () throws(ImportError) in MemorySource(bytes) }, survey: decoded.survey)
        var source = try FileSource(path: path)
        let written = String(decoding: try source.readStart(10_000), as: UTF8.self)
        #expect(written.contains(",,3,19,") && written.contains(",,4,15,"))
        let again = try Decoded(written.replacing("400", with: "97").replacing("never", with: "101"), name: "rejects.csv")
        #expect(again.survey.profile.name == "vigil-rejects" && again.rejects.isEmpty)
        let all = try Decoded(text.replacing("400", with: "97").replacing("never", with: "101"))
        #expect(Set(decoded.rows).union(again.rows) == Set(all.rows))
        #expect(Set(decoded.rows).isDisjoint(with: again.rows))
    }

    /// A file with cells to be corrected.
    struct Faulty: Sendable, CustomTestStringConvertible {
        let name: String
        let text: String
        /// The texts that stand there, each with the one that should.
        let corrections: [String: String]
        var profile: String?
        var testDescription: String { name }

        func corrected(_ text: String) -> String { corrections.reduce(text) { $0.replacing($1.key, with: $1.value) } }
    }

    private static let faulty = [
        Faulty(
            name: "export.xml",
            text: """
                <HealthData>
                <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="W" unit="count/min" startDate="2021-03-04 09:12:33 -0500" value="60"/>
                <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="W" unit="count/min" startDate="2021-03-04 09:12:33 -0500" value="9999"/>
                <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="W" unit="count/min" startDate="someday" value="62"/>
                </HealthData>
                """, corrections: ["9999": "61", "someday": "2021-03-04 09:12:35 -0500"]),
        Faulty(name: "S1/EDA.csv", text: "1644226061.0\n4.0\n0.1\nx7\n0.3\n900\n", corrections: ["x7": "0.2", "900": "0.4"]),
        Faulty(name: "S1/IBI.csv", text: "1644226061.0, IBI\n35.5,0.89\n36.5,99\n", corrections: ["99": "0.86"]),
        Faulty(
            name: "day-first.csv",
            text: "date;patient;pulse\n" + (10...29).map { "\($0).12.2023 08:00;p;60\n" }.joined()
                + "03.04.2023 08:00;p;6000\n05.04.2023 08:00;p.;61\n05/04;p;62\n",
            corrections: ["6000": "61", "05/04": "06.04.2023 08:01"]),
        Faulty(
            name: "own.csv", text: "when|HF\n1700000000|60\n1700000000|abc\n", corrections: ["abc": "61"],
            profile:
                "{name: 'clinic', time: {columns: ['when']}, participant: {constant: 'c'}, columns: [{header: 'HF', metric: 'heart-rate'}]}"
        ),
        Faulty(
            name: "to-and-fro.csv", text: "when|HF\n1700000300|aaa\n1700000100|bbb\n1700000200|ccc\n",
            corrections: ["aaa": "61", "bbb": "62", "ccc": "63"],
            profile:
                "{name: 'clinic', time: {columns: ['when']}, participant: {constant: 'c'}, columns: [{header: 'HF', metric: 'heart-rate'}]}"
        ),
        Faulty(
            name: "limits.csv", text: "when|HF\n1700000000|60\n1700000001|abc\n1700000002|cde\n",
            corrections: ["abc": "<31", "cde": "<32"],
            profile:
                "{name: 'clinic', time: {columns: ['when']}, participant: {constant: 'c'}, columns: [{header: 'HF', metric: 'heart-rate'}]}"
        ),
        Faulty(
            name: "blocks.csv",
            text: "when|what|value|samples|period\n1700000000|ecg||1 2|1\n1700000001|ecg||3 x|1\n1700000002|ecg||5 y|2\n",
            corrections: ["3 x": "3 4", "5 y": "5 6"],
            profile:
                "{name: 'clinic', layout: 'long', time: {columns: ['when']}, participant: {constant: 'c'}, long: {metric: ['what'], value: ['value'], samples: ['samples'], period: ['period']}}"
        ),
        Faulty(
            name: "named.csv", text: "when|what|value\n1700000000|body-weight|1200\n1700000001|heart-rate|61\n",
            corrections: ["body-weight|1200": "heart-rate|120"],
            profile:
                "{name: 'clinic', layout: 'long', time: {columns: ['when']}, participant: {constant: 'c'}, long: {metric: ['what'], value: ['value']}}"
        ),
        Faulty(
            name: "twice.csv", text: "when|A|B\n1700000000|60|abc\n1700000001|xyz|63\n", corrections: ["abc": "61", "xyz": "62"],
            profile:
                "{name: 'clinic', time: {columns: ['when']}, participant: {constant: 'c'}, columns: [{header: ['A', 'B'], metric: 'heart-rate'}]}"
        ),
        Faulty(name: "days.csv", text: "Date,Steps\n2024-03-25,8000\n2024-03-26,many\n", corrections: ["many": "9000"]),
        Faulty(
            name: "export.csv",
            text:
                "participant-id,time,metric,value,unit,source\np,100,heart-rate,60,/min,s\np,101,heart-rate,7000,/min,s\np,102,heart-rate,zzz,/min,s\n",
            corrections: ["7000": "61", "zzz": "62"]),
    ]

    @Test("of every layout, and of profiles of one's own, give the missing readings once corrected", arguments: faulty)
    func layouts(_ file: Faulty) async throws {
        var options = ImportOptions()
        options.participant = "p"
        let profile = try file.profile.map { try ProfileFile.parse(Array($0.utf8), file: "own.json5") }
        let decoded = try Decoded(file.text, name: file.name, options: options, profile: profile)
        #expect(decoded.rejects.count == file.corrections.count)
        let folder = try TemporaryFolder("vigil-import")
        let path = folder.path("rejects.csv"), bytes = Array(file.text.utf8)
        try await RejectFile(path: path).add(
            decoded.rejects, of: ImportFile(name: file.name) { () throws(ImportError) in MemorySource(bytes) }, survey: decoded.survey)
        var source = try FileSource(path: path)
        let written = file.corrected(String(decoding: try source.readStart(10_000), as: UTF8.self))
        let again = try Decoded(written, name: "rejects.csv", options: options, profile: profile)
        #expect(again.rejects.map(\.reason) == [])
        let whole = try Decoded(file.corrected(file.text), name: file.name, options: options, profile: profile)
        #expect(Set(decoded.rows + again.rows) == Set(whole.rows))
        #expect(again.rows.count == file.corrections.count)
    }

    /// Writes what a text refuses, and reads it again with these corrections.
    private func again(
        _ text: String, _ corrections: [String: String], as change: (String) throws -> String = { $0 }
    ) async throws -> (first: Decoded, second: Decoded) {
        let options = ImportOptions.ofParticipant(), decoded = try Decoded(text, options: options)
        let folder = try TemporaryFolder("vigil-import")
        let path = folder.path("rejects.csv"), bytes = Array(text.utf8)
        try await RejectFile(path: path).add(
            decoded.rejects, of: ImportFile(name: "test.csv") { () throws(ImportError) in MemorySource(bytes) }, survey: decoded.survey)
        var source = try FileSource(path: path)
        let written = try change(String(decoding: try source.readStart(10_000), as: UTF8.self))
        let corrected = corrections.reduce(written) { $0.replacing($1.key, with: $1.value) }
        return (decoded, try Decoded(corrected, name: "rejects.csv", options: options))
    }

    @Test(
        "of several columns of one metric, or of one header, and of cells that hold two values, give each its own value and number",
        arguments: [
            ("Time,SpO2,Oxygen saturation\n2024-03-25 10:00,x9,97\n", ["x9": "91"]),
            ("Time,SpO2,Oxygen saturation\n2024-03-25 10:00,97,x9\n", ["x9": "91"]),
            ("Time,Heart rate,Heart rate\n2024-03-25 10:00,x9,61\n2024-03-25 10:01,62,x8\n", ["x9": "71", "x8": "72"]),
            ("Time,Heart rate,Heart rate\n2024-03-25 10:00,x9,x8\n", ["x9": "71", "x8": "72"]),
            ("Time,Blood pressure,Pulse\n2024-03-25 10:00,12o/80,60\n2024-03-25 10:01,121/81,61\n", ["12o": "120"]),
            ("Time,Blood pressure,Pulse\n2024-03-25 10:00,1200/80,60\n", ["1200/": "120/"]),
            ("Time,Systolic,Diastolic\n2024-03-25 10:00,1200,80\n", ["1200": "120"]),
        ])
    func sameNames(text: String, corrections: [String: String]) async throws {
        let (first, second) = try await again(text, corrections)
        let whole = try Decoded(corrections.reduce(text) { $0.replacing($1.key, with: $1.value) }, options: .ofParticipant())
        #expect(!first.rejects.isEmpty && second.rejects.isEmpty && whole.rejects.isEmpty, "\(second.rejects)")
        #expect(Set(first.rows + second.rows) == Set(whole.rows))
        #expect(second.rows.count == first.rejects.count && first.rows.count + second.rows.count == whole.rows.count)
    }

    /// As versions wrote it that did not tell a cell's place and metric.
    private static func earlier(_ text: String) throws -> String {
        var reader = CSVReader(MemorySource(Array(text.utf8))), lines: [String] = []
        while try reader.next() == .record {
            let cells = zip(RejectFile.header, reader.texts()).filter { RejectFile.earlierHeaders[0].contains($0.0) }
            lines.append(CSVText.record(cells.map(\.1), delimiter: ",") + "\r\n")
        }
        return lines.joined()
    }

    @Test("of an earlier version are read by the header of their column, and refused where several columns have it")
    func earlierVersion() async throws {
        let one = try await again("Time,SpO2,Oxygen saturation\n2024-03-25 10:00,x9,97\n", ["x9": "91"], as: Self.earlier)
        #expect(one.second.rows.map(\.value) == [91] && one.second.rejects.isEmpty)
        let two = try await again("Time,Heart rate,Heart rate\n2024-03-25 10:00,x9,61\n", ["x9": "71"], as: Self.earlier)
        #expect(
            two.second.rows.isEmpty
                && two.second.rejects.map(\.reason) == [
                    "several columns are called Heart rate, and the row does not say which is meant: import the file itself again"
                ])
        let pressure = try await again(
            "Time,Blood pressure,Pulse\n2024-03-25 10:00,12o/80,60\n", ["12o": "120"], as: Self.earlier)
        #expect(Set(pressure.second.rows.map(\.value)) == [120, 80], "each of the two rows gives both, under one identity")
    }

    @Test("are added to a file of the version before in its own columns")
    func addedToEarlier() async throws {
        let text = "Time,SpO2\n2024-03-25 10:00,x9\n", bytes = Array(text.utf8)
        let decoded = try Decoded(text, options: .ofParticipant())
        let folder = try TemporaryFolder("vigil-import"), path = folder.path("rejects.csv")
        let file = ImportFile(name: "test.csv") { () throws(ImportError) in MemorySource(bytes) }
        try await RejectFile(path: path).add(decoded.rejects, of: file, survey: decoded.survey)
        var source = try FileSource(path: path)
        let before = try Self.earlier(String(decoding: try source.readStart(10_000), as: UTF8.self))
        try before.write(toFile: path, atomically: true, encoding: .utf8)
        try await RejectFile(path: path).add(decoded.rejects, of: file, survey: decoded.survey)
        var both = try FileSource(path: path)
        let after = String(decoding: try both.readStart(10_000), as: UTF8.self)
        let lines = after.split(separator: "\r\n")
        #expect(after.hasPrefix(before) && lines.count == 3)
        let again = try Decoded(after.replacing("x9", with: "91"), name: "rejects.csv", options: .ofParticipant())
        #expect(again.rows.map(\.value) == [91, 91] && again.rejects.isEmpty)
    }

    @Test("keep the zone of the later pass of an hour that the clocks showed twice")
    func secondPass() async throws {
        let text = "Time,Heart rate\n2024-10-27 02:50,60\n2024-10-27 02:10,x9\n", bytes = Array(text.utf8)
        let options = ImportOptions.ofParticipant("Europe/Berlin"), decoded = try Decoded(text, options: options)
        let folder = try TemporaryFolder("vigil-import"), path = folder.path("rejects.csv")
        let file = ImportFile(name: "test.csv") { () throws(ImportError) in MemorySource(bytes) }
        try await RejectFile(path: path).add(decoded.rejects, of: file, survey: decoded.survey)
        var source = try FileSource(path: path)
        let written = String(decoding: try source.readStart(10_000), as: UTF8.self)
        let again = try Decoded(written.replacing("x9", with: "61"), name: "rejects.csv", options: options)
        #expect(again.rows.map(\.time) == [1_729_991_400] && again.rows.map(\.zone) == [60])
    }

    @Test("a cell that is still wrong is refused again, and no other cell of its row beside it")
    func stillWrong() async throws {
        let text = "participant-id,timestamp,spo2,heart-rate\np,100,400,7000\np,101,never,\n"
        let decoded = try Decoded(text)
        #expect(decoded.rejects.map(\.field) == ["spo2", "heart-rate", "spo2"])
        let folder = try TemporaryFolder("vigil-import")
        let path = folder.path("rejects.csv"), bytes = Array(text.utf8)
        try await RejectFile(path: path).add(
            decoded.rejects, of: ImportFile(name: "test.csv") { () throws(ImportError) in MemorySource(bytes) }, survey: decoded.survey)
        var source = try FileSource(path: path)
        let written = String(decoding: try source.readStart(10_000), as: UTF8.self)
        let again = try Decoded(written.replacing("400", with: "401").replacing("7000", with: "70"), name: "rejects.csv")
        #expect(again.rows.map(\.metric) == ["heart-rate"] && again.rows.map(\.value) == [70])
        #expect(again.rejects.map(\.line) == [2, 4] && again.rejects.map(\.column) == [1, 1])
        #expect(again.account.rejected == 2 && again.account.accepted == 1)
    }

    @Test("stop a file at a number or a share")
    func limits() {
        var account = CellCounts()
        account.accepted = 99
        account.rejected = 1
        #expect(RejectLimit("0")?.isExceeded(by: account, isAtEnd: false) == true)
        #expect(RejectLimit("1")?.isExceeded(by: account, isAtEnd: true) == false)
        #expect(RejectLimit("0.5%")?.isExceeded(by: account, isAtEnd: false) == false, "too few cells to tell a share")
        #expect(RejectLimit("0.5%")?.isExceeded(by: account, isAtEnd: true) == true)
        #expect(RejectLimit("1%")?.isExceeded(by: account, isAtEnd: true) == false)
        for text in ["-1", "101%", "x", ""] { #expect(RejectLimit(text) == nil, "\(text)") }
    }
}
