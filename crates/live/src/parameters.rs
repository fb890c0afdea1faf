//! Parameters of a strategy, as they are written on the command line and in a desk.

use std::collections::BTreeMap;

use formats::Side;
use language::{Program, Type};

/// The instruments that a parameter may name.
#[derive(Clone, Debug)]
pub struct Instruments {
    /// Name and index of each. Parameters that are not set get them in this order.
    pub named: Vec<(String, i64)>,
    /// Where they stand, for messages.
    pub place: &'static str,
    /// Decimals of their prices.
    pub decimals: u8,
}

/// What is wrong with the parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wrong {
    /// The parameter that was set wrongly; `None`: it is one that was not set.
    pub parameter: Option<String>,
    /// Why, and what to write.
    pub text: String,
}

/// The values of all parameters: as set, else an instrument among those that are left, else the default.
///
/// # Errors
/// A parameter that is not there, a value that is none of its type, and one without a value.
pub fn values(
    program: &Program,
    set: &[(String, String)],
    instruments: &Instruments,
) -> Result<Vec<i64>, Wrong> {
    let mut given = Vec::new();
    let mut free = instruments.named.iter().map(|(_, index)| *index);
    for (name, text) in set {
        let wrong = |text: String| Wrong {
            parameter: Some(name.clone()),
            text,
        };
        let found = program.parameters.iter().find(|one| one.name == *name);
        let of = found.ok_or_else(|| wrong(no_parameter(program, name)))?.of;
        let value = value(of, text, instruments).map_err(wrong)?;
        given.push((name.as_str(), value));
    }
    let left = |text: String| Wrong {
        parameter: None,
        text,
    };
    for parameter in &program.parameters {
        let is_set = set.iter().any(|(name, _)| *name == parameter.name);
        if parameter.of == Type::Instrument && parameter.default.is_none() && !is_set {
            let index = free.next().ok_or_else(|| {
                left(format!(
                    "parameter {} has no instrument: name more in {}, or set it",
                    parameter.name, instruments.place
                ))
            })?;
            given.push((parameter.name.as_str(), index));
        }
    }
    language::parameters(program, given).map_err(|error| left(error.to_string()))
}

/// That there is no such parameter, and which there are.
fn no_parameter(program: &Program, name: &str) -> String {
    let names = program.parameters.iter().map(|one| one.name.as_str());
    let has = match names.collect::<Vec<_>>().join(", ") {
        names if names.is_empty() => "none".to_owned(),
        names => names,
    };
    format!("it has no parameter {name}; it has {has}")
}

/// All parameters by name, as their values would be written.
pub fn written(
    program: &Program,
    values: &[i64],
    instruments: &Instruments,
) -> BTreeMap<String, String> {
    let text = |of: Type, value: i64| match of {
        Type::Price => price_text(value, instruments.decimals),
        Type::Bool => (value != 0).to_string(),
        Type::Side if value == Side::Buy as i64 => "buy".to_owned(),
        Type::Side => "sell".to_owned(),
        Type::Instrument => {
            let mut named = instruments.named.iter();
            let found = named.find(|(_, index)| *index == value);
            found.map_or_else(|| value.to_string(), |(name, _)| name.clone())
        }
        _ => value.to_string(),
    };
    let values = program.parameters.iter().zip(values);
    values
        .map(|(one, value)| (one.name.clone(), text(one.of, *value)))
        .collect()
}

/// A price as it is read, without zeros at its end.
fn price_text(price: i64, decimals: u8) -> String {
    let (width, sign) = (usize::from(decimals), if price < 0 { "-" } else { "" });
    let digits = format!("{:0>1$}", price.unsigned_abs(), width + 1);
    let (whole, part) = digits.split_at(digits.len() - width);
    match part.trim_end_matches('0') {
        "" => format!("{sign}{whole}"),
        part => format!("{sign}{whole}.{part}"),
    }
}

/// The value of a parameter as it is written.
fn value(of: Type, text: &str, instruments: &Instruments) -> Result<i64, String> {
    match of {
        Type::Price => price(text, instruments.decimals),
        Type::Bool => match text {
            "true" | "True" | "1" => Ok(1),
            "false" | "False" | "0" => Ok(0),
            _ => Err("write true or false".into()),
        },
        Type::Side => match text {
            "buy" => Ok(Side::Buy as i64),
            "sell" => Ok(Side::Sell as i64),
            _ => Err("write buy or sell".into()),
        },
        Type::Instrument => {
            let mut named = instruments.named.iter();
            let found = named.find(|(name, _)| name == text);
            let (_, index) =
                found.ok_or_else(|| format!("{text} is none of {}", instruments.place))?;
            Ok(*index)
        }
        _ => text
            .parse()
            .map_err(|_| format!("{text:?} is no whole number")),
    }
}

/// A price as it is written, with so many decimals.
fn price(text: &str, decimals: u8) -> Result<i64, String> {
    let wrong = || {
        let such = ["12 or -1", "12.5 or -0.1"].get(usize::from(decimals));
        let such = such.unwrap_or(&"12.5 or -0.01");
        format!("{text:?} is no price with up to {decimals} decimals, such as {such}")
    };
    let width = usize::from(decimals);
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let (whole, part) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.is_empty() || part.len() > width || !all_digits(whole) || !all_digits(part) {
        return Err(wrong());
    }
    let scaled: i64 = format!("{whole}{part:0<width$}")
        .parse()
        .map_err(|_| wrong())?;
    Ok(if negative { -scaled } else { scaled })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_read_with_its_decimals_and_nothing_else() {
        for (text, expected) in [
            ("12.5", 125_000),
            ("12", 120_000),
            ("-0.01", -100),
            ("0.0001", 1),
        ] {
            assert_eq!(price(text, 4), Ok(expected), "{text}");
            assert_eq!(price_text(expected, 4), text);
        }
        assert_eq!(price_text(0, 4), "0");
        assert_eq!(price_text(133_250, 0), "133250");
        assert_eq!(price("133250", 0), Ok(133_250));
        assert!(price("133250.5", 0).is_err());
        for text in [
            "",
            ".5",
            "1.23456",
            "1e3",
            "--1",
            "1.-2",
            "99999999999999999999",
        ] {
            assert!(price(text, 4).is_err(), "{text}");
        }
    }
}
