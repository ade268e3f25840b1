import Foundation

/// Formulas of body measures. Weight in kg, height and girths in cm; results as named.
package enum BodyFormulas {
    /// kg/m² (A. Quetelet; WHO Technical Report Series 894, 2000).
    package static func bodyMassIndex(weight: Double, height: Double) -> Double { weight / (height / 100 * height / 100) }

    /// Adults, WHO TRS 894 (2000), table 2.1: 18.5, 25, 30, 35, 40.
    package static func adultClass(_ index: Double) -> (code: String, text: LocalizedText) {
        switch index {
        case ..<18.5: ("underweight", LocalizedText("underweight", de: "Untergewicht", ru: "недостаточная масса"))
        case ..<25: ("normal", LocalizedText("normal range", de: "Normalgewicht", ru: "норма"))
        case ..<30: ("pre-obese", LocalizedText("pre-obese", de: "Präadipositas", ru: "избыточная масса"))
        case ..<35: ("obese-1", LocalizedText("obese, class I", de: "Adipositas Grad I", ru: "ожирение I степени"))
        case ..<40: ("obese-2", LocalizedText("obese, class II", de: "Adipositas Grad II", ru: "ожирение II степени"))
        default: ("obese-3", LocalizedText("obese, class III", de: "Adipositas Grad III", ru: "ожирение III степени"))
        }
    }

    /// Children, by the z-score of the body-mass index for age. From 5 to 19 years (de Onis 2007): above +1 overweight, above +2 obesity, below −2
    /// thinness, below −3 severe. Under five (WHO, Training course on child growth assessment, 2008): one step later, as an early judgement of
    /// overweight does more harm than good: above +1 possible risk, above +2 overweight, above +3 obesity.
    package static func childClass(_ z: Double, isUnderFive: Bool) -> (code: String, text: LocalizedText) {
        switch z - (isUnderFive && z > 1 ? 1 : 0) {
        case ..<(-3):
            ("severe-thinness", LocalizedText("severe thinness", de: "starkes Untergewicht", ru: "выраженный дефицит массы"))
        case ..<(-2): ("thinness", LocalizedText("thinness", de: "Untergewicht", ru: "дефицит массы"))
        case ...1 where isUnderFive && z > 1:
            (
                "overweight-risk",
                LocalizedText("possible risk of overweight", de: "Übergewicht möglich", ru: "возможен риск избыточной массы")
            )
        case ...1: ("normal", LocalizedText("normal range", de: "Normalgewicht", ru: "норма"))
        case ...2: ("overweight", LocalizedText("overweight", de: "Übergewicht", ru: "избыточная масса"))
        default: ("obesity", LocalizedText("obesity", de: "Adipositas", ru: "ожирение"))
        }
    }

    /// m² (D. Du Bois, E. F. Du Bois, Arch Intern Med 17 (1916) 863).
    package static func surfaceDuBois(weight: Double, height: Double) -> Double { 0.007184 * pow(weight, 0.425) * pow(height, 0.725) }

    /// m² (R. D. Mosteller, N Engl J Med 317 (1987) 1098).
    package static func surfaceMosteller(weight: Double, height: Double) -> Double { (weight * height / 3600).squareRoot() }

    /// kg (B. J. Devine, Drug Intell Clin Pharm 8 (1974) 650); meant for doses, from 152.4 cm.
    package static func devine(height: Double, isFemale: Bool) -> Double { (isFemale ? 45.5 : 50) + 2.3 * inchesAboveFiveFeet(height) }

    /// kg (J. D. Robinson et al., Am J Hosp Pharm 40 (1983) 1016).
    package static func robinson(height: Double, isFemale: Bool) -> Double {
        isFemale ? 49 + 1.7 * inchesAboveFiveFeet(height) : 52 + 1.9 * inchesAboveFiveFeet(height)
    }

    /// kg (D. R. Miller et al., Am J Hosp Pharm 40 (1983) 1622).
    package static func miller(height: Double, isFemale: Bool) -> Double {
        isFemale ? 53.1 + 1.36 * inchesAboveFiveFeet(height) : 56.2 + 1.41 * inchesAboveFiveFeet(height)
    }

    /// kg (G. J. Hamwi, in: Diabetes mellitus: diagnosis and treatment, 1964).
    package static func hamwi(height: Double, isFemale: Bool) -> Double {
        isFemale ? 45.5 + 2.2 * inchesAboveFiveFeet(height) : 48 + 2.7 * inchesAboveFiveFeet(height)
    }

    /// kg, by Broca's rule as SelfHub has it: height less 100 below 165 cm, less 105 to 175, less 110 above; 5 more above 40 years of age.
    package static func broca(height: Double, age: Double?) -> Double {
        height - (height < 165 ? 100 : height <= 175 ? 105 : 110) + (age ?? 0 > 40 ? 5 : 0)
    }

    private static func inchesAboveFiveFeet(_ height: Double) -> Double { height / 2.54 - 60 }
}
