//! The levels of a book as rows, in the columns of LOBSTER's samples: CSV and Parquet.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;

use book::{Book, Level};
use formats::Side;
use parquet::basic::{Compression, Repetition, Type as PhysicalType};
use parquet::data_type::Int64Type;
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use crate::error::Error;
use crate::partial::Partial;

/// Price of an ask that is not there; that of a bid is its negative (LOBSTER's samples, "orderbook" file).
const NO_PRICE: i64 = 9_999_999_999;
/// Columns of a level.
const COLUMNS: usize = 4;
/// Rows of a row group.
const GROUP: usize = 1 << 16;

/// Where rows go.
pub struct Outputs {
    levels: usize,
    /// The levels of the last row.
    row: Vec<i64>,
    next: Vec<i64>,
    rows: u64,
    csv: Option<Csv>,
    parquet: Option<Parquet>,
}

struct Csv {
    partial: Partial,
    out: BufWriter<File>,
}

struct Parquet {
    partial: Partial,
    out: SerializedFileWriter<File>,
    /// Time, then those of the levels.
    columns: Vec<Vec<i64>>,
}

/// A book without orders, as a row.
fn empty(levels: usize) -> Vec<i64> {
    [NO_PRICE, 0, -NO_PRICE, 0].repeat(levels)
}

/// The names of the columns after the time.
fn names(levels: usize) -> impl Iterator<Item = String> {
    let of = |rank| {
        ["ask_price", "ask_size", "bid_price", "bid_size"].map(|name| format!("{name}_{rank}"))
    };
    (1..=levels).flat_map(of)
}

fn cannot_write(path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = path.to_owned();
    move |cause| Error::Write { path, cause }
}

fn of_parquet(error: ParquetError) -> io::Error {
    match error {
        ParquetError::External(cause) => match cause.downcast::<io::Error>() {
            Ok(cause) => *cause,
            Err(cause) => io::Error::other(cause),
        },
        other => io::Error::other(other),
    }
}

impl Csv {
    fn create(path: &Path, levels: usize) -> io::Result<Self> {
        let (file, partial) = Partial::create(path)?;
        let mut out = BufWriter::new(file);
        out.write_all(b"time")?;
        for name in names(levels) {
            write!(out, ",{name}")?;
        }
        out.write_all(b"\n")?;
        Ok(Csv { partial, out })
    }

    fn row(&mut self, time: u64, row: &[i64]) -> io::Result<()> {
        let (seconds, nanoseconds) = (time / 1_000_000_000, time % 1_000_000_000);
        write!(self.out, "{seconds}.{nanoseconds:09}")?;
        for value in row {
            write!(self.out, ",{value}")?;
        }
        self.out.write_all(b"\n")
    }
}

impl Parquet {
    fn create(path: &Path, levels: usize) -> Result<Self, ParquetError> {
        let column = |name: String| {
            let column = Type::primitive_type_builder(&name, PhysicalType::INT64);
            column
                .with_repetition(Repetition::REQUIRED)
                .build()
                .map(Arc::new)
        };
        let all = std::iter::once("time".to_owned()).chain(names(levels));
        let fields = all.map(column).collect::<Result<Vec<_>, _>>()?;
        let columns = vec![Vec::with_capacity(GROUP); fields.len()];
        let schema = Type::group_type_builder("book")
            .with_fields(fields)
            .build()?;
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_created_by(concat!("tickwire ", env!("CARGO_PKG_VERSION")).to_owned())
            .build();
        let (file, partial) = Partial::create(path)?;
        Ok(Parquet {
            partial,
            out: SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties))?,
            columns,
        })
    }

    fn row(&mut self, time: u64, row: &[i64]) -> Result<(), ParquetError> {
        let values = std::iter::once(time as i64).chain(row.iter().copied());
        for (column, value) in self.columns.iter_mut().zip(values) {
            column.push(value);
        }
        if self.columns[0].len() == GROUP {
            self.group()?;
        }
        Ok(())
    }

    /// Writes the rows that wait as a row group.
    fn group(&mut self) -> Result<(), ParquetError> {
        if self.columns[0].is_empty() {
            return Ok(());
        }
        let mut group = self.out.next_row_group()?;
        for values in &mut self.columns {
            if let Some(mut column) = group.next_column()? {
                column
                    .typed::<Int64Type>()
                    .write_batch(values, None, None)?;
                column.close()?;
            }
            values.clear();
        }
        group.close()?;
        Ok(())
    }

    fn finish(mut self) -> Result<(), ParquetError> {
        self.group()?;
        self.out.close()?;
        Ok(self.partial.complete()?)
    }
}

impl Outputs {
    /// Begins the files.
    ///
    /// # Errors
    /// One of them cannot be written.
    pub fn create(
        csv: Option<&Path>,
        parquet: Option<&Path>,
        levels: usize,
    ) -> Result<Self, Error> {
        let csv = csv.map(|path| Csv::create(path, levels).map_err(cannot_write(path)));
        let parquet = parquet.map(|path| {
            let created = Parquet::create(path, levels).map_err(of_parquet);
            created.map_err(cannot_write(path))
        });
        Ok(Outputs {
            levels,
            row: empty(levels),
            next: empty(levels),
            rows: 0,
            csv: csv.transpose()?,
            parquet: parquet.transpose()?,
        })
    }

    /// Writes a row if the levels that are shown have changed.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn change(&mut self, book: &Book, time: u64, instrument: u32) -> Result<(), Error> {
        self.next.clear();
        let mut asks = book.levels(instrument, Side::Sell);
        let mut bids = book.levels(instrument, Side::Buy);
        for _ in 0..self.levels {
            let of = |level: Option<Level>, none: i64| {
                level.map_or([none, 0], |level| [level.price, level.quantity as i64])
            };
            self.next.extend(of(asks.next(), NO_PRICE));
            self.next.extend(of(bids.next(), -NO_PRICE));
        }
        debug_assert_eq!(self.next.len(), COLUMNS * self.levels);
        if self.next == self.row {
            return Ok(());
        }
        std::mem::swap(&mut self.row, &mut self.next);
        self.rows += 1;
        if let Some(csv) = &mut self.csv {
            csv.row(time, &self.row)
                .map_err(cannot_write(csv.partial.path()))?;
        }
        if let Some(parquet) = &mut self.parquet {
            let written = parquet.row(time, &self.row).map_err(of_parquet);
            written.map_err(cannot_write(parquet.partial.path()))?;
        }
        Ok(())
    }

    /// Ends the files; returns how many rows each has.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn finish(self) -> Result<u64, Error> {
        if let Some(mut csv) = self.csv {
            let path = csv.partial.path().to_owned();
            let written = csv.out.flush().and_then(|()| csv.partial.complete());
            written.map_err(cannot_write(&path))?;
        }
        if let Some(parquet) = self.parquet {
            let path = parquet.partial.path().to_owned();
            parquet
                .finish()
                .map_err(of_parquet)
                .map_err(cannot_write(&path))?;
        }
        Ok(self.rows)
    }
}
