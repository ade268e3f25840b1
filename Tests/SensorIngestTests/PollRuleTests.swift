import Observability
import Testing
import VigilSchema

@testable import SensorIngest
@testable import Settings

@Suite("Rules of polling")
struct PollRuleTests {
    private func fresh() -> PollStatus { PollStatus("x", MetricsRegistry(), Logger(service: "test", level: .error, sink: { _ in })) }

    @Test("a status counts failures in a row, says when it tries again, and is well after an answer")
    func status() {
        let status = fresh()
        #expect(status.text == "not asked yet" && status.failures == 0)
        status.failed("no route", next: .milliseconds(1_500))
        #expect(status.text == "failing, 1 times in a row: no route; next try in 1500 ms" && status.failures == 1)
        status.failed("no route", next: .seconds(3))
        #expect(status.text == "failing, 2 times in a row: no route; next try in 3000 ms" && status.failures == 2)
        #expect(status.succeeded())
        #expect(status.text == "ok" && status.failures == 0)
        #expect(!status.succeeded())
        #expect(!status.turnedOff())
        #expect(status.text == "off" && status.failures == 0)
        #expect(status.succeeded())
        status.failed("no route", next: .zero)
        #expect(status.turnedOff())
        #expect(!status.turnedOff())
    }

    @Test("a status shows whether its server answers, one where there is none too, and counts what was asked and what failed")
    func metrics() {
        let metrics = MetricsRegistry()
        let status = PollStatus("x", metrics, Logger(service: "test", level: .error, sink: { _ in }))
        func shown() -> [String] {
            metrics.render().split(separator: "\n").filter { $0.hasPrefix("vigil_ingest_") }.compactMap { $0.split(separator: " ").last }
                .map(String.init)
        }
        // By their names: failures, requests, whether it answers.
        #expect(metrics.render().contains(#"vigil_ingest_source_up{source="x"} 1"#) && shown() == ["0", "0", "1"])
        status.failed("no route", next: .zero)
        #expect(shown() == ["1", "1", "0"])
        #expect(status.succeeded() && shown() == ["1", "2", "1"])
        status.failed("no route", next: .zero)
        #expect(status.turnedOff() && shown() == ["2", "3", "1"])
    }

    @Test(
        "a server's names are pairs of a name and a metric",
        arguments: [
            ("", [:]), ("Flux=airflow", ["Flux": "airflow"]),
            ("Flux=airflow,GSR 2=skin-conductance", ["Flux": "airflow", "GSR 2": "skin-conductance"]), ("Flux", nil), ("=airflow", nil),
            ("Flux=", nil), ("Flux=a=b", nil), ("Flux=air flow", nil), ("a=b,Flux", nil),
        ] as [(String, [String: String]?)])
    func names(text: String, expected: [String: String]?) {
        #expect(ValueFormat<[String: String]>.nameMap.read(text) == expected)
    }

    @Test("a server's names are written in their order, and read again")
    func written() {
        let map = ["b": "ecg", "a": "airflow"]
        #expect(ValueFormat<[String: String]>.nameMap.write(map) == "a=airflow,b=ecg")
    }

    @Test(
        "a server's address can be fetched, or is none",
        arguments: [("", true), ("http://a/b", true), ("https://a:8443/", true), ("ftp://a", false), ("a", false)])
    func addresses(text: String, isFine: Bool) {
        #expect(ValueFormat<String>.webAddress.read(text) == (isFine ? text : nil))
    }
}
