/// What a synthetic wearer's body does at a moment.
package struct WearerState: Hashable, Sendable {
    /// Beats a minute.
    package var heartRate: Double
    /// The root mean square of the changes from beat to beat that the breath causes, ms.
    package var variability: Double
    /// Breaths a minute.
    package var breathingRate: Double
    /// The slow level of skin conductance, µS.
    package var skinConductance: Double
    /// Skin-conductance responses a minute.
    package var responseRate: Double
    /// Of the skin, °C.
    package var temperature: Double

    /// Sitting quietly.
    package static let rest = WearerState(
        heartRate: 66, variability: 45, breathingRate: 14, skinConductance: 2.2, responseRate: 1.5, temperature: 33)
    /// Under a task with time pressure.
    package static let stress = WearerState(
        heartRate: 96, variability: 18, breathingRate: 20, skinConductance: 5.5, responseRate: 11, temperature: 31.6)
    /// Afterwards.
    package static let recovery = WearerState(
        heartRate: 72, variability: 38, breathingRate: 15, skinConductance: 3, responseRate: 3, temperature: 32.4)

    /// The state that lies `part` (0…1) of the way to another.
    func mixed(with other: WearerState, part: Double) -> WearerState {
        let mix = { (from: Double, to: Double) in from + (to - from) * part }
        return WearerState(
            heartRate: mix(heartRate, other.heartRate), variability: mix(variability, other.variability),
            breathingRate: mix(breathingRate, other.breathingRate), skinConductance: mix(skinConductance, other.skinConductance),
            responseRate: mix(responseRate, other.responseRate), temperature: mix(temperature, other.temperature))
    }
}
