import Synchronization

/// A setting's present value where it can be changed while the service runs. Threading: from anywhere.
package final class LiveValue<Value: Sendable>: Sendable {
    private let state: Mutex<Value>

    package init(_ value: Value) { state = Mutex(value) }

    /// The value now.
    package var current: Value { state.withLock { $0 } }

    func set(_ value: Value) { state.withLock { $0 = value } }
}
