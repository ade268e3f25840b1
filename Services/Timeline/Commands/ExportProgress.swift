import Foundation
import ServiceKit

/// Says on standard error how far an export has come.
struct ExportProgress {
    private let isShown: Bool
    private var count = 0
    private var shown = ContinuousClock.now

    init(isShown: Bool) { self.isShown = isShown }

    mutating func add(_ observations: Int) {
        count += observations
        guard isShown, shown.duration(to: .now) > .seconds(1) else { return }
        shown = .now
        StandardError.line("\(count) observations written")
    }

    func finish(bytes: Int) {
        if isShown { StandardError.line("\(count) observations, \(bytes) bytes written") }
    }
}
