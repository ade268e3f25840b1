import HealthModules
import ServiceKit

/// A module that works, throws, traps, loops, eats memory or talks too much, as its last reading of `pain` says.
struct ProbeModule: HealthModule {
    struct Refusal: Error {}

    let identity = ModuleIdentity(
        id: "probe", name: LocalizedText("Probe", de: "Probe", ru: "Проба"),
        description: LocalizedText("A module for tests.", de: "Ein Modul für Tests.", ru: "Модуль для тестов."), drawing: "")
    let inputs: [ModuleInput] = [.spot("pain")]
    let parameters: [ModuleParameter] = [
        .setting("level", .number(0...10), initial: .number(3), LocalizedText("A number.", de: "Eine Zahl.", ru: "Число.")),
        .setting("word", .choice(["one", "two"]), LocalizedText("A word.", de: "Ein Wort.", ru: "Слово.")),
        .setting("switch", .boolean, initial: .boolean(true), LocalizedText("A switch.", de: "Ein Schalter.", ru: "Переключатель.")),
        .value("doubled", LocalizedText("Twice the last pain.", de: "Das Doppelte.", ru: "Удвоенное.")),
    ]

    func evaluate(_ context: ModuleContext) throws -> ModuleResult {
        let pain = try context.readings("pain").last?.value ?? 0
        switch pain {
        case 6: throw Refusal()
        case 7: [Int]()[Int(pain)].description.count == 0 ? () : ()
        case 8: while pain == 8 {}
        case 9:
            var hoard: [[UInt8]] = []
            while true { hoard.append([UInt8](repeating: UInt8(hoard.count & 255), count: 1 << 24)) }
        default: break
        }
        var result = ModuleResult()
        result.findings["doubled"] = .number(pain * 2)
        if pain == 5 {
            let much = String(repeating: "much ", count: 100_000)
            result.rows = [PageRow(LocalizedText(much, de: much, ru: much), LocalizedText(much, de: much, ru: much))]
        }
        return result
    }
}
