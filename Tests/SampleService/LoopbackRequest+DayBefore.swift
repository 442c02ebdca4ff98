import Support
import TestSupport

extension LoopbackRequest {
    /// The same request for the day before each day that its address names, as `2024-02-03` or as `240203`.
    var dayBefore: LoopbackRequest {
        var target = ""
        var word = ""
        // A last delimiter ends the last word, and goes again.
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
