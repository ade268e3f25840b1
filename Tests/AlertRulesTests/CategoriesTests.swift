import AlertRules
import Testing

@Suite("Categories of single measures")
struct CategoriesTests {
    @Test(
        "names a blood pressure after ACC/AHA 2017, the higher of the two values' categories",
        arguments: [
            (119, 79, "normal"), (120, 79, "elevated"), (129, 79, "elevated"), (130, 79, "hypertension-stage-1"),
            (119, 80, "hypertension-stage-1"), (139, 89, "hypertension-stage-1"), (140, 70, "hypertension-stage-2"),
            (119, 90, "hypertension-stage-2"), (180, 120, "hypertension-stage-2"), (181, 70, "crisis"), (100, 121, "crisis"),
        ] as [(Double, Double, String)])
    func acc(systolic: Double, diastolic: Double, name: String) {
        #expect(Categories.bloodPressure(systolic: systolic, diastolic: diastolic, guideline: .acc2017) == name)
    }

    @Test(
        "names a blood pressure after ESC 2024",
        arguments: [
            (119, 69, "non-elevated"), (120, 69, "elevated"), (119, 70, "elevated"), (139, 89, "elevated"), (140, 60, "hypertension"),
            (110, 90, "hypertension"),
        ]
            as [(Double, Double, String)])
    func esc(systolic: Double, diastolic: Double, name: String) {
        #expect(Categories.bloodPressure(systolic: systolic, diastolic: diastolic, guideline: .esc2024) == name)
    }

    @Test(
        "names a glucose, a body-mass index and a temperature at each boundary",
        arguments: [
            (53.9, "very-low"), (54, "low"), (69.9, "low"), (70, "in-range"), (180, "in-range"), (180.1, "high"), (250, "high"),
            (250.1, "very-high"),
        ] as [(Double, String)])
    func glucose(value: Double, name: String) {
        #expect(Categories.glucose(value) == name)
    }

    @Test(
        "names a body-mass index",
        arguments: [
            (18.4, "underweight"), (18.5, "normal"), (25, "overweight"), (30, "obesity-class-1"), (35, "obesity-class-2"),
            (40, "obesity-class-3"),
        ] as [(Double, String)])
    func bodyMassIndex(value: Double, name: String) {
        #expect(Categories.bodyMassIndex(value) == name)
    }

    @Test(
        "names a temperature",
        arguments: [(34.9, "hypothermia"), (35, "normal"), (37.9, "normal"), (38, "fever"), (41, "fever"), (41.1, "hyperpyrexia")]
            as [(Double, String)])
    func temperature(value: Double, name: String) {
        #expect(Categories.temperature(value) == name)
    }
}
