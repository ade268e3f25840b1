/// A part of a process that runs until its work is done, it is drained, or its task is cancelled.
///
/// Draining (finish what is held, then return) is asked for by the `ServiceGroup` the way its member says; cancelling
/// means: stop now and give back what is held.
package protocol Service: Sendable {
    /// Runs; returns when the work is done or was drained. Throws what the service cannot handle by itself.
    func run() async throws
}
