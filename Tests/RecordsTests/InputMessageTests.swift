import Support
import TestSupport
import Testing

@testable import Records

/// The words of all failures of input and templates.
@Suite struct InputMessageTests {
    @Test func everyFailureOfInputHasASubject() {
        let rows: [(any Failure, String)] = [
            (InputFailure.notJSON(.syntax), "65 not-json: invalid JSON; use one JSON object per line"),
            (
                InputFailure.notJSON(.controlCharacter),
                #"65 not-json: a JSON string contains a control character or line break; write it as \n or \u00XX"#
            ),
            (InputFailure.notJSON(.encoding), "65 not-json: a JSON string is not valid UTF-8"),
            (InputFailure.notJSON(.depth), "65 not-json: the JSON is nested more than 512 levels deep"),
            (InputFailure.notAnObject, "65 not-an-object: a record must be a JSON object"),
            (InputFailure.tooLong(limit: 16 << 20), "65 record-too-long: the record is longer than 16 MiB"),
            (
                InputFailure.tooManyFields(limit: 9),
                "65 too-many-fields: the record has more than 9 fields; group them in objects"
            ),
            (
                InputFailure.unfinished,
                "65 truncated-input: the input ends within a record and is probably truncated"
            ),
            (InputFailure.notOneObject(count: 2), "65 not-an-object: expected one JSON object, found 2"),
            (
                InputFailure.notAPath(field: "path"),
                "65 not-a-path: the record's field path is not a valid path: it contains NUL or is not Base64"
            ),
            (
                InputFailure.binary,
                """
                65 binary-input: the input is binary and has no records; to shrink a picture, use img-downsample - \
                -o FILE
                """
            ),
            (
                LineFailure(InputFailure.notAnObject, line: 7),
                "65 not-an-object: line 7: a record must be a JSON object"
            ),
        ]
        for (failure, expected) in rows { #expect(summary(failure) == expected) }
    }

    @Test func everyFaultOfATemplateHasARemedy() {
        let rows: [(any Failure, String)] = [
            (TemplateFault.unclosed, "64 bad-template: a closing brace is missing; write {{ for a literal brace"),
            (TemplateFault.noField("|x"), "64 bad-template: {|x} is not a field; write {{ for a literal brace"),
            (
                TemplateFault.badForm("%q"),
                """
                64 bad-template: ":%q" is neither a number of bytes, as in {title:40}, nor a date format with \
                \(DatePattern.specifiers), as in {date:%Y/%m}
                """
            ),
            (TemplateFault.noName, "64 bad-template: the template has no file name"),
            (
                TemplateFault.leadsElsewhere,
                """
                64 bad-template: the template must not leave its folder; no part before or after a slash may be \
                empty, . or ..
                """
            ),
            (
                TemplateFailure.missing(field: "credit"),
                """
                65 missing-field: the record has no credit, which the template requires; use {credit|text} for a \
                default
                """
            ),
            (
                TemplateFailure.missing(field: "stme"),
                """
                65 missing-field: the record has no stme, which the template requires; did you mean stem?; use \
                {stme|text} for a default
                """
            ),
            (
                TemplateFailure.noDate(field: "title", value: "M31"),
                "65 no-date: the record's title \"M31\" is not a date with the parts that the template requires"
            ),
        ]
        for (failure, expected) in rows { #expect(summary(failure) == expected) }
    }
}
