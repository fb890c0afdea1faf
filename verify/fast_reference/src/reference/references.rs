//! Static references between templates: that they end, and that what they put together is not too large.

use super::NESTING;
use super::error::StaticCode;
use super::template::{Instruction, Templates};

/// How many instructions a template may have, with those of the templates it refers to statically.
const INSTRUCTIONS: usize = 100_000;

/// How deep a template is, and how many instructions it has, both with what it refers to statically.
#[derive(Clone, Copy)]
struct Size {
    depth: usize,
    instructions: usize,
}

/// Where a template stands in the search.
#[derive(Clone, Copy)]
enum Progress {
    New,
    Begun,
    Done(Size),
}

/// Checks every template.
///
/// # Errors
/// The index of a template that is in a cycle of static references or too large.
pub fn check(templates: &Templates) -> Result<(), (usize, StaticCode)> {
    let mut progress = vec![Progress::New; templates.list.len()];
    for index in 0..templates.list.len() {
        size_of(templates, index, 1, &mut progress).map_err(|code| (index, code))?;
    }
    Ok(())
}

fn size_of(
    templates: &Templates,
    index: usize,
    depth: usize,
    progress: &mut [Progress],
) -> Result<Size, StaticCode> {
    match progress[index] {
        Progress::Done(size) => return Ok(size),
        Progress::Begun => return Err(StaticCode::Cycle),
        Progress::New => progress[index] = Progress::Begun,
    }
    let size = size_of_all(
        templates,
        &templates.list[index].instructions,
        depth,
        progress,
    )?;
    progress[index] = Progress::Done(size);
    Ok(size)
}

fn size_of_all(
    templates: &Templates,
    instructions: &[Instruction],
    depth: usize,
    progress: &mut [Progress],
) -> Result<Size, StaticCode> {
    let mut size = Size {
        depth: 1,
        instructions: instructions.len(),
    };
    for instruction in instructions {
        let inner = match instruction {
            Instruction::Group(group) => {
                size_of_all(templates, &group.instructions, depth + 1, progress)?
            }
            Instruction::Sequence(sequence) => {
                size_of_all(templates, &sequence.instructions, depth + 1, progress)?
            }
            Instruction::StaticReference(name) => match templates.by_name.get(name) {
                // This search goes as deep as the references do.
                Some(_) if depth >= NESTING => return Err(StaticCode::Limit),
                Some(&index) => size_of(templates, index, depth + 1, progress)?,
                None => continue,
            },
            _ => continue,
        };
        size.depth = size.depth.max(inner.depth + 1);
        size.instructions = size.instructions.saturating_add(inner.instructions);
    }
    if size.depth > NESTING || size.instructions > INSTRUCTIONS {
        return Err(StaticCode::Limit);
    }
    Ok(size)
}
