package import ServiceKit

/// `vigil-stress`: derives heart rate, breathing, skin conductance and stress from raw signals.
package enum StressService {
    package static let command = Command(
        name: "vigil-stress", summary: "Derives vital signs and stress from raw signals.", subcommands: [EvaluateCommand.command])
}
