/// Open mHealth's units in UCUM.
enum OpenMHealthUnit {
    /// Units that `UnitConversion` knows under the same spelling go on as they are.
    static func ucum(_ unit: String) -> String { different[unit] ?? unit }

    private static let different: [String: String] = [
        "oz": "[oz_av]", "gr": "[gr]", "Ton": "[ston_av]", "Metric Ton": "t", "sec": "s",
    ]
}
