import VigilSchema

/// The tests that are known. Within-person variation (CVI) after the EFLM Biological Variation Database (A. K. Aarsand et al., biologicalvariation.eu;
/// for most the European Biological Variation Study), the error of a good analyser (CVA), both in percent and rounded. The analyser that was used in truth
/// is not known.
extension LaboratoryTest {
    package static let all: [LaboratoryTest] = blood + salts + sugarAndFat + others

    private static let blood: [LaboratoryTest] = [
        .init(
            "haemoglobin", LocalizedText("haemoglobin", de: "Hämoglobin", ru: "гемоглобин"),
            names: ["haemoglobin", "hemoglobin", "hämoglobin", "гемоглобин"], variation: (2.7, 1), critical: (7, nil),
            .init(sex: .female, low: 12, high: 16), .init(sex: .male, low: 14, high: 18),
            .init(ages: 0.5..<2, low: 10.5, high: nil, source: .worldHealth), .init(ages: 2..<5, low: 11, high: nil, source: .worldHealth),
            .init(ages: 5..<12, low: 11.5, high: nil, source: .worldHealth), .init(ages: 12..<15, low: 12, high: nil, source: .worldHealth),
            .init(sex: .female, ages: 15..<18, low: 12, high: nil, source: .worldHealth),
            .init(sex: .male, ages: 15..<18, low: 13, high: nil, source: .worldHealth)),
        .init(
            "leukocytes", LocalizedText("leukocytes", de: "Leukozyten", ru: "лейкоциты"),
            names: ["leukocytes", "leukozyten", "white blood cell", "wbc", "лейкоциты"], variation: (11, 2), .init(low: 4, high: 11)),
        .init(
            "platelets", LocalizedText("platelets", de: "Thrombozyten", ru: "тромбоциты"),
            names: ["platelets", "platelet count", "thrombozyten", "тромбоциты"], variation: (7.5, 3), critical: (30, nil),
            .init(low: 150, high: 450)),
        .init(
            "ferritin", LocalizedText("ferritin", de: "Ferritin", ru: "ферритин"), names: ["ferritin", "ферритин"],
            variation: (12.8, 4), .init(sex: .female, low: 24, high: 307), .init(sex: .male, low: 24, high: 336),
            .init(ages: 0..<5, low: 12, high: nil, source: .ironWorldHealth),
            .init(ages: 5..<18, low: 15, high: nil, source: .ironWorldHealth)),
    ]

    private static let salts: [LaboratoryTest] = [
        .init(
            "serum-sodium", LocalizedText("sodium", de: "Natrium", ru: "натрий"), names: ["sodium", "natrium", "натрий"],
            variation: (0.5, 0.6), critical: (120, 160), .init(low: 136, high: 145)),
        .init(
            "serum-potassium", LocalizedText("potassium", de: "Kalium", ru: "калий"), names: ["potassium", "kalium", "калий"],
            variation: (4.1, 1), critical: (2.5, 6.5), .init(low: 3.5, high: 5)),
        .init(
            "serum-calcium", LocalizedText("calcium", de: "Kalzium", ru: "кальций"), names: ["calcium", "kalzium", "кальций"],
            variation: (1.8, 1), critical: (7.2, 14), .init(low: 8.6, high: 10.2)),
        .init(
            "serum-creatinine", LocalizedText("creatinine", de: "Kreatinin", ru: "креатинин"),
            names: ["creatinine", "kreatinin", "креатинин"], variation: (4.5, 2), critical: (nil, 4),
            .init(sex: .female, low: 0.5, high: 1.1), .init(sex: .male, low: 0.7, high: 1.3)),
        .init(
            "urate", LocalizedText("urate", de: "Harnsäure", ru: "мочевая кислота"),
            names: ["uric acid", "urate", "harnsäure", "мочевая кислота"], variation: (8.3, 2), .init(sex: .female, low: 2.5, high: 7),
            .init(sex: .male, low: 4, high: 8)),
        .init(
            "serum-albumin", LocalizedText("albumin", de: "Albumin", ru: "альбумин"), names: ["albumin", "альбумин"],
            variation: (2.6, 2), .init(low: 3.5, high: 5.5)),
    ]

    private static let sugarAndFat: [LaboratoryTest] = [
        .init(
            "fasting-glucose", LocalizedText("fasting glucose", de: "Nüchternglukose", ru: "глюкоза натощак"),
            names: ["fasting glucose", "nüchternglukose", "глюкоза натощак"], variation: (4.7, 2), critical: (45, 450),
            .init(ages: 1..<200, low: 70, high: 99, source: .diabetes)),
        .init(
            "hba1c", LocalizedText("HbA1c", de: "HbA1c", ru: "HbA1c"),
            names: ["hba1c", "hemoglobin a1c", "haemoglobin a1c", "гликированный гемоглобин"], variation: (1.2, 1.5),
            .init(ages: 1..<200, low: 4, high: 5.6, source: .diabetes)),
        .init(
            "total-cholesterol", LocalizedText("total cholesterol", de: "Gesamtcholesterin", ru: "общий холестерин"),
            names: ["total cholesterol", "cholesterol", "cholesterin", "gesamtcholesterin", "холестерин", "общий холестерин"],
            variation: (5.3, 2), .init(low: nil, high: 200, source: .lipids), .init(ages: 2..<18, low: nil, high: 170, source: .childLipids)
        ),
        .init(
            "ldl-cholesterol", LocalizedText("LDL cholesterol", de: "LDL-Cholesterin", ru: "ЛПНП"),
            names: ["ldl", "ldl cholesterol", "ldl-cholesterin", "лпнп"], variation: (8.3, 3),
            .init(low: nil, high: 130, source: .lipids), .init(ages: 2..<18, low: nil, high: 110, source: .childLipids)),
        .init(
            "hdl-cholesterol", LocalizedText("HDL cholesterol", de: "HDL-Cholesterin", ru: "ЛПВП"),
            names: ["hdl", "hdl cholesterol", "hdl-cholesterin", "лпвп"], variation: (5.8, 3),
            .init(sex: .female, low: 50, high: nil, source: .lipids), .init(sex: .male, low: 40, high: nil, source: .lipids),
            .init(ages: 2..<18, low: 45, high: nil, source: .childLipids)),
        .init(
            "triglycerides", LocalizedText("triglycerides", de: "Triglyzeride", ru: "триглицериды"),
            names: ["triglycerides", "triglyzeride", "триглицериды"], variation: (20, 2.5), .init(low: nil, high: 150, source: .lipids),
            .init(ages: 2..<10, low: nil, high: 75, source: .childLipids), .init(ages: 10..<18, low: nil, high: 90, source: .childLipids)),
    ]

    private static let others: [LaboratoryTest] = [
        .init(
            "alanine-aminotransferase", LocalizedText("ALT", de: "ALT (GPT)", ru: "АЛТ"),
            names: ["alt", "alanine aminotransferase", "gpt", "алт"], variation: (10, 3), critical: (nil, 600), .init(low: 10, high: 40)),
        .init(
            "aspartate-aminotransferase", LocalizedText("AST", de: "AST (GOT)", ru: "АСТ"),
            names: ["ast", "aspartate aminotransferase", "got", "аст"], variation: (9.6, 3), critical: (nil, 600), .init(low: 10, high: 40)),
        .init(
            "thyrotropin", LocalizedText("TSH", de: "TSH", ru: "ТТГ"), names: ["tsh", "thyrotropin", "ттг"],
            variation: (18, 4), .init(ages: 18..<70, low: 0.5, high: 4), .init(ages: 70..<80, low: 0.5, high: 5.9, source: .thyroid),
            .init(ages: 80..<200, low: 0.5, high: 7.5, source: .thyroid)),
        .init(
            "c-reactive-protein", LocalizedText("C-reactive protein", de: "C-reaktives Protein", ru: "С-реактивный белок"),
            names: ["crp", "c-reactive protein", "c-reaktives protein", "срб", "с-реактивный белок"],
            variation: (34, 3), critical: (nil, 300), .init(low: nil, high: 8)),
    ]
}
