import Foundation
import Testing
import VigilSchema

/// Foundation's measurements as a second opinion.
@Suite("Units")
struct UnitConversionTests {
    private static let units: [(of: String, Dimension)] = [
        ("kg", UnitMass.kilograms), ("g", UnitMass.grams), ("mg", UnitMass.milligrams), ("[lb_av]", UnitMass.pounds),
        ("[oz_av]", UnitMass.ounces), ("t", UnitMass.metricTons), ("m", UnitLength.meters),
        ("cm", UnitLength.centimeters), ("mm", UnitLength.millimeters), ("km", UnitLength.kilometers), ("[in_i]", UnitLength.inches),
        ("[ft_i]", UnitLength.feet), ("[mi_i]", UnitLength.miles), ("kcal", UnitEnergy.kilocalories), ("cal", UnitEnergy.calories),
        ("kJ", UnitEnergy.kilojoules), ("J", UnitEnergy.joules), ("Cel", UnitTemperature.celsius), ("[degF]", UnitTemperature.fahrenheit),
        ("K", UnitTemperature.kelvin), ("km/h", UnitSpeed.kilometersPerHour), ("m/s", UnitSpeed.metersPerSecond),
        ("[mi_i]/h", UnitSpeed.milesPerHour), ("mm[Hg]", UnitPressure.millimetersOfMercury), ("kPa", UnitPressure.kilopascals),
        ("h", UnitDuration.hours), ("min", UnitDuration.minutes), ("s", UnitDuration.seconds), ("ms", UnitDuration.milliseconds),
        ("Hz", UnitFrequency.hertz), ("mV", UnitElectricPotentialDifference.millivolts), ("V", UnitElectricPotentialDifference.volts),
        ("uV", UnitElectricPotentialDifference.microvolts), ("Ohm", UnitElectricResistance.ohms), ("kOhm", UnitElectricResistance.kiloohms),
        ("MOhm", UnitElectricResistance.megaohms),
    ]

    @Test("are converted as Foundation converts them, nought too")
    func secondOpinion() {
        var compared = 0
        for (unit, from) in Self.units {
            for definition in MetricCatalogue.standard.definitions {
                guard let to = Self.units.first(where: { $0.of == definition.unit })?.1, type(of: to) == type(of: from),
                    let conversion = UnitConversion.from(unit, to: definition)
                else { continue }
                for value in [0, 1, 98.6, -3] {
                    let expected = to.converter.value(fromBaseUnitValue: from.converter.baseUnitValue(fromValue: value))
                    #expect(
                        abs(conversion(value) - expected) <= 2e-5 * max(1, abs(expected)), "\(value) \(unit) in \(definition.unit)")
                }
                compared += 1
            }
        }
        #expect(compared > 60)
    }

    /// Not Foundation's, which is 157 g.
    @Test("a stone is fourteen pounds")
    func stone() throws {
        let weight = try #require(MetricCatalogue.standard.definition(named: "body-weight"))
        let stone = try #require(UnitConversion.from("[stone_av]", to: weight))
        let pound = try #require(UnitConversion.from("[lb_av]", to: weight))
        #expect(abs(stone(1) - 14 * pound(1)) < 1e-9)
    }

    @Test("of any kind leave nought as it is, but for temperatures")
    func nought() {
        let others = [
            "S", "mS", "nS", "uS", "g", "[g]", "m/s2", "1", "%", "s2", "/s", "/h", "us", "mmol/L", "bar", "hPa", "Pa", "kJ", "[jin]",
        ]
        for unit in others + Self.units.map(\.of) where !["Cel", "[degF]", "K"].contains(unit) {
            for definition in MetricCatalogue.standard.definitions {
                guard let conversion = UnitConversion.from(unit, to: definition), !definition.name.hasSuffix("a1c") else { continue }
                #expect(conversion(0) == 0, "\(unit) as \(definition.name)")
                #expect(conversion(1) > 0, "\(unit) as \(definition.name)")
            }
        }
    }
}
