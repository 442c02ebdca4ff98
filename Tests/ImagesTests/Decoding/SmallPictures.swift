import Support

/// Pictures of 32x16 pixels in quarters of red, green, blue and yellow, written by the formats' own encoders. The right
/// quarters may be half transparent.
enum SmallPictures {
    /// Nearly lossless, in tiles, by x265 and libheif.
    static let heic = Base64.decoded(
        "AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAa1tZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAA"
            + "AAAAAA5waXRtAAAAAAACAAAAEGlkYXQAAAAAACAAEAAAADhpbG9jAQAAAERAAAIAAQAAAAAAAAHRAAEAAAAAAAABWwACAAEA"
            + "AAAAAAAAAQAAAAAAAAAIAAAAOGlpbmYAAAAAAAIAAAAVaW5mZQIAAAEAAQAAaHZjMQAAAAAVaW5mZQIAAAAAAgAAZ3JpZAAA"
            + "AADYaXBycAAAALZpcGNvAAAAdmh2Y0MBA3AAAAAAAAAAAAAe8AD8/fj4AAAPAyAAAQAYQAEMAf//A3AAAAMAkAAAAwAAAwAe"
            + "ugJAIQABACpCAQEDcAAAAwCQAAADAAADAB6gIIEFluqumubgQEDAgAAAAwCAAAADAIQiAAEABkQBwXPBiQAAABRpc3BlAAAA"
            + "AAAAAEAAAABAAAAAFGlzcGUAAAAAAAAAIAAAABAAAAAQcGl4aQAAAAADCAgIAAAAGmlwbWEAAAAAAAAAAgABAoECAAICA4QA"
            + "AAAaaXJlZgAAAAAAAAAOZGltZwACAAEAAQAAAWNtZGF0AAABVygBrwYyHq16MPGRKBR7esj//88D6H0wNJfyt0t1lkfNuf/9"
            + "Yx95BrvhG32wK7Uh03NHHgzf+pR//H+y+kdavz7T/wuNjop0My+i6vlqVnIb1hX8Qd5Or9lYTbw4Oo2gQ4L4dFuNdCLLKn7R"
            + "OGxSDURyRZmLrLiUdisN/HBb2xkSHyhtG1B5DvBUM9kBhoeU9dO94mwqBzEiPwU0BdRrvEhbsi0T7FYXK9igsvu7Ykvlo2m4"
            + "MxfJqACo0kefmYz7i+3shuLLSAIDOHQap/EJn5rcYQKFqrX+DkooahzAk0x5z81p4PVer2LEy16oAJ+LvulWAukw++J/okoz"
            + "+v9X0+HJk/04BL4ilfAB3eJYYghXRJa5r5sJV+r8wevi8srRAMhfpMrg4U0dta6sabltu0o9PdTT5fDHaUA2ksGKSxPjsaNl"
            + "6jPX7Izi3vvd1wnc8g9vYaiSDeA=")!

    /// Lossless, without a container.
    static let jpegXL = Base64.decoded(
        "/wrDQUBxIQgCAQDIAEsoN9YfvFdQMAGgvsyLMWa8qwsAXSAIgMGJaoADMYjQCGjgke+CkQvoYiV9A0/5qKMC")!

    /// Lossless, with alpha.
    static let jpegXLWithAlpha = Base64.decoded(
        "/wrDwYLiQggIEADcAEsoN9YfvFeQMAVG1Jd5McbMc+cFhAA4jkcwgCL46kp8q7atNrxo4gMay4ArGCCZ/T5j0mSB/wg=")!

    /// Two spatial layers of 16x16 pixels by libavif 1.4: red, then blue. The second operating point is the lower
    /// layer.
    static let layeredAVIF = Base64.decoded(
        "AAAAIGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZk1BMUIAAAEDbWV0YQAAAAAAAAAhaGRscgAAAAAAAAAAcGljdAAAAAAAAAAAAAAA"
            + "AAAAAAAOcGl0bQAAAAAAAQAAACZpbG9jAAAAAEQAAAEAAQAAAAIAAAErAAAALgAAAVkAAAAjAAAAKGlpbmYAAAAAAAEAAAAaaW5m"
            + "ZQIAAAAAAQAAYXYwMUNvbG9yAAAAAHppcHJwAAAAWmlwY28AAAAUaXNwZQAAAAAAAAAQAAAAEAAAABBwaXhpAAAAAAMICAgAAAAM"
            + "YXYxQ4EADAAAAAATY29scm5jbHgAAgACAAKAAAAAD2ExbHgAAC4AAAAAAAAAGGlwbWEAAAAAAAAAAQABBQECgwQFAAAAWW1kYXQS"
            + "AAoMABMBAICAz/za+YhANgAbEADKPDwxDAADQAAAAHWGTdrmWsVhArhq9ErANgggMAPAQAAAOyjw8MQwAA0AAAEAdYZNOWsyCJ3S"
            + "6ORh2iA=")!

    /// Black and white halves of 32x16 pixels in limited range, by libavif.
    static let grayAVIF10 = Base64.decoded(
        "AAAAHGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZgAAAPBtZXRhAAAAAAAAAChoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAbGli"
            + "YXZpZgAAAAAOcGl0bQAAAAAAAQAAAB5pbG9jAAAAAEQAAAEAAQAAAAEAAAEUAAAAHAAAAChpaW5mAAAAAAABAAAAGmluZmUCAAAA"
            + "AAEAAGF2MDFDb2xvcgAAAABoaXBycAAAAElpcGNvAAAAFGlzcGUAAAAAAAAAIAAAABAAAAAOcGl4aQAAAAABCgAAAAxhdjFDgQBc"
            + "AAAAABNjb2xybmNseAABAA0ABgAAAAAXaXBtYQAAAAAAAAABAAEEAQKDBAAAACRtZGF0EgAKCBgQ/+zwENBiMg4QAKMg/jv35c8I"
            + "4wckFw==")!
    static let grayAVIF12 = Base64.decoded(
        "AAAAHGZ0eXBhdmlmAAAAAGF2aWZtaWYxbWlhZgAAAPBtZXRhAAAAAAAAAChoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAbGli"
            + "YXZpZgAAAAAOcGl0bQAAAAAAAQAAAB5pbG9jAAAAAEQAAAEAAQAAAAEAAAEUAAAAHQAAAChpaW5mAAAAAAABAAAAGmluZmUCAAAA"
            + "AAEAAGF2MDFDb2xvcgAAAABoaXBycAAAAElpcGNvAAAAFGlzcGUAAAAAAAAAIAAAABAAAAAOcGl4aQAAAAABDAAAAAxhdjFDgUB8"
            + "AAAAABNjb2xybmNseAABAA0ABgAAAAAXaXBtYQAAAAAAAAABAAEEAQKDBAAAACVtZGF0EgAKCFgQ/+z4CGgxMg8QAKMg/jutHQTw"
            + "jiudt1s=")!

    /// The colour of each quarter, starting at the top left.
    static let colours: [[UInt8]] = [[230, 30, 40], [40, 200, 60], [50, 70, 220], [240, 230, 80]]

    /// 300 x 4 pixels, with the sections in reverse order.
    static let reorderedJPEGXL = Base64.decoded(
        "/woYAFaCgOJCCAABKGFs8g8TCAEAAAAGqIAKSxIpUb2AAhhwH8b7uAqCIJiRgoLmhTEGL2GsYhvVyNYpxmD9MTgmxv/4vxAA"
            + "EADCngvZgJUKAADApQgAAAAwAQAAAzD1lAA+aHNfX7AGgfbygLbl/bxDAeESAzBcSIVCUQORlGPf24AAQCSrGcYjp0tfTkp6"
            + "4rDr8zx3bTWUFkswgQQUIzDIVQEiKe8J37QfiUIDf9kUZtyqu2JPmMeG4Lrp+Zy7thpKiyWWUAIK")!
}
