extension Vocabulary {
    /// A section a metric of the catalogue, or a role that begins with `@`; in it a line a language. Case, accents and punctuation are no matter.
    ///
    /// Sources: names of times and units as in Unicode CLDR; the makers' own words where public readers of their exports name them (LibreView,
    /// Clarity, CareLink, Omron); for the rest the common names of each language. A word that means two things stands nowhere, or only where the
    /// columns beside it decide (`BuiltIn`).
    static let text = """
        @moment
          en timestamp, date time, datetime, date, when, moment, day, recorded, recorded at, taken at, taken, measured at, measured on, measurement time, measurement date, reading date, reading time, observation time, obs date, sample time, log time, entry date, date recorded, formatted timestamp, epoch, epoch millis, epoch ms, epoch seconds, epoch s, unix time, unix timestamp, unixtime, unix ms, ts, time ms, time s, timestamp ms, timestamp s, timestamp unix, event time, local time
          de Datum, Zeitstempel, Zeitpunkt, Zeitpunkt der Messung, Messzeitpunkt, Messdatum, Messung am, gemessen am, Datum - Zeit, Datum Zeit, Datum Uhrzeit, Tag, Aufnahmezeit, Gerätezeitstempel, Erfasst am
          fr date, date et heure, date heure, date/heure, date de mesure, date de la mesure, date de prise, horodatage, jour, mesuré le
          es fecha, fecha y hora, fecha hora, fecha/hora, fecha de medición, fecha de la medición, momento, marca temporal, registrado
          it data, data e ora, data ora, data/ora, data misurazione, data della misurazione, giorno, rilevato il
          pt data, data e hora, data hora, data/hora, data da medição, data de medição, medido em
          nl datum, datum en tijd, datum/tijd, datum tijd, meetdatum, meetmoment, moment, dag, tijdstempel, gemeten op
          sv datum, datum och tid, tidpunkt, mätdatum, mättidpunkt, dag, mätt
          da dato, dato og tid, måledato, måletidspunkt, dag, målt
          nb dato, dato og tid, måledato, måletidspunkt, dag, målt
          fi päivämäärä, päivä, päiväys, pvm, päivämäärä ja aika, ajankohta, mittausaika, mittauspäivä
          pl data, data i godzina, data i czas, data pomiaru, dzień, czas pomiaru, data badania
          cs datum, datum a čas, datum měření, den, okamžik
          hu dátum, időpont, mérés ideje, nap
          ro data, data și ora, data măsurării, ziua
          el ημερομηνία, ημερομηνία και ώρα, ημερομηνία/ώρα
          tr tarih, tarih ve saat, tarih saat, tarih/saat, ölçüm tarihi, ölçüm zamanı, gün, zaman damgası
          ru дата, дата и время, дата/время, дата время, дата измерения, время измерения, день, момент
          uk дата, дата і час, дата та час, дата вимірювання, день
          zh 日期, 时间, 日期时间, 测量日期, 测量时间, 测量日期时间, 记录时间, 记录日期, 采集时间, 检测时间, 检测日期, 数据时间, 時間, 測量日期, 測量時間
          ja 日付, 日時, 測定日, 測定日時, 計測日時, 記録日時, 測定時間, 計測日, 年月日, 日
          ko 날짜, 일시, 측정일, 측정일시, 측정 일시, 날짜 시간, 측정 날짜, 기록 시간, 일자
          ar التاريخ, تاريخ, التاريخ والوقت, تاريخ القياس, وقت القياس, اليوم
          he תאריך, תאריך ושעה, מועד
          hi दिनांक, तारीख, तिथि, दिनांक और समय, दिन
          bn তারিখ, তারিখ ও সময়, দিন
          ur تاریخ, تاریخ اور وقت
          id tanggal, tanggal dan waktu, waktu pengukuran, hari
          vi ngày, ngày giờ, thời gian, ngày đo, thời điểm
          th วันที่, วันเวลา, วันที่และเวลา
        @clock
          en time, time of day, clock, clock time, reading time, obs time, measurement time
          de Uhrzeit, Zeit, Messzeit
          fr heure, heure de mesure, heure de la mesure, horaire
          es hora, hora de medición, hora de la medición
          it ora, orario, ora misurazione
          pt hora, horário, hora da medição
          nl tijd, tijdstip, meettijd
          sv tid, klockan, klockslag, mättid
          da tid, tidspunkt, klokken, klokkeslæt
          nb tid, tidspunkt, klokken, klokkeslett
          fi aika, kellonaika, klo, kello
          pl godzina, czas, godzina pomiaru, czas pomiaru
          cs čas, čas měření
          hu idő, óra
          ro ora, oră
          el ώρα
          tr saat, zaman, ölçüm saati
          ru время, час, время измерения
          uk час
          zh 时间, 時間, 时刻, 測量時間, 测量时间
          ja 時刻, 時間, 測定時刻, 測定時間
          ko 시간, 시각, 측정 시간, 측정시각
          ar الوقت, وقت, الساعة
          he שעה, זמן
          hi समय
          bn সময়
          ur وقت
          id waktu, pukul
          vi giờ, thời gian
          th เวลา
        @start
          en start, start time, start date, started, started at, begin, begins, from, bedtime start, sleep start, time from, interval start
          de Beginn, Anfang, Start, von, Startzeit, Beginn der Messung
          fr début, date de début, heure de début
          es inicio, comienzo, hora de inicio, fecha de inicio
          it inizio, ora inizio, data inizio
          pt início, hora de início, data de início
          nl begin, start, starttijd, begintijd
          sv start, starttid, början
          da start, starttidspunkt, begyndelse
          fi alku, aloitusaika
          pl początek, start, czas rozpoczęcia
          cs začátek, začátek měření
          tr başlangıç, başlangıç zamanı
          ru начало, время начала
          zh 开始时间, 開始時間, 开始
          ja 開始, 開始時刻, 開始日時
          ko 시작, 시작 시간
          ar البداية, وقت البدء
          hi आरंभ, शुरू
        @end
          en end, end time, end date, ended, stop, until, to, time to, finish, finished at, interval end
          de Ende, bis, Endzeit, Schluss
          fr fin, date de fin, heure de fin
          es fin, final, hora de fin, fecha de fin
          it fine, ora fine, data fine
          pt fim, hora de término, data de término, hora de fim
          nl einde, eind, eindtijd
          sv slut, sluttid
          da slut, sluttidspunkt
          fi loppu, lopetusaika
          pl koniec, czas zakończenia
          cs konec, konec měření
          tr bitiş, bitiş zamanı
          ru конец, окончание, время окончания
          zh 结束时间, 結束時間, 结束
          ja 終了, 終了時刻, 終了日時
          ko 종료, 종료 시간
          ar النهاية, وقت الانتهاء
          hi समाप्ति, अंत
        @duration
          en duration, sleep, asleep, awake, bed, length, elapsed, total, pace, moving, rem, deep, light
          de dauer, schlaf, wach, länge, bett, tempo
          fr durée, sommeil, éveil, lit, allure
          es duración, sueño, cama, ritmo
          it durata, sonno, letto, passo
          pt duração, sono, cama, ritmo
          nl duur, slaap, bed, tempo
          sv varaktighet, sömn, längd
          da varighed, søvn, længde
          fi kesto, uni
          pl czas trwania, sen, długość
          cs trvání, spánek
          tr süre, uyku
          ru длительность, продолжительность, сон
          zh 时长, 時長, 睡眠
          ja 継続, 睡眠
          ko 지속, 수면
        @filler
          en value, values, level, reading, measurement, measured, result, avg, average, mean, current, number of, total
          de Wert, Messwert, Messung, gemessen, Durchschnitt, Mittelwert, Anzahl, Gesamt
          fr valeur, mesure, mesuré, moyenne, moyen, taux de, nombre de, nombre
          es valor, medida, medición, promedio, media, nivel de, número de
          it valore, misura, misurazione, media, livello di, numero di
          pt valor, medida, medição, média, nível de, número de
          nl waarde, meting, gemiddelde, aantal
          sv värde, mätning, medel, medelvärde, antal
          da værdi, måling, gennemsnit, antal
          fi arvo, mittaus, keskiarvo, määrä
          pl wartość, pomiar, średnia, średnie, poziom, liczba
          cs hodnota, měření, průměr, počet
          tr değer, değeri, ölçüm, ortalama, sayısı
          ru значение, измерение, среднее, средний, уровень, количество
          zh 值, 数值, 平均
          ja 値, 平均
          ko 값, 평균
        @participant
          en patient, patient name, participant, subject, subject id, user, user id, person, person id, mrn
          de Patient, Patientin, Patientenname, Person, Benutzer, Proband
          es paciente, usuario
          it paziente, utente
          pt paciente, utilizador, usuário
          nl patiënt, gebruiker
          pl pacjent, użytkownik
          tr hasta, kullanıcı
          ru пациент, пользователь
          zh 患者, 用户, 姓名
          ja 患者, ユーザー, 氏名
          ko 환자, 사용자, 이름
          ar المريض, الاسم
        @source
          en source, device, sensor, device name, device model
          de Gerät, Quelle, Gerätename
          fr appareil, source, capteur
          es dispositivo, fuente, aparato
          it dispositivo, sorgente
          pt dispositivo, aparelho, fonte
          nl apparaat, toestel, bron
          sv källa
          da enhed, kilde
          fi laite, lähde
          pl urządzenie, źródło
          cs zařízení, zdroj
          tr cihaz, kaynak
          ru устройство, прибор, источник
          zh 设备, 設備, 来源
          ja 機器, 測定機器, デバイス
          ko 기기, 장치
        heart-rate
          en heart rate, heartrate, hr, bpm, pulse, heart beat, heartbeat, heart rate bpm, avg hr, average heart rate, hr bpm, pulse bpm, beats per minute
          de Puls, Herzfrequenz, Pulsfrequenz, Pulsschlag, Herzschlag, Herzrate
          fr pouls, fréquence cardiaque, rythme cardiaque, pulsations, pulsation, battements
          es pulso, frecuencia cardiaca, frecuencia cardíaca, pulsaciones, ritmo cardiaco, ritmo cardíaco, latidos
          it pulsazioni, polso, frequenza cardiaca, battito cardiaco, battito, battiti, frequenza del polso
          pt pulso, pulsação, pulsações, frequência cardíaca, batimentos, batimentos cardíacos, ritmo cardíaco
          nl hartslag, pols, polsslag, hartfrequentie, hartritme
          sv puls, hjärtfrekvens, pulsfrekvens, hjärtslag
          da puls, hjertefrekvens, hjerterytme, hjerteslag
          nb puls, hjertefrekvens, hjerterytme, hjerteslag
          fi syke, pulssi, sydämen syke, sykkeet
          pl tętno, puls, częstość akcji serca, częstość serca, tętno serca
          cs tep, tepová frekvence, srdeční tep, puls, pulz, srdeční frekvence
          hu pulzus, szívverés
          ro puls, ritm cardiac, frecvența cardiacă
          el παλμοί, σφυγμός, καρδιακός ρυθμός
          tr nabız, kalp atış hızı, kalp hızı, kalp atışı, nabız hızı
          ru пульс, чсс, частота сердечных сокращений, частота пульса, сердцебиение
          uk пульс, чсс, частота серцевих скорочень
          zh 心率, 脉搏, 脈搏, 脉率, 心跳, 心率值
          ja 心拍数, 脈拍, 脈拍数, 心拍
          ko 심박수, 맥박, 맥박수, 심박
          ar النبض, نبض, معدل ضربات القلب, معدل النبض, نبضات القلب
          he דופק
          hi नाड़ी, पल्स, हृदय गति, नब्ज
          bn নাড়ি, হৃদস্পন্দন, পালস
          ur نبض, دل کی دھڑکن
          id denyut nadi, detak jantung, nadi, denyut jantung
          vi nhịp tim, mạch
          th ชีพจร, อัตราการเต้นของหัวใจ
        resting-heart-rate
          en resting heart rate, resting hr, rhr, resting pulse, rest hr
          de Ruhepuls, Ruheherzfrequenz, Ruhe-HF
          fr fréquence cardiaque au repos, pouls au repos, fc au repos
          es frecuencia cardíaca en reposo, pulso en reposo, fc en reposo
          it frequenza cardiaca a riposo, battito a riposo
          pt frequência cardíaca em repouso, pulso em repouso
          nl rusthartslag, hartslag in rust, rustpols
          sv vilopuls
          da hvilepuls
          nb hvilepuls
          fi leposyke
          pl tętno spoczynkowe
          cs klidový tep, klidová tepová frekvence
          tr dinlenme nabzı, istirahat nabzı
          ru пульс в покое, чсс в покое
          zh 静息心率, 靜息心率
          ja 安静時心拍数, 安静時心拍
          ko 안정시 심박수, 휴식기 심박수
        pulse-rate
          en pulse rate, pr bpm
        systolic-pressure
          en systolic, sys, systolic pressure, systolic blood pressure, sbp, systole, bp systolic, sys bp, bp sys, upper pressure, systolic bp
          de systolisch, Systole, systolischer Wert, systolischer Blutdruck, oberer Wert, oberer Blutdruck, Blutdruck systolisch, Systolisch
          fr systolique, systole, pression systolique, tension systolique, pression artérielle systolique, tension artérielle systolique
          es sistólica, sistólico, sístole, presión sistólica, tensión sistólica, presión arterial sistólica, presión alta, máxima
          it sistolica, sistole, pressione sistolica, pressione massima, massima
          pt sistólica, sístole, pressão sistólica, pressão arterial sistólica, tensão sistólica, pressão máxima, máxima
          nl systolisch, systole, bovendruk, systolische druk, systolische bloeddruk
          sv systoliskt, systolisk, systoliskt tryck, systoliskt blodtryck, övertryck
          da systolisk, systolisk tryk, systolisk blodtryk
          nb systolisk, systolisk trykk, systolisk blodtrykk, overtrykk
          fi systolinen, yläpaine, systolinen paine, systolinen verenpaine
          pl skurczowe, ciśnienie skurczowe, ciśnienie tętnicze skurczowe, skurczowe ciśnienie krwi
          cs systolický, systolický tlak, systola, horní tlak, systolický krevní tlak
          hu szisztolés, szisztolés nyomás, szisztolés vérnyomás
          ro sistolică, tensiune sistolică, sistolic
          el συστολική, συστολική πίεση
          tr sistolik, büyük tansiyon, sistolik basınç, sistolik kan basıncı, sistolik tansiyon
          ru систолическое, систолическое давление, сад, верхнее давление, систолическое ад, верхнее
          uk систолічний, систолічний тиск, верхній тиск
          zh 收缩压, 收縮壓, 高压, 高壓
          ja 最高血圧, 収縮期血圧, 収縮期, 最大血圧
          ko 수축기, 수축기 혈압, 최고혈압, 최고 혈압
          ar الانقباضي, الضغط الانقباضي, ضغط الدم الانقباضي
          he סיסטולי, לחץ סיסטולי
          hi सिस्टोलिक, सिस्टोलिक रक्तचाप
          bn সিস্টোলিক
          id sistolik, tekanan sistolik
          vi tâm thu, huyết áp tâm thu
          th ความดันตัวบน, ซิสโตลิก
        diastolic-pressure
          en diastolic, dia, diastolic pressure, diastolic blood pressure, dbp, diastole, bp diastolic, dia bp, bp dia, lower pressure, diastolic bp
          de diastolisch, Diastole, diastolischer Wert, diastolischer Blutdruck, unterer Wert, unterer Blutdruck, Blutdruck diastolisch
          fr diastolique, diastole, pression diastolique, tension diastolique, pression artérielle diastolique, tension artérielle diastolique
          es diastólica, diastólico, diástole, presión diastólica, tensión diastólica, presión arterial diastólica, presión baja, mínima
          it diastolica, diastole, pressione diastolica, pressione minima, minima
          pt diastólica, diástole, pressão diastólica, pressão arterial diastólica, tensão diastólica, pressão mínima, mínima
          nl diastolisch, diastole, onderdruk, diastolische druk, diastolische bloeddruk
          sv diastoliskt, diastolisk, diastoliskt tryck, diastoliskt blodtryck, undertryck
          da diastolisk, diastolisk tryk, diastolisk blodtryk
          nb diastolisk, diastolisk trykk, diastolisk blodtrykk, undertrykk
          fi diastolinen, alapaine, diastolinen paine, diastolinen verenpaine
          pl rozkurczowe, ciśnienie rozkurczowe, ciśnienie tętnicze rozkurczowe, rozkurczowe ciśnienie krwi
          cs diastolický, diastolický tlak, diastola, dolní tlak, diastolický krevní tlak
          hu diasztolés, diasztolés nyomás, diasztolés vérnyomás
          ro diastolică, tensiune diastolică, diastolic
          el διαστολική, διαστολική πίεση
          tr diyastolik, diastolik, küçük tansiyon, diyastolik basınç, diyastolik kan basıncı, diyastolik tansiyon
          ru диастолическое, диастолическое давление, дад, нижнее давление, диастолическое ад, нижнее
          uk діастолічний, діастолічний тиск, нижній тиск
          zh 舒张压, 舒張壓, 低压, 低壓
          ja 最低血圧, 拡張期血圧, 拡張期, 最小血圧
          ko 이완기, 이완기 혈압, 최저혈압, 최저 혈압, 확장기 혈압
          ar الانبساطي, الضغط الانبساطي, ضغط الدم الانبساطي
          he דיאסטולי, לחץ דיאסטולי
          hi डायस्टोलिक, डायस्टोलिक रक्तचाप
          bn ডায়াস্টোলিক
          id diastolik, tekanan diastolik
          vi tâm trương, huyết áp tâm trương
          th ความดันตัวล่าง, ไดแอสโตลิก
        mean-arterial-pressure
          en mean arterial pressure
          de mittlerer arterieller Druck, Mitteldruck
          fr pression artérielle moyenne
          es presión arterial media
          it pressione arteriosa media
        blood-glucose
          en glucose, blood glucose, blood sugar, bg, glucose value, glucose level, glucose reading, sensor glucose, cgm, smbg, cbg, glucose result
          de Blutzucker, BZ, Glukose, Glucose, Blutzuckerwert, Glukosewert, Zucker, Blutglukose, Sensorglukose, BZ-Messwert, BZ-Wert, Gewebezucker
          fr glycémie, glucose, glucose sanguin, taux de glucose, valeur de glycémie, valeur du glucose, glycémie capillaire
          es glucosa, glucemia, azúcar en sangre, glicemia, nivel de glucosa, valor de glucosa, glucosa en sangre
          it glicemia, glucosio, valore glicemico, valore del glucosio, glucosio nel sangue
          pt glicose, glicemia, glucose, açúcar no sangue, nível de glicose, glicemia capilar
          nl bloedsuiker, glucose, bloedglucose, glucosewaarde, suiker
          sv blodsocker, glukos, blodglukos, p-glukos, glukosvärde, blodsockervärde
          da blodsukker, glukose, blodglukose
          nb blodsukker, glukose, blodglukose
          fi verensokeri, glukoosi, veren glukoosi
          pl glukoza, cukier, cukier we krwi, glikemia, poziom glukozy, stężenie glukozy, poziom cukru
          cs glykémie, glukóza, cukr, krevní cukr, hladina glukózy
          hu vércukor, glükóz, vércukorszint
          ro glicemie, glucoză
          el γλυκόζη, σάκχαρο, γλυκόζη αίματος
          tr kan şekeri, glikoz, glukoz, şeker, kan glikozu
          ru сахар, глюкоза, глюкоза крови, сахар крови, уровень глюкозы, уровень сахара, гликемия
          uk цукор, глюкоза, глюкоза крові
          zh 血糖, 血糖值, 葡萄糖, 血糖浓度
          ja 血糖値, 血糖, グルコース, グルコース値
          ko 혈당, 혈당치, 포도당, 혈당값
          ar سكر الدم, السكر, الجلوكوز, مستوى السكر
          he סוכר, גלוקוז, סוכר בדם
          hi रक्त शर्करा, ग्लूकोज, शुगर, ब्लड शुगर
          bn রক্তে শর্করা, গ্লুকোজ
          ur شوگر, گلوکوز
          id gula darah, glukosa, kadar gula
          vi đường huyết, glucose
          th น้ำตาลในเลือด, กลูโคส
        oxygen-saturation
          en spo2, oxygen saturation, blood oxygen, sao2, o2 saturation, o2 sats, o2 sat, sats, saturation, oxygen level, o2sat, spo2 pct, blood oxygen level
          de Sauerstoffsättigung, Sättigung, Blutsauerstoff, O2-Sättigung, Sauerstoff im Blut
          fr saturation, saturation en oxygène, oxygène dans le sang, saturation o2, taux d'oxygène
          es saturación, saturación de oxígeno, oxígeno en sangre, saturación o2, spo2
          it saturazione, saturazione ossigeno, saturazione di ossigeno, ossigeno nel sangue, saturazione dell'ossigeno
          pt saturação, saturação de oxigênio, saturação de oxigénio, oxigênio no sangue, oxigénio no sangue
          nl saturatie, zuurstofsaturatie, zuurstofverzadiging, bloedzuurstof
          sv syremättnad, saturation, syresättning, blodsyre
          da iltmætning, saturation, iltmætning i blodet
          nb oksygenmetning, metning, oksygennivå
          fi happisaturaatio, saturaatio, veren happi
          pl saturacja, natlenienie, nasycenie tlenem, saturacja krwi, poziom tlenu
          cs saturace, saturace kyslíkem, okysličení, saturace krve
          hu oxigénszint, véroxigén, oxigéntelítettség
          ro saturație, saturația de oxigen
          el κορεσμός οξυγόνου, οξυγόνο
          tr oksijen satürasyonu, satürasyon, kan oksijeni, oksijen doygunluğu
          ru сатурация, насыщение кислородом, кислород в крови, сатурация кислорода
          uk сатурація, насичення киснем
          zh 血氧, 血氧饱和度, 血氧飽和度, 血氧值
          ja 血中酸素, 血中酸素飽和度, 酸素飽和度, 血中酸素濃度
          ko 산소포화도, 혈중산소, 혈중 산소, 산소 포화도
          ar تشبع الأكسجين, الأكسجين, أكسجين الدم
          he סטורציה, ריווי חמצן
          hi ऑक्सीजन स्तर, ऑक्सीजन संतृप्ति
          id saturasi oksigen, saturasi
          vi nồng độ oxy, độ bão hòa oxy
          th ออกซิเจนในเลือด
        perfusion-index
          en perfusion index
          de Perfusionsindex
          es índice de perfusión
          zh 灌注指数
        respiration-rate
          en respiration rate, respiratory rate, breathing rate, resp rate, resp, breaths, breaths per minute, breath rate
          de Atemfrequenz, Atmung, Atemzüge
          fr fréquence respiratoire, respirations
          es frecuencia respiratoria, respiración, respiraciones
          it frequenza respiratoria, respirazione, atti respiratori
          pt frequência respiratória, respiração
          nl ademhaling, ademhalingsfrequentie, ademfrequentie
          sv andningsfrekvens, andning
          da respirationsfrekvens, vejrtrækning, vejrtrækningsfrekvens
          nb respirasjonsfrekvens, pustefrekvens
          fi hengitystaajuus, hengitystiheys, hengitys
          pl częstość oddechów, oddechy, liczba oddechów, częstość oddechu
          cs dechová frekvence, dech, frekvence dýchání
          tr solunum hızı, solunum sayısı, solunum
          ru частота дыхания, чдд, дыхание
          uk частота дихання
          zh 呼吸率, 呼吸频率, 呼吸頻率, 呼吸
          ja 呼吸数
          ko 호흡수, 호흡률
          ar معدل التنفس
          hi श्वसन दर
        body-temperature
          en body temperature, body temp, core temperature, core temp, oral temperature
          de Körpertemperatur, Fieber
          fr température corporelle
          es temperatura corporal
          it temperatura corporea
          pt temperatura corporal
          nl lichaamstemperatuur
          sv kroppstemperatur
          da kropstemperatur
          nb kroppstemperatur
          fi ruumiinlämpö, kehon lämpötila
          pl temperatura ciała
          cs tělesná teplota
          hu testhőmérséklet
          ro temperatura corpului
          el θερμοκρασία σώματος
          tr vücut ısısı, vücut sıcaklığı, ateş
          ru температура тела
          uk температура тіла
          zh 体温, 體溫
          ja 体温
          ko 체온
          ar درجة حرارة الجسم, حرارة الجسم
          he חום גוף
          hi शरीर का तापमान
          id suhu tubuh
          vi nhiệt độ cơ thể
          th อุณหภูมิร่างกาย
        temperature
          en temperature, temp
          de Temperatur
          fr température
          es temperatura
          nl temperatuur
          fi lämpötila
          cs teplota
          tr sıcaklık
          ru температура
          uk температура
          zh 温度, 溫度
          ja 温度
          ko 온도
          ar درجة الحرارة
          hi तापमान
        skin-temperature
          en skin temperature, skin temp, wrist temperature
          de Hauttemperatur
          fr température cutanée, température de la peau
          es temperatura de la piel, temperatura cutánea
          it temperatura cutanea
          pt temperatura da pele
          nl huidtemperatuur
          sv hudtemperatur
          zh 皮肤温度, 皮膚溫度
          ja 皮膚温, 皮膚温度
          ko 피부 온도
        body-weight
          en weight, body weight, body mass, bodyweight
          de Gewicht, Körpergewicht
          fr poids, poids corporel, masse corporelle
          es peso, peso corporal
          it peso, peso corporeo
          pt peso, peso corporal
          nl gewicht, lichaamsgewicht
          sv vikt, kroppsvikt
          da vægt, kropsvægt
          nb vekt, kroppsvekt
          fi paino, kehon paino
          pl waga, masa ciała, waga ciała
          cs hmotnost, váha, tělesná hmotnost, tělesná váha
          hu testsúly, súly, testtömeg
          ro greutate, greutate corporală
          el βάρος, σωματικό βάρος
          tr kilo, ağırlık, vücut ağırlığı
          ru вес, масса тела, вес тела
          uk вага, маса тіла
          zh 体重, 體重
          ja 体重
          ko 체중, 몸무게
          ar الوزن, وزن, وزن الجسم
          he משקל
          hi वजन, शरीर का वजन
          bn ওজন
          ur وزن
          id berat badan, berat
          vi cân nặng
          th น้ำหนัก
        body-height
          en height, body height, stature
          de Größe, Körpergröße
          fr taille
          es altura, estatura, talla
          it altezza, statura
          pt altura, estatura
          nl lichaamslengte
          sv kroppslängd
          da højde
          nb høyde
          fi pituus
          pl wzrost
          cs výška, tělesná výška
          tr boy
          ru рост
          zh 身高
          ja 身長
          ko 키, 신장
          ar الطول
          hi लंबाई, ऊंचाई
        body-mass-index
          en bmi, body mass index
          de BMI, Körpermasseindex
          fr imc
          es imc
          it imc
          pt imc
          tr vki, vücut kitle indeksi
          ru имт, индекс массы тела
          zh 体质指数, 身体质量指数
          ja 体格指数
          ko 체질량지수
        body-fat
          en body fat, fat percentage, body fat percentage, fat, body fat rate, bodyfat
          de Körperfett, Körperfettanteil, Fettanteil, Körperfettwert
          fr masse grasse, graisse corporelle, taux de graisse
          es grasa corporal, grasa, porcentaje de grasa
          it grasso corporeo, massa grassa, grasso
          pt gordura corporal, gordura
          nl lichaamsvet, vetpercentage, vet
          sv kroppsfett, fettprocent, fett
          da kropsfedt, fedtprocent
          nb kroppsfett, fettprosent
          fi rasvaprosentti, kehon rasva, rasva
          pl tkanka tłuszczowa, tłuszcz, zawartość tłuszczu
          cs tělesný tuk, tuk, podíl tuku
          tr vücut yağı, yağ oranı, yağ
          ru жир, жировая масса, процент жира, жир тела
          zh 体脂率, 体脂, 體脂率, 脂肪率
          ja 体脂肪率, 体脂肪
          ko 체지방률, 체지방
          ar دهون الجسم
        body-water
          en body water, water percentage, body water percentage
          de Körperwasser, Wasseranteil
          fr eau corporelle, masse hydrique
          es agua corporal
          it acqua corporea
          pt água corporal
          nl lichaamsvocht, lichaamswater
          sv kroppsvatten
          ru вода в организме
          zh 水分率, 体水分
          ja 体水分率
          ko 체수분
        fat-mass
          en fat mass
          de Fettmasse
        muscle-mass
          en muscle mass
          de Muskelmasse
          fr masse musculaire
          es masa muscular
          it massa muscolare
          pt massa muscular
          nl spiermassa
          sv muskelmassa
          da muskelmasse
          nb muskelmasse
          fi lihasmassa
          pl masa mięśniowa
          cs svalová hmota
          tr kas kütlesi
          ru мышечная масса, масса мышц
          zh 肌肉量, 肌肉质量
          ja 筋肉量
          ko 근육량
        bone-mass
          en bone mass
          de Knochenmasse
          fr masse osseuse
          es masa ósea
          it massa ossea
          pt massa óssea
          nl botmassa
          sv benmassa
          da knoglemasse
          nb beinmasse
          fi luumassa
          pl masa kostna
          cs kostní hmota
          tr kemik kütlesi
          ru костная масса, масса костей
          zh 骨量, 骨盐量
          ja 骨量, 推定骨量
          ko 골량, 골격량
        visceral-fat
          en visceral fat, visceral fat level, visceral fat rating
          de Viszeralfett, Eingeweidefett
          fr graisse viscérale
          es grasa visceral
          it grasso viscerale
          pt gordura visceral
          nl visceraal vet
          sv visceralt fett
          ru висцеральный жир
          zh 内脏脂肪, 内脏脂肪等级
          ja 内臓脂肪レベル, 内臓脂肪
          ko 내장지방
        basal-metabolic-rate
          en basal metabolic rate, bmr, basal metabolism
          de Grundumsatz
          fr métabolisme de base
          es metabolismo basal
          it metabolismo basale
          pt metabolismo basal
          ru основной обмен
          zh 基础代谢, 基础代谢率
          ja 基礎代謝, 基礎代謝量
          ko 기초대사량
        steps
          en steps, step count, step, total steps, stepcount
          de Schritte, Schrittzahl, Schrittanzahl
          fr nombre de pas
          es pasos
          it passi
          pt passos
          nl stappen
          sv steg
          da skridt
          nb skritt
          fi askeleet, askelmäärä
          pl kroki
          cs kroky
          hu lépések, lépésszám
          ro pași
          el βήματα
          tr adım, adımlar
          ru шаги
          uk кроки
          zh 步数, 步數
          ja 歩数
          ko 걸음수, 걸음 수, 걸음
          ar الخطوات, خطوات
          he צעדים
          hi कदम
          id langkah
          vi số bước, bước chân
          th จำนวนก้าว
        distance
          en distance, total distance
          de Distanz, Strecke, Entfernung
          es distancia
          it distanza
          pt distância
          nl afstand
          sv distans, sträcka
          da distance, afstand
          nb distanse, avstand
          fi matka, etäisyys
          pl dystans, odległość
          cs vzdálenost
          tr mesafe
          ru расстояние, дистанция
          zh 距离, 距離
          ja 距離
          ko 거리
          ar المسافة
        floors
          en floors, flights climbed, floors climbed
          de Stockwerke, Etagen
          fr étages
          es pisos
          it piani
          nl verdiepingen
          zh 楼层, 爬楼
          ja 階数
          ko 층수
        energy
          en calories, kcal, calories burned, total calories
          de Kalorien, Energieverbrauch, verbrannte Kalorien
          fr calories, calories brûlées, dépense énergétique
          es calorías, calorías quemadas
          it calorie, calorie bruciate
          pt calorias, calorias queimadas
          nl calorieën, verbrande calorieën
          sv kalorier
          da kalorier
          nb kalorier
          fi kalorit, kalorinkulutus
          pl kalorie, spalone kalorie
          cs kalorie, spálené kalorie
          tr kalori, yakılan kalori
          ru калории, сожжено калорий
          zh 卡路里, 消耗卡路里, 热量
          ja カロリー, 消費カロリー
          ko 칼로리, 소모 칼로리
          ar السعرات الحرارية
        active-energy
          en active calories, active energy
          de Aktivitätskalorien, aktive Kalorien
          fr calories actives
          es calorías activas
          it calorie attive
          pt calorias ativas
        heart-rate-variability-rmssd
          en rmssd
        heart-rate-variability-sdnn
          en hrv, sdnn
          de Herzfrequenzvariabilität, HFV
          zh 心率变异性
        waist-circumference
          en waist, waist circumference
          de Taillenumfang, Bauchumfang
          fr tour de taille
          es circunferencia de cintura, cintura
          it circonferenza vita
          nl tailleomtrek
        hba1c
          en hba1c, a1c
        note
          en note, notes, comment, comments, remarks, memo
          de Notiz, Notizen, Bemerkung, Bemerkungen, Kommentar, Anmerkung
          fr remarque, remarques, commentaire, commentaires, note
          es nota, notas, comentario, comentarios, observaciones
          it nota, note, commento, commenti, osservazioni
          pt nota, notas, comentário, comentários, observações
          nl notitie, notities, opmerking, opmerkingen
          sv anteckning, anteckningar, kommentar
          da note, noter, bemærkning, kommentar
          nb notat, notater, kommentar
          fi muistiinpano, huomautus, kommentti
          pl notatka, notatki, uwagi, komentarz
          cs poznámka, poznámky
          tr not, notlar, açıklama, yorum
          ru заметка, заметки, примечание, комментарий
          zh 备注, 備註, 笔记
          ja メモ, 備考, コメント
          ko 메모, 비고
          ar ملاحظة, ملاحظات
          hi टिप्पणी
        """
}
