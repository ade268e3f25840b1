import Testing
import VigilSchema

@testable import SensorIngest

@Suite("InfluxDB's lines")
struct InfluxLinesTests {
    private func read(_ text: String) throws -> [MappingValue] {
        guard case .array(let records) = try InfluxLines.read(Array(text.utf8)) else { return [] }
        return records
    }

    private func words(_ value: MappingValue?) -> String {
        switch value {
        case .object(let members)?: "{" + members.map { "\($0.key.text):\(words($0.value))" }.joined(separator: " ") + "}"
        case .string(let text)?: "'\(text)'"
        case .boolean(let isTrue)?: "\(isTrue)"
        default: value?.text ?? "-"
        }
    }

    @Test(
        "are records of measurement, tags, fields and a time where it has one",
        arguments: [
            ("m f=1", "{measurement:'m' tags:{} fields:{f:1}}"), ("m,a=b f=1.5 7", "{measurement:'m' tags:{a:'b'} fields:{f:1.5} time:7}"),
            (
                "m,a=b,c= f=1i,g=2u,h=t,i=F,j=True,k=false 1769857200000000000",
                "{measurement:'m' tags:{a:'b' c:''} fields:{f:1 g:2 h:true i:false j:true k:false} time:1769857200000000000}"
            ),
            ("  m f=-1.5e1  9 ", "{measurement:'m' tags:{} fields:{f:-15} time:9}"),
            ("m f=\"a b,c=d\"", "{measurement:'m' tags:{} fields:{f:'a b,c=d'}}"),
            (#"m f="a\"b\\c\d""#, #"{measurement:'m' tags:{} fields:{f:'a"b\c\d'}}"#),
            (#"a\ b\,c,t\=x=y\ z f\ 1=1"#, "{measurement:'a b,c' tags:{t=x:'y z'} fields:{f 1:1}}"),
            (#"m\n f=1"#, #"{measurement:'m\n' tags:{} fields:{f:1}}"#), ("m f=\"\"", "{measurement:'m' tags:{} fields:{f:''}}"),
            (#"m\\ f=1"#, #"{measurement:'m\' tags:{} fields:{f:1}}"#), ("m f=1 -5", "{measurement:'m' tags:{} fields:{f:1} time:-5}"),
        ])
    func records(text: String, expected: String) throws {
        #expect(try read(text).map(words) == [expected].map { $0.replacing("time:1769857200000000000", with: "time:1.7698572e+18") })
    }

    @Test("pass over comments and empty lines, with either end of a line")
    func lines() throws {
        #expect(
            try read("# c\r\n\n  \nm f=1\r\n   # d\nn f=2").map(words) == [
                "{measurement:'m' tags:{} fields:{f:1}}", "{measurement:'n' tags:{} fields:{f:2}}",
            ])
    }

    @Test(
        "are refused at their first byte where they are no such line",
        arguments: [
            ("m", 0), ("m f", 0), ("m f=", 0), ("m =1", 0), (" ,a=b f=1", 0), ("m,a f=1", 0), ("m,a=b", 0), ("m f=x", 0), ("m f=1 soon", 0),
            ("m f=\"a", 0),
            ("m f=1\nm f", 6), ("m f=1\r\n# c\nm g", 11), ("m f=1,", 0), ("m f=1 1.5", 0), ("m,=b f=1,=2", 0), ("m f=i", 0),
        ])
    func refused(text: String, offset: Int) {
        let error = #expect(throws: PayloadError.self) { try read(text) }
        #expect(error == PayloadError(.malformed, "a line is measurement,tag=text field=1.5 nanoseconds; this one is not", offset: offset))
    }

    @Test("are refused where none is there, or bytes are no text")
    func nothing() throws {
        #expect(#expect(throws: PayloadError.self) { try read("\n# c\n") } == PayloadError(.malformed, "no line holds a record", offset: 0))
        let error = #expect(throws: PayloadError.self) { try InfluxLines.read([0x6D, 0x20, 0xFF]) }
        #expect(error == PayloadError(.malformed, "the bytes are not UTF-8", offset: 2))
    }

    @Test("are ten thousand at most")
    func bounded() throws {
        #expect(try read(String(repeating: "m f=1\n", count: 10_000)).count == 10_000)
        let error = #expect(throws: PayloadError.self) { try read(String(repeating: "m f=1\n", count: 10_001)) }
        #expect(error == PayloadError(.tooLarge, "more than 10000 lines in one message"))
    }
}
