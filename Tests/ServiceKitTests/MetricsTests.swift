import Testing

@testable import Observability
@testable import ServiceKit

@Suite("Metrics")
struct MetricsTests {
    @Test("writes Prometheus's text format")
    func render() {
        let registry = MetricsRegistry()
        registry.counter("a_total", help: "Things\nseen.", labels: ["kind": "say \"hi\"\\\n"]).add(3)
        registry.counter("a_total", help: "", labels: ["kind": "b"]).add()
        registry.gauge("b", help: "A level.").set(-0.5)
        let histogram = registry.histogram("c_seconds", help: "Times.", buckets: [0.1, 1])
        for value in [0.05, 0.1, 0.5, 3] { histogram.observe(value) }
        #expect(
            registry.render() == """
                # HELP a_total Things\\nseen.
                # TYPE a_total counter
                a_total{kind="b"} 1
                a_total{kind="say \\"hi\\"\\\\\\n"} 3
                # HELP b A level.
                # TYPE b gauge
                b -0.5
                # HELP c_seconds Times.
                # TYPE c_seconds histogram
                c_seconds_bucket{le="0.1"} 2
                c_seconds_bucket{le="1"} 3
                c_seconds_bucket{le="+Inf"} 4
                c_seconds_sum 3.65
                c_seconds_count 4

                """)
    }

    @Test("gives the same metric for the same name and labels")
    func identity() {
        let registry = MetricsRegistry()
        registry.counter("a_total", help: "", labels: ["x": "1", "y": "2"]).add()
        #expect(registry.counter("a_total", help: "", labels: ["y": "2", "x": "1"]).value == 1)
        #expect(registry.counter("a_total", help: "", labels: ["x": "2"]).value == 0)
    }

    @Test("reads a metric that lives elsewhere at each scrape")
    func reading() {
        let registry = MetricsRegistry()
        let level = LiveValue(1.0)
        registry.gauge("depth", help: "Depth.") { level.current }
        #expect(registry.render().contains("\ndepth 1\n"))
        level.set(2)
        #expect(registry.render().contains("\ndepth 2\n"))
    }

    @Test("loses no addition among many tasks")
    func concurrency() async {
        let registry = MetricsRegistry()
        let gauge = registry.gauge("g", help: "")
        let counter = registry.counter("c_total", help: "")
        await withTaskGroup(of: Void.self) { tasks in
            for _ in 0..<8 {
                tasks.addTask {
                    for _ in 0..<1000 {
                        gauge.add(1)
                        counter.add()
                    }
                }
            }
        }
        #expect(gauge.value == 8000 && counter.value == 8000)
    }
}
