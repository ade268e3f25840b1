/// Sixty layouts that programs and people write, after their documentation and public fixtures: the headers in sixteen languages, dates as each
/// country writes them. None is copied from an export.
extension UnknownTable {
    private typealias C = Column

    static var all: [UnknownTable] { pressures + glucose + scales + activity + sensors }

    private static func pressure(_ systolic: String, _ diastolic: String, _ pulse: String) -> [Column] {
        [
            C.number(systolic, "systolic-pressure", { $0.systolic }), C.number(diastolic, "diastolic-pressure", { $0.diastolic }),
            C.number(pulse, "heart-rate", { $0.pulse }),
        ]
    }

    private static var pressures: [UnknownTable] {
        [
            .init(
                "omron-sv",
                [C.time("Datum", "yyyy-MM-dd"), C.time("Tid", "HH:mm")]
                    + pressure("Systoliskt (mmHg)", "Diastoliskt (mmHg)", "Puls (slag/min)")),
            .init(
                "omron-nl",
                [C.time("Datum", "dd-MM-yyyy"), C.time("Tijd", "HH:mm")]
                    + pressure("Systolisch (mmHg)", "Diastolisch (mmHg)", "Hartslag (bpm)")),
            .init(
                "omron-pl",
                [C.time("Data", "dd.MM.yyyy"), C.time("Godzina", "HH:mm")]
                    + pressure("Skurczowe (mmHg)", "Rozkurczowe (mmHg)", "Tętno (uderzenia/min)")),
            .init(
                "omron-da", ";",
                [C.time("Dato", "dd-MM-yyyy"), C.time("Tidspunkt", "HH:mm")]
                    + pressure("Systolisk (mmHg)", "Diastolisk (mmHg)", "Puls (slag/min)")),
            .init(
                "omron-fi", ";",
                [C.time("Päivämäärä", "d.M.yyyy"), C.time("Aika", "HH:mm")]
                    + pressure("Systolinen (mmHg)", "Diastolinen (mmHg)", "Syke (bpm)")),
            .init(
                "omron-tr",
                [C.time("Tarih", "dd.MM.yyyy"), C.time("Saat", "HH:mm")]
                    + pressure("Sistolik (mmHg)", "Diyastolik (mmHg)", "Nabız (atım/dk)")),
            .init("omron-zh", [C.time("测量日期", "yyyy/MM/dd"), C.time("时间", "HH:mm")] + pressure("收缩压(mmHg)", "舒张压(mmHg)", "脉搏(bpm)")),
            .init(
                "omron-ru", ";",
                [C.time("Дата", "dd.MM.yyyy"), C.time("Время", "HH:mm")]
                    + pressure("Систолическое (мм рт. ст.)", "Диастолическое (мм рт. ст.)", "Пульс (уд/мин)")),
            .init(
                "diary-fr", ";",
                [C.time("Date de mesure", "dd/MM/yyyy"), C.time("Heure", "HH:mm")] + pressure("Systolique", "Diastolique", "Pouls (bpm)")),
            .init(
                "diary-es", ";",
                [C.time("Fecha", "dd/MM/yyyy"), C.time("Hora", "HH:mm")] + pressure("Presión sistólica", "Presión diastólica", "Pulso-ppm")),
            .init(
                "diary-it", ";",
                [C.time("Data", "dd/MM/yyyy"), C.time("Ora", "HH:mm")]
                    + pressure("Pressione massima (mmHg)", "Pressione minima (mmHg)", "Pulsazioni")),
            .init(
                "diary-pt",
                [C.time("Data", "dd/MM/yyyy"), C.time("Horário", "HH:mm")]
                    + pressure("Pressão sistólica (mmHg)", "Pressão diastólica (mmHg)", "Pulsação (bpm)")),
            .init(
                "medisana-de", ";",
                [
                    C.time("Datum - Zeit", "dd.MM.yyyy - HH:mm"), C.number("SYS", "systolic-pressure", { $0.systolic }, unit: " mmHg"),
                    C.number("DIA", "diastolic-pressure", { $0.diastolic }, unit: " mmHg"),
                    C.number("Puls", "heart-rate", { $0.pulse }, unit: " bpm"),
                ]),
            .init(
                "medilog",
                [C.time("formattedTimestamp", "yyyy-MM-dd HH:mm")] + pressure("systolic", "diastolic", "pulse") + [
                    C.constant("comment", "after breakfast")
                ]),
            .init(
                "ihealth-bp-de",
                [C.time("Messdatum", "dd.MM.yyyy"), C.time("Messzeit", "HH:mm")] + pressure("Oberer Wert", "Unterer Wert", "Pulsfrequenz")),
            .init(
                "diary-cs", ";",
                [C.time("Datum", "d. M. yyyy"), C.time("Čas", "HH:mm")] + pressure("Systolický tlak", "Diastolický tlak", "Tep")),
            .init(
                "diary-ko", [C.time("측정일", "yyyy-MM-dd"), C.time("측정 시간", "HH:mm")] + pressure("수축기 혈압(mmHg)", "이완기 혈압(mmHg)", "맥박(회/분)")),
            .init(
                "slash-en",
                [
                    C.time("When", "MM/dd/yyyy hh:mm a"),
                    C(
                        header: "Blood Pressure (mmHg)", cell: { "\(Int($0.systolic))/\(Int($0.diastolic))" }, metric: "systolic-pressure",
                        value: { $0.systolic }),
                    C.number("Pulse (BPM)", "heart-rate", { $0.pulse }),
                ]),
        ]
    }

    private static var glucose: [UnknownTable] {
        [
            .init(
                "meter-de", ";",
                [C.time("Datum", "dd.MM.yyyy"), C.time("Uhrzeit", "HH:mm"), C.number("BZ (mg/dl)", "blood-glucose", { $0.glucose })]),
            .init(
                "meter-fr", ";",
                [C.time("Date et heure", "dd/MM/yyyy HH:mm"), C.number("Glycémie (mg/dL)", "blood-glucose", { $0.glucose })]),
            .init("meter-es", [C.time("Fecha y hora", "dd/MM/yyyy HH:mm"), C.number("Glucemia (mg/dl)", "blood-glucose", { $0.glucose })]),
            .init(
                "meter-it", ";", [C.time("Data e ora", "dd/MM/yyyy HH:mm"), C.number("Glicemia mg/dl", "blood-glucose", { $0.glucose })]),
            .init(
                "meter-sv", ";",
                [
                    C.time("Tidpunkt", "yyyy-MM-dd HH:mm"),
                    C.number("Blodsocker (mmol/L)", "blood-glucose", { $0.millimoles }, comma: true, scale: 18.016),
                ]),
            .init(
                "meter-ru", ";",
                [
                    C.time("Дата и время", "dd.MM.yyyy HH:mm"),
                    C.number("Сахар (ммоль/л)", "blood-glucose", { $0.millimoles }, comma: true, scale: 18.016),
                ]),
            .init(
                "meter-pl", ";",
                [
                    C.time("Data pomiaru", "yyyy-MM-dd"), C.time("Czas", "HH:mm"),
                    C.number("Glukoza [mg/dl]", "blood-glucose", { $0.glucose }),
                ]),
            .init(
                "meter-nl", ";",
                [
                    C.time("Datum", "dd-MM-yyyy"), C.time("Tijdstip", "HH:mm"),
                    C.number("Bloedsuiker (mmol/l)", "blood-glucose", { $0.millimoles }, comma: true, scale: 18.016),
                ]),
            .init("meter-ja", [C.time("測定日時", "yyyy/MM/dd HH:mm"), C.number("血糖値(mg/dL)", "blood-glucose", { $0.glucose })]),
            .init(
                "meter-pt", ";", [C.time("Data/Hora", "dd/MM/yyyy HH:mm"), C.number("Glicose (mg/dL)", "blood-glucose", { $0.glucose })]),
            .init(
                "meter-en-preamble", preamble: ["Patient,Jane Doe", "Report date,2026-04-01", ""],
                [
                    C.time("Reading Date", "MM/dd/yyyy"), C.time("Reading Time", "hh:mm a"),
                    C.number("Glucose Reading (mg/dL)", "blood-glucose", { $0.glucose }),
                ]),
            .init(
                "clarity-de", ";",
                [
                    C.constant("Index", "1"), C.time("Zeitstempel (JJJJ-MM-TTThh:mm:ss)", "yyyy-MM-ddTHH:mm:ss"),
                    C.constant("Ereignistyp", "EGV"),
                    C.number("Glukosewert (mg/dl)", "blood-glucose", { $0.glucose }),
                ]),
        ]
    }

    private static var scales: [UnknownTable] {
        [
            .init(
                "scale-sv", ";",
                [
                    C.time("Datum", "yyyy-MM-dd"), C.time("Klockan", "HH:mm"),
                    C.number("Vikt (kg)", "body-weight", { $0.weight }, comma: true),
                    C.number("Kroppsfett (%)", "body-fat", { $0.fat }, comma: true),
                ]),
            .init(
                "scale-ru", ";",
                [
                    C.time("Дата", "dd.MM.yyyy"), C.time("Время", "HH:mm:ss"),
                    C.number("Вес (кг)", "body-weight", { $0.weight }, comma: true),
                    C.number("Жир (%)", "body-fat", { $0.fat }, comma: true),
                ]),
            .init(
                "scale-ja",
                [
                    C.time("日付", "yyyy/MM/dd"), C.time("時刻", "HH:mm"), C.number("体重(kg)", "body-weight", { $0.weight }),
                    C.number("体脂肪率(%)", "body-fat", { $0.fat }), C.number("筋肉量(kg)", "muscle-mass", { $0.muscle }),
                    C.number("骨量(kg)", "bone-mass", { $0.bone }),
                ]),
            .init(
                "scale-zh",
                [
                    C.time("时间", "yyyy-MM-dd HH:mm:ss"), C.number("体重(kg)", "body-weight", { $0.weight }),
                    C.number("体脂率(%)", "body-fat", { $0.fat }), C.number("肌肉量(kg)", "muscle-mass", { $0.muscle }),
                ]),
            .init(
                "scale-en",
                [
                    C.time("Time of Measurement", "yyyy-MM-dd HH:mm:ss"),
                    C.number("Weight(lb)", "body-weight", { $0.pounds }, scale: 0.45359237),
                    C.number("Muscle Mass (kg)", "muscle-mass", { $0.muscle }),
                    C.number("Bone Mass (lb)", "bone-mass", { $0.bone }, scale: 0.45359237),
                ]),
            .init(
                "scale-de", ";",
                [
                    C.time("Zeitpunkt der Messung", "dd.MM.yyyy HH:mm"),
                    C.number("Körpergewicht in kg", "body-weight", { $0.weight }, comma: true),
                    C.number("Körperfettanteil in %", "body-fat", { $0.fat }, comma: true),
                ]),
            .init(
                "scale-fr", ";", days: true,
                [
                    C.time("Date", "dd/MM/yyyy"), C.number("Poids (kg)", "body-weight", { $0.weight }, comma: true),
                    C.number("Masse musculaire (kg)", "muscle-mass", { $0.muscle }, comma: true),
                ]),
            .init(
                "scale-es", ";", days: true,
                [
                    C.time("Fecha", "dd/MM/yyyy"), C.number("Peso (kg)", "body-weight", { $0.weight }, comma: true),
                    C.number("Masa ósea (kg)", "bone-mass", { $0.bone }, comma: true),
                ]),
            .init(
                "scale-tr", ";", days: true,
                [C.time("Tarih", "dd.MM.yyyy"), C.number("Kilo (kg)", "body-weight", { $0.weight }, comma: true)]),
            .init("scale-ar", days: true, [C.time("التاريخ", "yyyy-MM-dd"), C.number("الوزن (kg)", "body-weight", { $0.weight })]),
            .init("scale-hi", [C.time("दिनांक", "yyyy-MM-dd"), C.time("समय", "HH:mm"), C.number("वजन (kg)", "body-weight", { $0.weight })]),
            .init(
                "scale-nb", ";",
                [
                    C.time("Dato", "dd.MM.yyyy"), C.time("Klokkeslett", "HH:mm"),
                    C.number("Vekt (kg)", "body-weight", { $0.weight }, comma: true),
                ]),
        ]
    }

    private static var activity: [UnknownTable] {
        [
            .init(
                "steps-de", ";", days: true,
                [
                    C.time("Tag", "dd.MM.yyyy"), C.number("Schritte", "steps", { $0.steps }, grouped: "."),
                    C.number("Distanz (km)", "distance", { $0.kilometres }, comma: true, scale: 1000),
                ]),
            .init(
                "steps-de-thousands", ";", days: true,
                [
                    C.time("Datum", "dd.MM.yyyy"), C.number("Schritte", "steps", { $0.steps }, grouped: "."),
                    C.number("Kalorien (kcal)", "energy", { $0.calories }, grouped: "."),
                ]),
            .init(
                "steps-es", days: true,
                [
                    C.time("Día", "dd/MM/yyyy"), C.number("Pasos", "steps", { $0.steps }),
                    C.number("Distancia (km)", "distance", { $0.kilometres }, scale: 1000),
                ]),
            .init(
                "steps-pl", ";", days: true,
                [
                    C.time("Dzień", "yyyy-MM-dd"), C.number("Kroki", "steps", { $0.steps }),
                    C.number("Kalorie (kcal)", "energy", { $0.calories }),
                ]),
            .init(
                "steps-zh", days: true,
                [
                    C.time("日期", "yyyy-MM-dd"), C.number("步数", "steps", { $0.steps }),
                    C.number("距离(km)", "distance", { $0.kilometres }, scale: 1000),
                ]),
            .init(
                "steps-en", days: true,
                [
                    C.time("Day", "yyyy-MM-dd"), C.number("Total Steps", "steps", { $0.steps }, grouped: nil),
                    C.number("Resting HR (bpm)", "resting-heart-rate", { $0.pulse }),
                ]),
            .init(
                "steps-fr", ";", days: true,
                [
                    C.time("Jour", "dd/MM/yyyy"), C.number("Nombre de pas", "steps", { $0.steps }),
                    C.number("Distance (km)", "distance", { $0.kilometres }, comma: true, scale: 1000),
                ]),
        ]
    }

    private static var sensors: [UnknownTable] {
        [
            .init(
                "oximeter-es",
                [
                    C.time("Fecha", "dd/MM/yyyy"), C.time("Hora", "HH:mm:ss"),
                    C.number("Saturación de oxígeno (%)", "oxygen-saturation", { $0.saturation }),
                    C.number("Frecuencia cardíaca (lpm)", "heart-rate", { $0.pulse }),
                ]),
            .init(
                "oximeter-zh",
                [
                    C.time("记录时间", "yyyy-MM-dd HH:mm:ss"), C.number("血氧(%)", "oxygen-saturation", { $0.saturation }),
                    C.number("心率(bpm)", "heart-rate", { $0.pulse }),
                ]),
            .init(
                "oximeter-en",
                [
                    C.time("Recorded", "yyyy-MM-dd HH:mm:ss"), C.number("SpO2 (%)", "oxygen-saturation", { $0.saturation }),
                    C.number("PR (bpm)", "pulse-rate", { $0.pulse }),
                ]),
            .init(
                "watch-zh",
                [
                    C.time("采集时间", "yyyy-MM-dd HH:mm:ss"), C.number("心率(bpm)", "heart-rate", { $0.pulse }),
                    C.number("静息心率(bpm)", "resting-heart-rate", { $0.pulse - 8 }),
                ]),
            .init(
                "watch-unix",
                [
                    C.number("ts", nil, { $0.time }), C.number("heart_rate_bpm", "heart-rate", { $0.pulse }),
                    C.number("resp_rate", "respiration-rate", { $0.breaths }),
                ]),
            .init(
                "watch-unix-ms",
                [
                    C.number("epoch_millis", nil, { $0.time * 1000 }), C.number("hr", "heart-rate", { $0.pulse }),
                    C.number("spo2_pct", "oxygen-saturation", { $0.saturation }),
                ]),
            .init(
                "thermometer-de", ";",
                [
                    C.time("Gemessen am", "dd.MM.yyyy HH:mm"),
                    C.number("Körpertemperatur (°C)", "body-temperature", { $0.celsius }, comma: true),
                ]),
            .init(
                "thermometer-en",
                [
                    C.time("taken_at", "yyyy-MM-ddTHH:mm:ssZ"),
                    C.number("Body Temp (°F)", "body-temperature", { $0.fahrenheit }, scale: 5.0 / 9, add: -160.0 / 9),
                ]),
            .init(
                "thermometer-ko",
                [C.time("날짜", "yyyy-MM-dd"), C.time("시간", "HH:mm"), C.number("체온(℃)", "body-temperature", { $0.celsius })]),
            .init(
                "ward-en",
                [
                    C.time("Obs Date", "dd/MM/yyyy"), C.time("Obs Time", "HH:mm"),
                    C.number("Resp Rate", "respiration-rate", { $0.breaths }), C.number("O2 Sats", "oxygen-saturation", { $0.saturation }),
                    C.number("Sys BP", "systolic-pressure", { $0.systolic }), C.number("Dia BP", "diastolic-pressure", { $0.diastolic }),
                    C.number("Heart Rate", "heart-rate", { $0.pulse }), C.number("Temperature (C)", "body-temperature", { $0.celsius }),
                ]),
            .init(
                "ward-nl", ";",
                [
                    C.time("Moment", "dd-MM-yyyy HH:mm"), C.number("Ademhalingsfrequentie", "respiration-rate", { $0.breaths }),
                    C.number("Zuurstofsaturatie (%)", "oxygen-saturation", { $0.saturation }),
                ]),
        ]
    }
}
