/// What is wrong with a signal, so that nothing can be said from it.
package enum SignalFault: String, Hashable, Sendable {
    /// There is none.
    case missing
    /// It does not change: the sensor is off or not connected.
    case flat
    /// It only jumps between levels: a test signal or a loose contact, nothing from a body.
    case stepwise
    /// It is cut off at the ends of the sensor's range.
    case clipped
}
