//! One Parquet file, and the rows that wait to be written.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Compression, ConvertedType, Encoding, LogicalType, Repetition, TimeUnit, Type as Physical};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, Type};

use super::columns::{Form, ParquetCell, ParquetTable, columns};

/// The key of a file's metadata that names the recordings in it, a line each.
const RECORDINGS: &str = "weighbridge.recordings";

/// A file of a table. The waiting rows become a row group.
pub(super) struct Part<W: Write + Send> {
    writer: SerializedFileWriter<W>,
    columns: Vec<Values>,
    waiting: usize,
    rows: u64,
}

/// The known values of a column and, for each row, whether it has one (a definition level of 1).
struct Values {
    known: Known,
    levels: Vec<i16>,
}

enum Known {
    Text(Vec<ByteArray>),
    Int(Vec<i64>),
    Real(Vec<f64>),
    Flag(Vec<bool>),
}

impl<W: Write + Send> Part<W> {
    pub(super) fn new(table: ParquetTable, file: W, recordings: &str) -> io::Result<Self> {
        let columns = columns(table);
        let fields = columns.iter().map(|&(name, form)| field(name, form)).collect::<Result<_, _>>()?;
        let schema = Type::group_type_builder(table.name()).with_fields(fields).build()?;
        let fact = KeyValue::new(RECORDINGS.to_owned(), recordings.to_owned());
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_statistics_enabled(EnabledStatistics::Chunk)
            .set_key_value_metadata(Some(vec![fact]))
            .set_created_by(concat!("weighbridge ", env!("CARGO_PKG_VERSION")).to_owned());
        for &(name, _) in columns.iter().filter(|(_, form)| *form == Form::Int) {
            // Figures differ from row to row, so a dictionary would be as long as the column.
            properties = properties
                .set_column_dictionary_enabled(ColumnPath::from(name), false)
                .set_column_encoding(ColumnPath::from(name), Encoding::DELTA_BINARY_PACKED);
        }
        let values = |form| match form {
            Form::Text => Known::Text(Vec::new()),
            Form::Real => Known::Real(Vec::new()),
            Form::Flag => Known::Flag(Vec::new()),
            Form::Shared | Form::Int | Form::Time => Known::Int(Vec::new()),
        };
        Ok(Part {
            writer: SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties.build()))?,
            columns: columns.iter().map(|(_, form)| Values { known: values(*form), levels: Vec::new() }).collect(),
            waiting: 0,
            rows: 0,
        })
    }

    /// How many rows wait.
    pub(super) fn waiting(&self) -> usize {
        self.waiting
    }

    /// Adds a row: a cell for each column, in the column's form.
    pub(super) fn push(&mut self, cells: impl Iterator<Item = ParquetCell>) {
        for (column, cell) in self.columns.iter_mut().zip(cells) {
            let known = !matches!(cell, ParquetCell::Unknown);
            match (&mut column.known, cell) {
                (Known::Text(values), ParquetCell::Text(text)) => values.push(text),
                (Known::Int(values), ParquetCell::Int(n)) => values.push(n),
                (Known::Real(values), ParquetCell::Real(x)) => values.push(x),
                (Known::Flag(values), ParquetCell::Flag(yes)) => values.push(yes),
                _ => debug_assert!(!known, "a cell is in its column's form"),
            }
            column.levels.push(i16::from(known));
        }
        self.waiting += 1;
    }

    /// Writes the waiting rows as a row group. Gives their number.
    pub(super) fn flush(&mut self) -> io::Result<usize> {
        let rows = std::mem::take(&mut self.waiting);
        if rows == 0 {
            return Ok(0);
        }
        let mut group = self.writer.next_row_group()?;
        for values in &mut self.columns {
            let Some(mut column) = group.next_column()? else { break };
            let levels = Some(values.levels.as_slice());
            match &values.known {
                Known::Text(known) => column.typed::<ByteArrayType>().write_batch(known, levels, None)?,
                Known::Int(known) => column.typed::<Int64Type>().write_batch(known, levels, None)?,
                Known::Real(known) => column.typed::<DoubleType>().write_batch(known, levels, None)?,
                Known::Flag(known) => column.typed::<BoolType>().write_batch(known, levels, None)?,
            };
            column.close()?;
            values.clear();
        }
        group.close()?;
        self.rows += rows as u64;
        Ok(rows)
    }

    /// Completes the file. Gives its number of rows.
    pub(super) fn finish(mut self) -> io::Result<u64> {
        self.flush()?;
        self.writer.into_inner()?.flush()?;
        Ok(self.rows)
    }
}

/// The recordings whose rows are in a file of these tables; `None` for another Parquet file.
///
/// # Errors
/// The file cannot be read, or is no Parquet.
pub fn recordings_in(path: &Path) -> io::Result<Option<Vec<String>>> {
    let reader = SerializedFileReader::new(File::open(path)?)?;
    let facts = reader.metadata().file_metadata().key_value_metadata();
    let ours = facts.into_iter().flatten().find(|fact| fact.key == RECORDINGS);
    Ok(ours.map(|fact| fact.value.iter().flat_map(|names| names.lines()).map(str::to_owned).collect()))
}

fn field(name: &str, form: Form) -> Result<Arc<Type>, ParquetError> {
    let (physical, converted, logical) = match form {
        Form::Text => (Physical::BYTE_ARRAY, ConvertedType::UTF8, Some(LogicalType::String)),
        Form::Shared | Form::Int => (Physical::INT64, ConvertedType::NONE, None),
        Form::Time => {
            (Physical::INT64, ConvertedType::TIMESTAMP_MILLIS, Some(LogicalType::timestamp(true, TimeUnit::MILLIS)))
        }
        Form::Real => (Physical::DOUBLE, ConvertedType::NONE, None),
        Form::Flag => (Physical::BOOLEAN, ConvertedType::NONE, None),
    };
    let builder = Type::primitive_type_builder(name, physical).with_repetition(Repetition::OPTIONAL);
    Ok(Arc::new(builder.with_converted_type(converted).with_logical_type(logical).build()?))
}

impl Values {
    fn clear(&mut self) {
        self.levels.clear();
        match &mut self.known {
            Known::Text(known) => known.clear(),
            Known::Int(known) => known.clear(),
            Known::Real(known) => known.clear(),
            Known::Flag(known) => known.clear(),
        }
    }
}
