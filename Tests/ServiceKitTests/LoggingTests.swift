import Foundation
import Synchronization
import Testing

@testable import Observability

@Suite("Log lines")
struct LoggingTests {
    private let entry = LogEntry(
        time: Date(timeIntervalSince1970: 1_484_840_182.5), level: .info, service: "vigil-timeline", message: "batch stored",
        metadata: ["count": "20", "path": "a b", "time": "x\n\"y\""])

    @Test("is one line of text, with values quoted that could forge another")
    func text() {
        #expect(
            LogFormat.text.line(entry)
                == "2017-01-19T15:36:22.500Z info vigil-timeline batch stored count=20 path=\"a b\" time=\"x\\n\\\"y\\\"\"")
    }

    @Test("is one JSON object, in which metadata takes no fixed member's place")
    func json() throws {
        let line = LogFormat.json.line(entry)
        #expect(!line.contains("\n"))
        let object = try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: String])
        #expect(
            object == [
                "time": "2017-01-19T15:36:22.500Z", "level": "info", "service": "vigil-timeline", "message": "batch stored",
                "count": "20", "path": "a b", "time_": "x\n\"y\"",
            ])
    }

    @Test("is written from its level up, with the logger's own metadata")
    func levels() {
        let lines = Mutex<[LogEntry]>([])
        let logger = Logger(service: "s", level: .warning) { entry in lines.withLock { $0.append(entry) } }.with(["a": "1"])
        logger.info("not written")
        logger.warning("written", ["b": "2"])
        let written = lines.withLock { $0 }
        #expect(written.map(\.message) == ["written"])
        #expect(written.first?.metadata == ["a": "1", "b": "2"])
    }
}
