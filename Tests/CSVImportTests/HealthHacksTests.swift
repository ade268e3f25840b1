import Foundation
import TestSupport
import Testing

@testable import CSVImport

@Suite("health-hacks files")
struct HealthHacksTests {
    @Test(
        "accounts for every cell of every recorded file, as Python counts them",
        .enabled(if: RecordedData.has("health-hacks"), Comment(rawValue: RecordedData.hint)))
    func accounts() throws {
        let files = RecordedData.files(in: "health-hacks", extension: "csv")
        #expect(files.count == 59)
        let counted = try PythonCount.count(files)
        for file in files {
            var options = ImportOptions()
            // Its body-mass index fits pounds alone, and its steps miles: it is imported only once somebody says so.
            if file.path.hasSuffix("participant1/1.csv") {
                let error = #expect(throws: ImportError.self) { try Decoded(ImportFile(path: file.path)) }
                #expect(error?.code == .ambiguous)
                options.units = ["weight": "[lb_av]", "distance-walk-run": "[mi_i]"]
            }
            let decoded = try Decoded(ImportFile(path: file.path), options: options)
            let expected = try #require(counted[file.path])
            #expect(decoded.account.rows == expected.rows, "\(file.path)")
            #expect(decoded.account.empty == expected.empty, "\(file.path)")
            #expect(decoded.account.accepted + decoded.account.rejected == expected.filled, "\(file.path)")
            #expect(decoded.account.ignored == 0)
            #expect(decoded.rows.count == decoded.account.accepted)
            #expect(Set(decoded.rows.map(Identity.init)).count == decoded.rows.count, "\(file.path): two rows share an identity")
        }
    }

    struct Identity: Hashable {
        let participant: String, metric: String, source: String, time: Double, sequence: Int32
        init(_ row: Decoded.Row) {
            (participant, metric, source, time, sequence) = (row.participant, row.metric, row.source, row.time, row.sequence)
        }
    }

    @Test("refuses the thermometer's start-up sentinel, with its place and the line as it stands")
    func sentinel() throws {
        let decoded = try Decoded(
            "timestamp,participant-id,session-id,source,temperature\r\n1468010054,12,01,empatica,382.18\r\n1468010055,12,01,empatica,30.5\r\n"
        )
        #expect(decoded.rows.map(\.value) == [30.5])
        #expect(decoded.rows.map(\.metric) == ["skin-temperature"])
        #expect(decoded.rows.map(\.session) == ["01"])
        let reject = try #require(decoded.rejects.first)
        #expect(reject.line == 2 && reject.column == 27 && reject.field == "temperature")
        #expect(reject.offset == 82)
        #expect(reject.original == "1468010054,12,01,empatica,382.18")
    }

    @Test("keeps all rows that share a time, told apart by their order")
    func equalTimes() throws {
        let decoded = try Decoded(
            """
            source,participant-id,timestamp,spo2,heart-rate
            oximeter,3,1468503900.0,96,69
            oximeter,3,1468503900.0,97,
            oximeter,3,1468503900.0,400,71
            oximeter,3,1468503900.0,98,72
            oximeter,3,1468503901.0,98,72

            """)
        #expect(
            decoded.rows.filter { $0.metric == "oxygen-saturation" }.map(\.sequence) == [0, 1, 3, 0], "a refused cell keeps its number")
        #expect(decoded.rows.filter { $0.metric == "heart-rate" }.map(\.sequence) == [0, 1, 2, 0])
        #expect(decoded.rejects.map(\.sequence) == [2])
    }

    @Test("numbers equal times the same when they do not stand together")
    func disorder() throws {
        let decoded = try Decoded(
            """
            source,participant-id,timestamp,heart-rate
            s,1,100,60
            s,1,300,61
            s,1,200,62
            s,1,100,63
            s,1,300,64
            s,1,250,65

            """)
        #expect(decoded.rows.map(\.sequence) == [0, 0, 0, 1, 1, 0])
        #expect(decoded.account.accepted == 6)
    }

    @Test("reads both spellings of the session, and beats in seconds as milliseconds")
    func units() throws {
        let decoded = try Decoded("participant-id,sessionId,timestamp,source,inter-beat-interval\n11,01,1469477627.953672,e,0.796911\n")
        #expect(decoded.rows.count == 1)
        #expect(abs(decoded.rows[0].value - 796.911) < 1e-9)
        #expect(decoded.rows[0].unit == "ms" && decoded.rows[0].metric == "rr-interval" && decoded.rows[0].session == "01")
        #expect(decoded.rows[0].time == 1469477627.953672)
    }

    @Test("reads quoted thousands, empty cells, notes, flags and clock values")
    func cells() throws {
        let decoded = try Decoded(
            """
            source,participant-id,timestamp,calories-burned,weight-kg,is-manual-report,sleep-start-time,notes,odd
            fitbit,2,1319241600.0,"1,630",,True,0:11,"slept, badly",x1

            """)
        let values = Dictionary(uniqueKeysWithValues: decoded.rows.map { ($0.metric, $0) })
        #expect(values["energy"]?.value == 1630)
        #expect(values["is-manual-report"]?.value == 1)
        #expect(values["sleep-start-time"]?.value == 11 && values["sleep-start-time"]?.unit == "min")
        #expect(values["note"]?.text == "slept, badly")
        #expect(values["odd"]?.text == "x1" && values["odd"]?.unit == "1")
        #expect(decoded.account.empty == 1)
    }

    @Test("spreads a wide row over its hour's minutes")
    func wide() throws {
        let header = (0..<60).map { "steps" + ($0 < 10 ? "0" : "") + String($0) }.joined(separator: ",")
        let decoded = try Decoded(
            "source,participant-id,timestamp,\(header)\nf,1,3600,\((0..<60).map(String.init).joined(separator: ","))\n")
        #expect(decoded.rows.count == 60)
        #expect(decoded.rows.allSatisfy { $0.metric == "steps" && $0.time == 3600 + $0.value * 60 && $0.sequence == 0 })
    }

    @Test("finds milliseconds that were added to seconds, and undoes them only when asked")
    func milliseconds() throws {
        let text =
            "timestamp,participant-id,session-id,source,heart-rate\n"
            + (1...50).map { "\(1_469_136_798 + $0 * 1000).0,10,11,empatica,60\n" }.joined()
        let kept = try Decoded(text)
        #expect(kept.survey.warnings.count == 1)
        #expect(kept.rows[1].time - kept.rows[0].time == 1000)
        var options = ImportOptions()
        options.correctsMilliseconds = true
        let corrected = try Decoded(text, options: options)
        #expect(corrected.rows[0].time == 1_469_136_798)
        #expect(corrected.rows[1].time - corrected.rows[0].time == 1)
    }
}
