# scripts/package brew inserts the address and the checksum of the archive.
class ApodTools < Formula
  desc "Fetch, cache and shrink pictures from the network in pipes"
  homepage "https://apod.nasa.gov/"
  url "@URL@"
  sha256 "@SHA256@"
  license "Apache-2.0"

  depends_on "pkgconf" => :build
  depends_on xcode: ["26.0", :build]
  depends_on "gumbo-parser"
  depends_on "isa-l"
  depends_on "jpeg-turbo"
  depends_on "jpeg-xl"
  depends_on "libavif"
  depends_on "libdeflate"
  depends_on "libheif"
  depends_on "libidn2"
  depends_on "libpng"
  depends_on "libtiff"
  depends_on "little-cms2"
  depends_on :macos
  depends_on "nettle"
  depends_on "pango"
  depends_on "sqlite"
  depends_on "webp"
  depends_on "zlib"

  def install
    # Homebrew already runs tests in a sandbox, and sandboxes cannot be nested.
    system "swift", "build", "--disable-sandbox", "-c", "release", "--product", "apod-tools"
    ENV["APOD_TOOLS_BIN"] = buildpath/".build/release"
    ENV["PREFIX"] = prefix
    system "scripts/install", "--one-program"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/img-cache --version")
    (testpath/"lines").write "not a picture"
    assert_match "error", shell_output("#{bin}/img-downsample --width 9 lines", 65)
  end
end
