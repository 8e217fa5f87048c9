extension Range where Bound == Int {
  /// Binary search: the first number that a condition does not hold for, or the upper bound if it
  /// holds for all. It must hold for a prefix of the range only. The bounds are numbers of
  /// elements: their sum does not overflow.
  @inlinable @inline(__always)
  public func partitionPoint<Failure: Error>(
    where isBefore: (Int) throws(Failure) -> Bool
  ) throws(Failure) -> Int {
    var low = lowerBound
    var high = upperBound
    while low < high {
      let middle = (low &+ high) &>> 1
      if try isBefore(middle) { low = middle &+ 1 } else { high = middle }
    }
    return low
  }
}
