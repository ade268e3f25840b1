extension MetricCatalogue {
    /// The names that devices and bridges use for metrics, without case and punctuation; only those that can mean nothing else on a person's
    /// sensor. Room sensors' words (`temperature`, `humidity`) are not among them: a mapping says what they measure.
    static let aliases: [String: String] = {
        var aliases: [String: String] = [:]
        for (metric, words) in words { for word in words.split(separator: " ") { aliases[String(word)] = metric } }
        return aliases
    }()

    private static let words: [(String, String)] = [
        (
            "heart-rate",
            "hr bpm heartbeat heartbeats beatsperminute heartratebpm actbpm pulse hrbpm currentheartrate avghr averageheartrate heartratevalue hrvalue currenthr meanhr"
        ),
        ("resting-heart-rate", "rhr restinghr heartrateresting restingpulse"),
        ("walking-heart-rate", "walkingheartrateaverage walkinghr"),
        ("heart-rate-minimum", "minheartrate heartratemin hrmin minhr lowestheartrate"),
        ("heart-rate-maximum", "maxheartrate heartratemax hrmax maxhr highestheartrate"),
        ("pulse-rate", "pr pulserate prbpm"),
        ("rr-interval", "rri rrinterval rrms ibi interbeatinterval"),
        ("heart-rate-variability-sdnn", "sdnn heartratevariabilitysdnn"),
        ("heart-rate-variability-rmssd", "rmssd hrvrmssd"),
        ("respiration-rate", "resprate breathingrate breathrate respiratoryrate respirationrate breathsperminute"),
        (
            "body-temperature",
            "bodytemp bodytemperature temperaturebody coretemperature corebodytemperature oraltemperature eartemperature"
        ),
        ("skin-temperature", "skintemp wristtemperature applesleepingwristtemperature"),
        (
            "oxygen-saturation",
            "spo2 sao2 o2sat bloodoxygen bloodoxygensaturation oxygen oxygenlevel oxygensaturationpercentage spo2value bloodoxygenlevel o2saturation oxygensat"
        ),
        (
            "systolic-pressure",
            "sys systolic sbp bphigh bpsys bpsystolic sysbp nibpsys nibpsystolic bloodpressuresystolic systolicbloodpressure systolicbp systolicmmhg systolicpressure"
        ),
        (
            "diastolic-pressure",
            "dia diastolic dbp bplow bpdia bpdiastolic diabp nibpdia nibpdiastolic bloodpressurediastolic diastolicbloodpressure diastolicbp diastolicmmhg"
        ),
        ("perfusion-index", "pi perfusion perfusionindex"),
        ("blood-glucose", "glucose bg sgv bloodsugar bloodglucose glucosevalue cgm mbg"),
        ("body-weight", "weight bodyweight weightkg weightbodymass bodymass"),
        ("body-height", "height bodyheight heightcm"),
        ("body-mass-index", "bmi bodymassindex"),
        ("body-fat", "fat fatpercentage bodyfat bodyfatpercentage fatratio percentfat bodyfatpct fatpct"),
        ("body-water", "water tbw waterpercentage bodywater hydrationratio bodywaterpercentage"),
        ("fat-mass", "fatmass bodyfatmass fatmassweight"),
        ("muscle-mass", "musclemass skeletalmusclemass"),
        ("bone-mass", "bone bonemass"),
        ("lean-body-mass", "lbm leanbodymass fatfreemass leanmass"),
        ("visceral-fat", "visceralfat visceralfatlevel visceralfatrating"),
        ("body-impedance", "impedance bodyimpedance resistanceohm"),
        ("basal-metabolic-rate", "bmr basalmetabolism basalmetabolicrate basalmetabolismkcal"),
        ("steps", "step stepcount totalsteps stepstotal pedometer"),
        ("distance", "distancewalkingrunning walkingrunningdistance totaldistance distancem"),
        ("floors", "floorsclimbed flightsclimbed floorsascended"),
        ("energy", "calories totalcalories caloriesburned totalkilocalories kcal totalenergy"),
        ("active-energy", "activecalories activeenergyburned activekilocalories activeenergy"),
        ("basal-energy", "basalenergyburned bmrkilocalories restingcalories basalenergy restingenergy"),
        ("active-minutes", "activeminutes exercisetime appleexercisetime activetime exerciseminutes"),
        ("sleep-minutes", "minutesasleep sleepduration asleep sleepminutes totalsleeptime"),
        ("vo2-max", "vo2max vo2maximum"),
        ("stress-level", "stresslevel"),
        ("insulin", "insulinunits bolus insulindelivery"),
        ("carbohydrates", "carbs dietarycarbohydrates carbohydrates"),
        ("haemoglobin", "hemoglobin hgb"),
        ("total-cholesterol", "cholesteroltotal"),
        ("ldl-cholesterol", "ldl ldlc cholesterolldl"),
        ("hdl-cholesterol", "hdl hdlc cholesterolhdl"),
        ("triglycerides", "triglyceride"),
        ("hba1c", "a1c glycatedhemoglobin hemoglobina1c haemoglobina1c"),
        ("thyrotropin", "tsh"),
        ("urate", "uricacid"),
        ("c-reactive-protein", "crp"),
        ("skin-conductance", "gsr eda electrodermalactivity galvanicskinresponse"),
        ("ecg", "ekg electrocardiogram"),
        ("pain", "painlevel painscore"), ("fall-detected", "fall falldetected falldetection"), ("help-call", "sos soscall helpcall"),
        ("mood", "moodscore"),
        ("ambient-temperature", "roomtemperature ambienttemp airtemperature"),
        ("relative-humidity", "relativehumidity airhumidity"),
    ]

    /// Letters and digits alone, in lower case.
    static func bare(_ name: String) -> String {
        String(
            decoding: name.utf8.compactMap { byte -> UInt8? in
                switch byte {
                case 0x30...0x39, 0x61...0x7A, 0x80...: byte
                case 0x41...0x5A: byte | 0x20
                default: nil
                }
            }, as: UTF8.self)
    }

    /// The metric that a device's name for it means: by its own name, in any case and punctuation, or by an alias.
    public func definition(for name: String) -> MetricDefinition? {
        if let known = definition(named: name) { return known }
        guard name.utf8.count <= Name.maximumLength else { return nil }
        let bare = MetricCatalogue.bare(name)
        return byBareName[bare].map { definitions[$0] }
    }

    /// The metric's other names, sorted.
    public func aliases(of metric: MetricDefinition) -> [String] {
        MetricCatalogue.aliases.filter { $0.value == metric.name && $0.key != MetricCatalogue.bare(metric.name) }.keys.sorted()
    }

    /// The metric whose name is nearest to one that is not known, as far as it is near enough to be meant.
    public func suggestion(for name: String) -> String? {
        guard (3...Name.maximumLength).contains(name.utf8.count) else { return nil }
        let bare = Array(MetricCatalogue.bare(name).utf8)
        let limit = max(1, bare.count / 4)
        var best: (name: String, distance: Int)?
        for (known, index) in byBareName {
            let candidate = Array(known.utf8)
            guard abs(candidate.count - bare.count) <= limit else { continue }
            let distance = Spelling.distance(bare, candidate)
            let name = definitions[index].name
            if distance <= limit, distance < best?.distance ?? .max || distance == best?.distance && name < best?.name ?? "" {
                best = (name, distance)
            }
        }
        return best?.name
    }
}
