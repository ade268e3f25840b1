import Foundation

/// What a module's retained status says.
enum ModuleReport {
    private struct Report: Decodable { let state: String }

    /// `online`, `draining` or `offline`; nil for what is no report, also an empty one.
    static func state(in payload: [UInt8]) -> String? {
        // Another service's message: one that cannot be read says nothing.
        (try? JSONDecoder().decode(Report.self, from: Data(payload)))?.state
    }
}
