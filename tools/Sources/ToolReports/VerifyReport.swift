/// What `holdfast verify` found.
public struct VerifyReport: Codable, Sendable, Equatable {
  public struct Problem: Codable, Sendable, Equatable {
    /// Where: `version 12`, `Package.size`, `free space`.
    public var place: String
    /// In the file, if the problem has one place there.
    public var offset: UInt64?
    /// What was expected and what is there.
    public var message: String

    public init(place: String, offset: UInt64?, message: String) {
      self.place = place
      self.offset = offset
      self.message = message
    }
  }

  public var path: String
  /// The versions that were walked: the newest and every pinned one.
  public var versions: [UInt64]
  public var nodes: Int
  public var objects: Int
  public var bytes: UInt64
  public var seconds: Double
  public var problems: [Problem]

  public init(
    path: String, versions: [UInt64], nodes: Int, objects: Int, bytes: UInt64,
    seconds: Double, problems: [Problem]
  ) {
    self.path = path
    self.versions = versions
    self.nodes = nodes
    self.objects = objects
    self.bytes = bytes
    self.seconds = seconds
    self.problems = problems
  }

  public var isSound: Bool { problems.isEmpty }
}

extension VerifyReport: TextReport {
  public var text: String {
    var lines = [
      "\(path): \(Quantity.number(of: versions.count, "version")), "
        + "\(Quantity.number(of: nodes, "node")), \(Quantity.number(of: objects, "object")), "
        + "\(Quantity.bytes(bytes)) in \(Quantity.seconds(seconds))"
    ]
    for problem in problems {
      let offset = problem.offset.map { " at byte \($0)" } ?? ""
      lines.append("damaged: \(problem.place)\(offset): \(problem.message)")
    }
    lines.append(isSound ? "sound" : Quantity.number(of: problems.count, "problem"))
    return lines.joined(separator: "\n")
  }
}
