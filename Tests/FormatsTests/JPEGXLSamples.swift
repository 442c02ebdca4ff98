import Support

/// JPEG XLs with different headers from libjxl's encoder: 24 x 16 or 300 x 4 pixels with red = x and green = y, or an
/// animation of three frames, two of which are smaller than the canvas.
enum JPEGXLSamples {
    static let all: [String: [UInt8]] = [
        // -d 3 -e 3
        "plain": Base64.decoded(
            "/woDQUJxIQATCAIA4ACLTQkAgAqVUcYNXs71fPmhw2LaxnWGttq2sCRRZBybpBM4JIlUyLwVOA4QM2tLhVESHYAHBypJAA==")!,
        // -d 3 -e 3 --container=1
        "boxed": Base64.decoded(
            "AAAADEpYTCANCocKAAAAFGZ0eXBqeGwgAAAAAGp4bCAAAABOanhsY/8KA0FCcSEAEwgCAOAAi00JAIAKlVHGDV7O9Xz5ocNi"
                + "2sZ1hrbatrAkUWQcm6QTOCSJVMi8FTgOEDNrS4VREh2ABwcqSQA=")!,
        // -d 3 -e 4 -x icc_pathname=odd.icc
        "withProfile": Base64.decoded(
            "/woDQQoXCgMS5gGwqaFJgPO8ju230os851tChVc+iUKPbgrBx6lQ2DnGRAUbqUbrw1QNAMTNGzel/gD8xV01RfGTBLwWt1Ap"
                + "M4fmZfg65YF2rU+PTrdB5p2w2jDc5iHcJnC2E+ZasCc6TMgGbxfgBn1Bq8UIEeHfPwAAEwgCAOQAi00JAIAKlVHGDV7O9Xz5"
                + "ocNi2sZ1hrbatrCEsdleGCQklBnbvIKbR8sw9CGG0tNTLrsOwAgGUEkC")!,
        // -d 0 -m 1 -e 2 -x icc_pathname=odd.icc
        "withProfileByPrefixes": Base64.decoded(
            "/woDQQgXCgMS5gGwqaFJgPO8ju230os851tChVc+iUKPbgrBx6lQ2DnGRAUbqUbrw1QNAMTNGzel/gD8xV01RfGTBLwWt1Ap"
                + "M4fmZfg65YF2rU+PTrdB5p2w2jDc5iHcJnC2E+ZasCc6TMgGbxfgBn1Bq8UIEeHfPwAIAgEAzABLEkcJpRMEIQWyby7GYJ0x"
                + "OCbGiTHORgAGgBAIACAem28BJipBYALwNmpg+dqq+IDPIwY=")!,
        // -d 0 -m 1 -g 0 -e 3 --group_order=1 --center_x=299 --center_y=3
        "reordered": Base64.decoded(
            "/woYAFaCgOJCCAABKGFs8g8TCAEAAAAGqIAKSxIpUb2AAhhwH8b7uAqCIJiRgoLmhTEGL2GsYhvVyNYpxmD9MTgmxv/4vxAA"
                + "EADCngvZgJUKAADApQgAAAAwAQAAAzD1lAA+aHNfX7AGgfbygLbl/bxDAeESAzBcSIVCUQORlGPf24AAQCSrGcYjp0tfTkp6"
                + "4rDr8zx3bTWUFkswgQQUIzDIVQEiKe8J37QfiUIDf9kUZtyqu2JPmMeG4Lrp+Zy7thpKiyWWUAIK")!,
        // -d 9 -e 3 -p
        "inPasses": Base64.decoded(
            "/woYAFaChOJCABMIAwDcAAsMAAAAAOljCwCACpVRxg1ezvV8+aHDYtrGdYa22rawJFFkHJukEzhMUlDs4PtICxGIiDHGyBik"
                + "qBgZIwEM+T/IgFfQ+weRYPntzT+PjfIqijclUVxVggCbEJvKlgCaBA2wHPQGBAAuZilJAA==")!,
        // -d 9 -e 3 --progressive_dc=1
        "withLowFrame": Base64.decoded(
            "/woDQUJxIQoBAABcAAA4AFgAWEoSxYKFJNZpwBrPJ6MicC8A4MMEwgCcAOljCwCACpVRxg1ezvV8+aHDYtrGdYa22rawJBFK"
                + "IYmDAuwABEElCQ==")!,
        // -d 0 -e 3
        "animated": Base64.decoded(
            "/wpBBAFYUFwSCAigggAAEAFLEsWCBVJgg892jMFEbgRAAIiBAACCEsdxwk+z8NcnX4wV2z8/INv//L0eINvd/B+/Idt//b0e"
                + "HNud/CW/oWkSCnwoLAiIEEAAAQQykQoCAKgASxLFgoUkVkLkNgAAEEmKy3UAlgMA4ne/bflvLuhv5Y5Q/umDTANAfAAACIgI"
                + "AMAACDKRCgEAwABLEsWChSQWYsCtNwNg722/4QMwHQAA8PpP5mQXEpZQ200syiQCuzcaBgAAzwcAAAA=")!,
    ]
}
