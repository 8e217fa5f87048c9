#!/usr/bin/env python3
"""Writes Tests/RealmSwiftTests/Values/DecimalVectors.swift: operands and results of decimal128
arithmetic by Python's decimal module, which implements the same standard independently.

Usage: tools/decimal-vectors.py > Tests/RealmSwiftTests/Values/DecimalVectors.swift
"""
import decimal
import random

SEED = 20261
context = decimal.Context(
    prec=34, rounding=decimal.ROUND_HALF_EVEN, Emin=-6143, Emax=6144, clamp=1, traps=[])
random.seed(SEED)

SPECIAL = ["0", "-0", "0E+3", "-0E-7", "1", "-1", "10", "1E+1", "0.1", "1E-6176", "-1E-6176",
           "9.999999999999999999999999999999999E+6144", "-9.999999999999999999999999999999999E+6144",
           "1E+6144", "1E-6143", "NaN", "Infinity", "-Infinity", "5", "0.5", "1.00",
           "9999999999999999999999999999999999", "0.000001", "0.0000001", "1E+33"]


def number():
    if random.random() < 0.2:
        return context.create_decimal(random.choice(SPECIAL))
    digits = random.choice([1, 2, 5, 16, 17, 33, 34, random.randint(1, 34)])
    coefficient = random.randint(0, 10 ** digits - 1)
    if random.random() < 0.2:
        coefficient = coefficient // 10 ** (digits // 2) * 10 ** (digits // 2)
    spread = random.choice([0, 3, 20, 45, 90, 6170])
    exponent = random.randint(-spread, min(spread, 6111))
    return context.create_decimal((random.randint(0, 1), tuple(map(int, str(coefficient))), exponent))


def near(value):
    """A number whose exponent is such that adding it to the other one rounds."""
    if not value.is_finite():
        return number()
    coefficient = random.randint(0, 10 ** random.choice([1, 34]) - 1)
    exponent = value.adjusted() + random.randint(-75, 40)
    if not -6100 < exponent < 6100:
        return number()
    return context.create_decimal((random.randint(0, 1), tuple(map(int, str(coefficient))), exponent))


def text(value):
    if value.is_nan():
        return "NaN"
    return str(value).replace("Infinity", "Inf")


def parsed():
    digits = "".join(random.choice("0123456789") for _ in range(random.randint(1, 60)))
    point = random.randint(0, len(digits))
    ending = random.choice(["", "", "0" * 30, "5" + "0" * 30, "5" + "0" * 30 + "1"])
    source = random.choice(["", "-", "+"]) + digits[:point] + "." + digits[point:] + ending
    if random.random() < 0.5:
        source += random.choice("eE") + str(random.randint(-6250, 6200))
    return source


def lines():
    for _ in range(250):
        left = number()
        right = near(left) if random.random() < 0.6 else number()
        results = [context.add(left, right), context.subtract(left, right),
                   context.multiply(left, right), context.divide(left, right)]
        order = context.compare(left, right)
        yield " ".join(text(value) for value in [left, right, *results, order])


def parses():
    for _ in range(150):
        source = parsed()
        yield f"{source} {text(context.create_decimal(source))}"


print("// Written by tools/decimal-vectors.py with Python's decimal module, seed %d.\n" % SEED)
print("/// left right left+right left-right left*right left/right compare(left, right)")
print('let decimalArithmeticVectors = """')
for line in lines():
    print("  " + line)
print('  """\n')
print("/// text, and the number nearest to it")
print('let decimalParsingVectors = """')
for line in parses():
    print("  " + line)
print('  """')
