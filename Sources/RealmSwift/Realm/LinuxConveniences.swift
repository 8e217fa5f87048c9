import Foundation

// What user code knows from Apple's frameworks and Linux does not have.

/// Runs the closure. There are no autorelease pools without Objective-C; objects go when their
/// last reference does, so code that is written for both platforms does the same here.
@discardableResult
public func autoreleasepool<Result>(invoking body: () throws -> Result) rethrows -> Result {
  try body()
}

extension IndexPath {
  /// A place in a sectioned collection.
  public init(item: Int, section: Int) {
    self.init(indexes: [section, item])
  }

  /// A place in a sectioned collection.
  public init(row: Int, section: Int) {
    self.init(indexes: [section, row])
  }

  /// The first index.
  public var section: Int {
    get { self[0] }
    set { self[0] = newValue }
  }

  /// The second index.
  public var item: Int {
    get { self[1] }
    set { self[1] = newValue }
  }

  /// The second index.
  public var row: Int {
    get { self[1] }
    set { self[1] = newValue }
  }
}
