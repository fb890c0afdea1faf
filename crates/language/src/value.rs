//! The operators, to the bit (STRATEGY.md, "Meaning").

use crate::program::{Binary, Unary};

/// The value of an operator of one value.
pub const fn unary(operator: Unary, a: i64) -> i64 {
    match operator {
        Unary::Negate => a.wrapping_neg(),
        Unary::Absolute => a.wrapping_abs(),
        Unary::Invert => !a,
        Unary::Not => (a == 0) as i64,
    }
}

/// The value of an operator of two values, and whether it divided by zero.
pub const fn binary(operator: Binary, a: i64, b: i64) -> (i64, bool) {
    let value = match operator {
        Binary::Add => a.wrapping_add(b),
        Binary::Subtract => a.wrapping_sub(b),
        Binary::Multiply => a.wrapping_mul(b),
        Binary::FloorDivide | Binary::Modulo if b == 0 => return (0, true),
        Binary::FloorDivide => {
            let toward_zero = a.wrapping_div(b);
            let rounded_up = a.wrapping_rem(b) != 0 && (a < 0) != (b < 0);
            toward_zero - rounded_up as i64
        }
        Binary::Modulo => {
            let rest = a.wrapping_rem(b);
            if rest != 0 && (rest < 0) != (b < 0) {
                rest + b
            } else {
                rest
            }
        }
        Binary::ShiftLeft if b < 0 || b > 63 => 0,
        Binary::ShiftLeft => a << b,
        Binary::ShiftRight if b < 0 || b > 63 => a >> 63,
        Binary::ShiftRight => a >> b,
        Binary::And => a & b,
        Binary::Or => a | b,
        Binary::Xor => a ^ b,
        Binary::Equal => (a == b) as i64,
        Binary::NotEqual => (a != b) as i64,
        Binary::Less => (a < b) as i64,
        Binary::LessEqual => (a <= b) as i64,
        Binary::Greater => (a > b) as i64,
        Binary::GreaterEqual => (a >= b) as i64,
        Binary::Minimum => {
            if a < b {
                a
            } else {
                b
            }
        }
        Binary::Maximum => {
            if a > b {
                a
            } else {
                b
            }
        }
    };
    (value, false)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(operator: Binary, a: i64, b: i64) -> i64 {
        let (value, fault) = binary(operator, a, b);
        assert!(!fault, "{operator:?} of {a} and {b}");
        value
    }

    /// Expected values are CPython's `//` and `%`.
    #[test]
    fn division_and_modulo_round_towards_minus_infinity() {
        for (a, b, quotient, rest) in [
            (7, 2, 3, 1),
            (-7, 2, -4, 1),
            (7, -2, -4, -1),
            (-7, -2, 3, -1),
            (6, -2, -3, 0),
            (-6, 2, -3, 0),
        ] {
            assert_eq!(
                (of(Binary::FloorDivide, a, b), of(Binary::Modulo, a, b)),
                (quotient, rest),
                "{a} by {b}"
            );
        }
    }

    #[test]
    fn division_by_zero_gives_zero_and_a_fault() {
        for a in [0, 1, -1, i64::MAX, i64::MIN] {
            assert_eq!(binary(Binary::FloorDivide, a, 0), (0, true));
            assert_eq!(binary(Binary::Modulo, a, 0), (0, true));
        }
    }

    #[test]
    fn what_does_not_fit_wraps() {
        assert_eq!(of(Binary::Add, i64::MAX, 1), i64::MIN);
        assert_eq!(of(Binary::Subtract, i64::MIN, 1), i64::MAX);
        assert_eq!(of(Binary::Multiply, i64::MIN, -1), i64::MIN);
        assert_eq!(of(Binary::Multiply, 1 << 62, 4), 0);
        assert_eq!(of(Binary::FloorDivide, i64::MIN, -1), i64::MIN);
        assert_eq!(of(Binary::Modulo, i64::MIN, -1), 0);
        assert_eq!(unary(Unary::Negate, i64::MIN), i64::MIN);
        assert_eq!(unary(Unary::Absolute, i64::MIN), i64::MIN);
    }

    #[test]
    fn shifts_out_of_range_give_zero_or_the_sign() {
        for by in [-1, 64, i64::MIN, i64::MAX] {
            assert_eq!(of(Binary::ShiftLeft, 5, by), 0);
            assert_eq!(of(Binary::ShiftRight, 5, by), 0);
            assert_eq!(of(Binary::ShiftRight, -5, by), -1);
        }
        assert_eq!(of(Binary::ShiftLeft, 1, 63), i64::MIN);
        assert_eq!(of(Binary::ShiftRight, -5, 1), -3);
    }

    #[test]
    fn not_and_invert_are_two_things() {
        assert_eq!((unary(Unary::Not, 0), unary(Unary::Not, 1)), (1, 0));
        assert_eq!((unary(Unary::Invert, 0), unary(Unary::Invert, -1)), (-1, 0));
    }
}
