import Foundation
import Settings
import Testing
import VigilSchema

@testable import Timeline

@Suite("Answers as tables")
struct ResultTableTests {
    private func object(_ json: String) throws -> Any { try JSONSerialization.jsonObject(with: Data(json.utf8)) }

    @Test("prints a page as a line for each value, entry, text and alert, by time, however many there are")
    func page() throws {
        let times = (0..<20).map { 1_700_000_000 + $0 * 60 }
        let numbers = times.map { _ in "61.00000000000001" }.joined(separator: ",")
        let page = try object(
            """
            {"participant": "12", "start_date": 1699990000, "end_date": 1700010000,
             "vitals": [{"metric": "heart-rate", "description": "Heart rate", "units": "/min", "times": \(times), "values": [\(numbers)],
                         "minimums": [\(numbers)], "maximums": [\(numbers)], "counts": \(times.map { _ in 5 })}],
             "levels": {"pain": {"metric": "pain", "description": "Pain", "units": "1", "times": [1700000001], "values": [3],
                                 "minimums": [3], "maximums": [3], "counts": [1]}},
             "texts": [{"metric": "stress-status", "time": 1700000002, "text": "rest", "unit": "1"}],
             "results": [{"id": "r1", "description": "LDL", "date": 1699999999, "measurement": {"value": 112, "unit": "mg/dL"}}],
             "alerts": [{"rule": "tachycardia", "transition": "raised", "time": 1700000003, "metric": "heart-rate", "value": 181}]}
            """)
        let lines = ResultTable(page).csv(raw: false).components(separatedBy: "\r\n")
        #expect(lines.count == 1 + 24 + 1)
        #expect(
            lines.prefix(6) == [
                "time,kind,metric,description,value,min,max,count,unit", "2023-11-14T22:13:19Z,result,,LDL,112,,,,mg/dL",
                "2023-11-14T22:13:20Z,vital,heart-rate,Heart rate,61,61.00000000000001,61.00000000000001,5,/min",
                "2023-11-14T22:13:21Z,level,pain,Pain,3,3,3,1,1", "2023-11-14T22:13:22Z,text,stress-status,rest,,,,,",
                "2023-11-14T22:13:23Z,alert,heart-rate,tachycardia raised,181,,,,",
            ])
    }

    @Test("an answer about a metric of which nothing is stored is known for one, which bars of zeros would leave open")
    func nothing() throws {
        let none = try object(#"[{"key":"Monday","count":0,"sum":0},{"key":"Tuesday","count":0,"sum":0}]"#)
        let some = try object(#"[{"key":"Monday","count":0,"sum":0},{"key":"Tuesday","count":2,"sum":9}]"#)
        let empty = try object("[]"), block = try object(#"[{"start":1,"samples":[1]}]"#)
        #expect(QueryCommand.isNothing(none, of: .histogram) && !QueryCommand.isNothing(some, of: .histogram))
        #expect(QueryCommand.isNothing(empty, of: .series) && QueryCommand.isNothing(empty, of: .waveform))
        #expect(!QueryCommand.isNothing(block, of: .waveform))
        // No gap is good news.
        #expect(!QueryCommand.isNothing(empty, of: .gaps))
    }

    @Test("a moment on the command line is written in decimal digits, as is a number that a spreadsheet may have as it is")
    func decimals() throws {
        for text in ["0x10", "0x1p3", "nan", "inf", "-0x1d", "-nand", "-infd"] { #expect(TimeText.format.read(text) == nil, "\(text)") }
        #expect(TimeText.format.read("1700000000.5") != nil && TimeText.format.read("-1.5d") != nil)
        #expect(ResultTable(try object(#"[{"text": "-0x1p3"}, {"text": "-1.5e2"}]"#)).csv(raw: false) == "text\r\n'-0x1p3\r\n-1.5e2\r\n")
    }

    @Test("prints a page without anything as nothing found, and codes in words")
    func small() throws {
        #expect(ResultTable(try object(#"{"participant": "12", "vitals": [], "levels": {}, "texts": []}"#)).table == "nothing found")
        let entry = try object(#"[{"id": "a", "codes": {"RxNorm": ["7", "8"], "CVX": ["51"]}}]"#)
        #expect(ResultTable(entry).csv(raw: false) == "codes,id\r\n\"CVX 51, RxNorm 7, RxNorm 8\",a\r\n")
    }

    @Test("writes out what a terminal would obey, and cuts what is as long as a book, in no time")
    func terminal() throws {
        let device = "\u{1B}]0;owned\u{7}\u{9B}2J\u{202E}"
        let rows: [[String: Any]] = [["source": device, "text": String(repeating: "x ", count: 500_000)], ["source": "a", "text": "b"]]
        let clock = ContinuousClock()
        var table = ""
        let spent = clock.measure { table = ResultTable(rows).table }
        #expect(table.contains("\\u{1B}]0;owned\\u{7}\\u{9B}2J\\u{202E}"))
        #expect(!table.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || (0x7F...0x9F).contains($0.value) || $0.value == 0x202E })
        #expect(table.utf8.count < 1000 && spent < .seconds(5))
    }

    @Test("a spreadsheet finds no formula in CSV, but the numbers, and a program everything as it is")
    func formulas() {
        let row: [String: Any] = ["text": "=HYPERLINK(\"http://x\")", "value": -3.5, "source": "@home", "session": "+a", "name": "-1"]
        #expect(
            ResultTable([row]).csv(raw: false).hasSuffix(
                "-1,-3.5,\"'=HYPERLINK(\"\"http://x\"\")\",'@home,'+a\r\n"))
        #expect(ResultTable([row]).csv(raw: true).hasSuffix("-1,-3.5,\"=HYPERLINK(\"\"http://x\"\")\",@home,+a\r\n"))
    }
}
