import Foundation
import Testing

@testable import CSVImport

@Suite("Apple Health's export")
struct HealthTests {
    private var options: ImportOptions {
        var options = ImportOptions()
        options.participant = "ann"
        return options
    }

    private func export(_ body: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE HealthData [
        <!-- HealthKit Export Version: 12 -->
        <!ELEMENT HealthData (ExportDate,Me,(Record|Correlation)*)>
        <!ATTLIST Record type CDATA #REQUIRED value CDATA "a>b">
        ]>
        <HealthData locale="en_US">
         <Me HKCharacteristicTypeIdentifierDateOfBirth="1980-01-01"/>
        \(body)
        </HealthData>
        """
    }

    private static let watch =
        "&lt;&lt;HKDevice: 0x2829c0f50&gt;, name:Apple Watch, manufacturer:Apple Inc., model:Watch, hardware:Watch6,1, software:8.1&gt;"

    @Test("maps types and units, keeps the wearer's offset, and leaves memory addresses out of the source")
    func records() throws {
        let decoded = try Decoded(
            export(
                """
                 <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Ann&#x2019;s Watch" device="\(HealthTests.watch)" unit="count/min" startDate="2021-03-04 09:12:33 -0500" endDate="2021-03-04 09:12:33 -0500" value="61.5">
                  <MetadataEntry key="HKMetadataKeyHeartRateMotionContext" value="1"/>
                 </Record>
                 <Record type="HKQuantityTypeIdentifierOxygenSaturation" sourceName="W" unit="%" startDate="2021-03-04 09:12:33 -0500" endDate="2021-03-04 09:12:33 -0500" value="0.97"/>
                 <Record type="HKQuantityTypeIdentifierBodyMass" sourceName="Scale" unit="lb" startDate="2021-03-04 09:12:33 +0100" endDate="2021-03-04 09:12:33 +0100" value="150"/>
                 <Record type="HKQuantityTypeIdentifierVO2Max" sourceName="W" unit="mL/min·kg" startDate="2021-03-04 09:12:33 +0100" endDate="2021-03-04 09:12:33 +0100" value="40"/>
                 <Record type="HKCategoryTypeIdentifierSleepAnalysis" sourceName="W" startDate="2021-03-04 01:00:00 +0100" endDate="2021-03-04 02:30:00 +0100" value="HKCategoryValueSleepAnalysisAsleepREM"/>
                """), name: "export.xml", options: options)
        #expect(decoded.rejects == [])
        #expect(decoded.rows.map(\.metric) == ["heart-rate", "oxygen-saturation", "body-weight", "vo2-max", "sleep-analysis-asleep-rem"])
        #expect(decoded.rows[0].time == 1_614_867_153 && decoded.rows[0].zone == -300)
        #expect(decoded.rows[0].source == "Ann’s Watch/Watch6,1")
        #expect(decoded.rows[1].value == 97)
        #expect(abs(decoded.rows[2].value - 68.0388555) < 1e-6)
        #expect(decoded.rows[4].value == 90 && decoded.rows[4].unit == "min")
    }

    @Test("says that an export is cut off, rather than take a part for the whole")
    func cutOff() {
        let text = export("<Record type=\"x\" value=\"1\" startDate=\"2021-03-04 09:12:33 -0500\"/>").replacing("</HealthData>", with: "")
        #expect(throws: ImportError.self) { try Decoded(text, name: "export.xml", options: options) }
    }

    @Test("counts a correlation's records once, and refuses what cannot be, with its place")
    func correlations() throws {
        let record =
            "<Record type=\"HKQuantityTypeIdentifierBloodPressureSystolic\" sourceName=\"C\" unit=\"mmHg\" startDate=\"2021-03-04 09:12:33 +0000\" value=\"120\"/>"
        let text = export("\(record)\n<Correlation type=\"x\">\(record)</Correlation>\n\(record.replacing("120", with: "900"))")
        let decoded = try Decoded(text, name: "export.xml", options: options)
        #expect(decoded.rows.map(\.value) == [120])
        let reject = try #require(decoded.rejects.first)
        #expect(reject.line == 11 && reject.cells == 1)
        #expect(reject.offset == text.utf8.distance(from: text.startIndex, to: text.range(of: "900")!.lowerBound))
    }

    @Test("needs to be told whose it is")
    func participant() {
        #expect(throws: ImportError.self) { try Decoded(export(""), name: "export.xml") }
    }

    @Test("reads tags wherever a read cuts them", arguments: [1, 2, 5, 64])
    func cuts(size: Int) throws {
        let text = export("<!-- <Record> --><a b='x&gt;\"y'/><![CDATA[ <no> ]]></a >")
        var tags = XMLTagReader(MemorySource(Array(text.utf8), largestRead: size), capacity: 16)
        var seen: [XMLTagReader.Event] = []
        var value: String?
        while let event = try? tags.next(), event != .finished {
            seen.append(event)
            value = tags.attribute("b") ?? value
        }
        #expect(seen == [.start, .empty, .empty, .end, .end])
        #expect(value == "x>\"y")
    }
}
