import Foundation
import Testing

@testable import CSVImport

@Suite("characters of other encodings")
struct EncodingTests {
    private func options(_ encoding: TextEncoding? = nil) -> ImportOptions {
        var options = ImportOptions()
        options.participant = "p"
        options.zone = "UTC"
        options.encoding = encoding
        return options
    }

    private func decoded(_ bytes: [UInt8], _ encoding: TextEncoding? = nil) throws -> Decoded {
        try Decoded(ImportFile(name: "x.csv") { () throws(ImportError) in MemorySource(bytes, largestRead: 7) }, options: options(encoding))
    }

    @Test("Windows-1252 is read where UTF-8 does not fit, with its dashes and quotes, and it is said")
    func windows() throws {
        let text = "Zeitpunkt;K\u{F6}rpergewicht (kg);Notiz\n25.03.2024 10:00;70,5;\u{84}gut\u{93} \u{96} 5 \u{80}\n"
        let found = try decoded(text.unicodeScalars.map { UInt8($0.value) })
        #expect(found.survey.dialect.encoding == .windows1252)
        #expect(found.survey.warnings.contains { $0.contains("windows-1252") && $0.contains("--encoding") })
        #expect(found.values("body-weight") == [70.5])
        #expect(found.rows.contains { $0.text == "„gut“ – 5 €" })
    }

    /// The header is that of a Japanese blood-pressure diary; the bytes are Shift-JIS, written here by their numbers.
    @Test("Shift-JIS is told from its kana and kanji, and the headers are understood")
    func japanese() throws {
        let text = "測定日時,最高血圧(mmHg),最低血圧(mmHg),脈拍(bpm),メモ\n2024年3月25日 7:30,128,82,64,ひるねのあと\n2024年3月26日 7:31,126,80,63,\n"
        let bytes = Array(try #require(text.data(using: .shiftJIS)))
        let found = try decoded(bytes)
        #expect(found.survey.dialect.encoding == .shiftJIS && found.survey.profile.name == "omron")
        #expect(found.values("systolic-pressure") == [128, 126] && found.values("diastolic-pressure") == [82, 80])
        #expect(found.values("heart-rate") == [64, 63] && found.rows[0].time == 1_711_351_800)
        #expect(found.rows.contains { $0.text == "ひるねのあと" })
    }

    @Test("a word with an umlaut is no Shift-JIS")
    func umlaut() {
        let bytes = Array("Ger\u{E4}t,Gr\u{F6}\u{DF}e,K\u{F6}rper".unicodeScalars.map { UInt8($0.value) })
        #expect(TextEncoding.detect(bytes).encoding == .windows1252)
    }

    @Test(
        "each encoding gives the text that was written, wherever reads cut it, and tells the length of what it read",
        arguments: TextEncoding.allCases)
    func conversion(encoding: TextEncoding) throws {
        let samples: [TextEncoding: (String, [UInt8])] = [
            .windows1251: ("Пульс", [0xCF, 0xF3, 0xEB, 0xFC, 0xF1]), .koi8: ("Пульс", [0xF0, 0xD5, 0xCC, 0xD8, 0xD3]),
            .shiftJIS: ("脈拍", [0x96, 0xAC, 0x94, 0x8F]), .eucJP: ("脈", [0xCC, 0xAE]), .eucKR: ("맥박", [0xB8, 0xC6, 0xB9, 0xDA]),
            .gb18030: ("心率", [0xD0, 0xC4, 0xC2, 0xCA]), .big5: ("心率", [0xA4, 0xDF, 0xB2, 0x76]), .windows1253: ("ά", [0xDC]),
            .windows1250: ("ř", [0xF8]), .latin2: ("ř", [0xF8]), .windows1254: ("ğ", [0xF0]), .latin9: ("€", [0xA4]),
            .macintosh: ("ö", [0x9A]), .latin1: ("ö", [0xF6]), .windows1252: ("œ", [0x9C]),
            .utf16LittleEndian: ("a😀", [0x61, 0, 0x3D, 0xD8, 0, 0xDE]),
            .utf16BigEndian: ("a😀", [0, 0x61, 0xD8, 0x3D, 0xDE, 0]), .utf8: ("ö", [0xC3, 0xB6]),
        ]
        let (text, bytes) = try #require(samples[encoding])
        for size in [1, 2, 3, 64] {
            var source = TranscodingSource(MemorySource(bytes, largestRead: size), from: encoding)
            #expect(String(decoding: try source.readStart(100), as: UTF8.self) == text)
        }
        #expect(encoding.length(of: Array(text.utf8)[...]) == bytes.count)
    }

    @Test("what is no character of the encoding becomes U+FFFD and costs nothing else")
    func replacement() throws {
        var source = TranscodingSource(MemorySource([0x61, 0x81, 0x62, 0x9D, 0x63]), from: .windows1252)
        #expect(String(decoding: try source.readStart(100), as: UTF8.self) == "a\u{FFFD}b\u{FFFD}c")
        var cut = TranscodingSource(MemorySource([0x96, 0xAC, 0x94]), from: .shiftJIS)
        #expect(String(decoding: try cut.readStart(100), as: UTF8.self) == "脈\u{FFFD}")
    }

    @Test("a header in another script keeps its name in Latin letters; one without letters keeps its place")
    func unknownHeader() throws {
        let found = try decoded(Array("time,пульс покоя особый\n2024-03-25 10:00,61\n".utf8))
        #expect(found.rows.map(\.metric) == ["puls-pokoa-osobyj"] && found.rows.map(\.value) == [61])
        let other = try decoded(Array("time,★\n2024-03-25 10:00,61\n".utf8))
        #expect(other.rows.map(\.metric) == ["column-2"])
    }
}
