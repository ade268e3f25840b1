import Foundation

/// What a module's retained status says.
enum ModuleReport {
    private struct Report: Decodable { let state: String }

    /// `online`, `draining` or `offline`; `removed` for an empty one, with which an instance's status is taken away; nil for what is no report.
    static func state(in payload: [UInt8]) -> String? {
        if payload.isEmpty { return "removed" }
        // Another service's message: one that cannot be read says nothing.
        return (try? JSONDecoder().decode(Report.self, from: Data(payload)))?.state
    }
}
