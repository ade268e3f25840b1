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
        let text = export("<!-- <Record> --><a b='x&gt;\"y'/><![CDATA[ <no> ]]></a >").replacing("</a >", with: "")
        var tags = XMLTagReader(MemorySource(Array(text.utf8), largestRead: size), capacity: 16)
        var seen: [XMLTagReader.Event] = []
        var value: String?
        while case let event = try tags.next(), event != .finished {
            seen.append(event)
            value = tags.attribute("b") ?? value
            if tags.attribute("b") != nil {
                let place = text.utf8.distance(from: text.startIndex, to: text.range(of: "x&gt;")!.lowerBound)
                #expect(tags.offset(ofAttribute: "b") == place && tags.text == "<a b='x&gt;\"y'/>" && tags.line == 9)
            }
        }
        #expect(seen == [.start, .start, .end, .start, .end, .end])
        #expect(value == "x>\"y")
    }

    private static let beat =
        "<Record type=\"HKQuantityTypeIdentifierHeartRate\" sourceName=\"Ann\u{0B}'s\" unit=\"count/min\" startDate=\"2021-03-04 09:12:33 +0000\" value=\"61\"/>"

    /// iOS 16 left a `>` out behind VisionPrescription's attributes, wrote `>` twice elsewhere, and control characters into names.
    @Test("reads exports whose document type breaks XML's rules, and names with control characters")
    func brokenDocumentType() throws {
        let declarations =
            "<!ATTLIST VisionPrescription\n  type CDATA #REQUIRED\n  brand CDATA #IMPLIED\n<!ELEMENT RightEye EMPTY>\n>>\n<!-- ]> -->\n]>"
        let decoded = try Decoded(
            export(HealthTests.beat).replacing("]>\n<HealthData", with: declarations + "\n<HealthData"), name: "export.xml",
            options: options)
        #expect(decoded.rejects == [] && decoded.rows.map(\.value) == [61] && decoded.rows.first?.source == "Ann 's")
    }

    @Test("refuses entities that grow, endless nesting and endless tags, and asks for nothing outside the file")
    func attacks() throws {
        let growing = (1...9).map { "<!ENTITY a\($0) \"\(String(repeating: "&a\($0 - 1);", count: 10))\">" }.joined()
        let laughs = "<!DOCTYPE HealthData [<!ENTITY a0 \"ha\">\(growing)]><HealthData x=\"&a9;\"></HealthData>"
        let outside = "<!DOCTYPE HealthData [<!ENTITY x SYSTEM \"file:///etc/hostname\">]><HealthData><Record type=\"&x;\"/></HealthData>"
        let deep = "<HealthData>" + String(repeating: "<a>", count: 100_000)
        for text in [laughs, outside, deep, "<HealthData a=\"" + String(repeating: "x", count: 17 << 20)] {
            let error = #expect(throws: ImportError.self) { try Decoded(text, name: "export.xml", options: options) }
            #expect(error?.message.contains("not well-formed") == true)
        }
    }

    @Test("tells the line of what is wrong, and has read what stands before it")
    func malformed() throws {
        var tags = XMLTagReader(MemorySource(Array("<a>\n<b x='1'/>\n<c x=1/></a>".utf8)))
        #expect(try [tags.next(), tags.next()] == [.start, .start] && tags.attribute("x") == "1")
        _ = try tags.next()
        let error = #expect(throws: ImportError.self) { try tags.next() }
        #expect(error?.message.contains("line 3") == true)
    }
}
