import Foundation

/// The months by their names and short forms in the languages in which exports come.
///
/// Source: Unicode CLDR's Gregorian month names (wide, abbreviated, and genitive where dates use it). A form that means different months in
/// two of the languages is in none.
enum MonthNames {
    /// The month from 1, or nil for a word that names none. Upper and lower case and accents are alike.
    static func month(_ word: String) -> Int? {
        guard word.utf8.count >= 3 else { return nil }
        return months[key(word)]
    }

    private static func key(_ word: String) -> String {
        word.lowercased().decomposedStringWithCanonicalMapping.unicodeScalars.filter { !$0.properties.isDiacritic }
            .map { $0 == "ł" ? "l" : $0 == "ı" ? "i" : String($0) }.joined()
    }

    private static let languages = [
        "january february march april may june july august september october november december",
        "jan feb mar apr may jun jul aug sep oct nov dec",
        "- - - - - - - - sept - - -",
        // German, Austrian
        "januar februar märz april mai juni juli august september oktober november dezember",
        "jan feb mär apr mai jun jul aug sep okt nov dez", "jänner feber mrz - - - - - - - - -",
        // French
        "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
        "janv févr mars avr mai juin juil août sept oct nov déc",
        // Spanish
        "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
        "ene feb mar abr may jun jul ago sept oct nov dic",
        // Italian
        "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
        "gen feb mar apr mag giu lug ago set ott nov dic",
        // Dutch
        "januari februari maart april mei juni juli augustus september oktober november december",
        "jan feb mrt apr mei jun jul aug sep okt nov dec",
        // Portuguese
        "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
        "jan fev mar abr mai jun jul ago set out nov dez",
        // Swedish, Danish, Norwegian
        "januari februari mars april maj juni juli augusti september oktober november december",
        "januar februar marts april maj juni juli august september oktober november december",
        "- - mars - maj - - - - - - desember", "- - - - maj - - - - - - des",
        // Finnish
        "tammikuuta helmikuuta maaliskuuta huhtikuuta toukokuuta kesäkuuta heinäkuuta elokuuta syyskuuta lokakuuta marraskuuta joulukuuta",
        "tammi helmi maalis huhti touko kesä heinä elo syys loka marras joulu",
        // Polish
        "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
        "sty lut mar kwi maj cze lip sie wrz paź lis gru",
        // Czech
        "ledna února března dubna května června července srpna září října - prosince",
        "led úno bře dub kvě čvn čvc srp zář říj - pro",
        // Turkish
        "ocak şubat mart nisan mayıs haziran temmuz ağustos eylül ekim kasım aralık",
        "oca şub mar nis may haz tem ağu eyl eki kas ara",
        // Russian
        "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
        "янв февр мар апр мая июн июл авг сент окт нояб дек", "- фев - - май - - - сен - ноя -",
    ]

    private static let months: [String: Int] = {
        var months: [String: Int] = [:]
        for names in languages {
            for (index, name) in names.split(separator: " ").enumerated() where name != "-" { months[key(String(name))] = index + 1 }
        }
        return months
    }()
}
