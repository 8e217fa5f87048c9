import Testing

@testable import PackageIndex

@Suite struct PackageIndexReaderTests {
  private let index = """
    Package: alpha
    Version: 1:2.0-1
    Installed-Size: 120
    Architecture: amd64
    Pre-Depends: dpkg (>= 1.15)
    Depends: libc6 (>= 2.34), beta:any | gamma, libc6 (<< 3)
    Description: first: with a colon
     continued: not a field
    Section: utils
    Size: 4096

    Package: beta
    Version: 0.1

    """

  @Test func fieldsOfEveryParagraphAreRead() {
    let packages = Array(PackageIndexReader(text: index))
    #expect(packages.map(\.name) == ["alpha", "beta"])
    let alpha = packages[0]
    #expect(alpha.identifier == "alpha 1:2.0-1 amd64")
    #expect(alpha.section == "utils")
    #expect(alpha.size == 4096)
    #expect(alpha.installedSize == 120)
    #expect(alpha.summary == "first: with a colon")
  }

  @Test func dependenciesAreNamesWithAlternativesEachOnce() {
    let alpha = PackageIndexReader(text: index).first { _ in true }
    #expect(alpha?.dependencies == ["dpkg", "libc6", "beta", "gamma"])
    #expect(dependencyNames("a(>= 1),b  |c:any <!x>") == ["a", "b", "c"])
    #expect(dependencyNames("").isEmpty)
  }

  @Test func aMissingEmptyLineAtTheEndAndSeveralInBetweenDoNotMatter() {
    let names = PackageIndexReader(text: "\n\nPackage: a\n\n\n\nPackage: b").map(\.name)
    #expect(names == ["a", "b"])
  }
}
