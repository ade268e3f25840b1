import ServiceKit

/// What `vigil check` found.
struct CheckReport: Sendable, CustomStringConvertible {
    /// One thing that was looked at.
    struct Finding: Sendable, Equatable {
        let what: String
        let isWell: Bool
        /// What is so, or what is wrong and the next step.
        let words: String
    }

    private(set) var findings: [Finding] = []

    var failures: Int { findings.count { !$0.isWell } }
    var isWell: Bool { failures == 0 }

    mutating func add(_ finding: Finding) { findings.append(finding) }

    /// Adds what the check returns, or throws.
    mutating func run(_ what: String, _ check: () async throws -> String) async {
        do {
            add(Finding(what: what, isWell: true, words: try await check()))
        } catch {
            add(Finding(what: what, isWell: false, words: "\(error)"))
        }
    }

    var description: String {
        findings.map { "\($0.isWell ? "ok    " : "FAILED") \($0.what): \($0.words)" }.joined(separator: "\n")
    }
}
