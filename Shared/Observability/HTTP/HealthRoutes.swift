/// The routes that every service serves over HTTP, for orchestrators and Prometheus.
package enum HealthRoutes {
    /// `/healthz` (the process answers and gets on with its work; else 503 and the part that does not), `/readyz` (it can do its work; else 503 and what is missing; and lines for what is wrong all the same), `/metrics`.
    package static func routes(metrics: MetricsRegistry, readiness: Readiness, liveness: Liveness = Liveness()) -> [HTTPRoute] {
        [
            HTTPRoute("GET", "/healthz") { _ in
                let stalled = liveness.stalled
                let verdict = stalled.isEmpty ? "ok" : "stuck: \(stalled.joined(separator: ", "))"
                return .text(([verdict] + liveness.report).joined(separator: "\n") + "\n", status: stalled.isEmpty ? 200 : 503)
            },
            HTTPRoute("GET", "/readyz") { _ in
                // What was taken up and has no effect is as good as not being there.
                let missing = readiness.missing + liveness.late
                let verdict = missing.isEmpty ? "ready" : "not ready: \(missing.joined(separator: ", "))"
                return .text(([verdict] + readiness.remarked).joined(separator: "\n") + "\n", status: missing.isEmpty ? 200 : 503)
            },
            HTTPRoute("GET", "/metrics") { _ in .text(metrics.render(), type: "text/plain; version=0.0.4; charset=utf-8") },
        ]
    }
}
