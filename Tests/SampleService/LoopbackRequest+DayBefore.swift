import Support
import TestSupport

extension LoopbackRequest {
    /// The request with each date in its address, such as `2024-02-03` or `240203`, replaced by the day before.
    var dayBefore: LoopbackRequest {
        var target = ""
        var word = ""
        // The additional delimiter ends the last word, and is removed at the end.
        for character in self.target + "/" {
            if character.isNumber || character == "-" {
                word.append(character)
            } else {
                target += Self.earlier(word)
                target.append(character)
                word = ""
            }
        }
        return retargeted(String(target.dropLast()))
    }

    private static func earlier(_ word: String) -> String {
        if let day = CalendarDay(word) { return day.advanced(by: -1).description }
        return CalendarDay(sixDigits: word)?.advanced(by: -1).sixDigits ?? word
    }
}
