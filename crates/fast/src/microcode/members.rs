//! Marks fields of a program for the stage after the engine, which needs no table for it: the highest bits of a field's number are its
//! member.

use super::{Program, ValueKind};

/// Bits of a field's number that stay its number.
const NUMBER_BITS: u32 = 28;

impl Program {
    /// Sets bits 31 to 28 of the number of each wanted field: `member` gives them for a template's identifier and the field's number; 0:
    /// none.
    ///
    /// Where fields also have a [`Numbering`](super::Numbering), this comes after it.
    pub fn mark(&mut self, member: impl Fn(u32, u32) -> u8) {
        let mut ends = self.subroutines.iter().skip(1);
        let all = self.groups.len();
        let mut ranges = Vec::new();
        for subroutine in &self.subroutines {
            let end = ends.next().map_or(all, |next| usize::from(next.row.start));
            ranges.push((usize::from(subroutine.row.start)..end, subroutine.row.id));
        }
        for (range, template) in ranges {
            let groups = self.groups.get_mut(range).into_iter().flatten();
            for execute in groups.flat_map(|(_, executes)| executes) {
                if execute.wanted && execute.kind != ValueKind::None {
                    let number = execute.tag & ((1 << NUMBER_BITS) - 1);
                    let member = u32::from(member(template, execute.tag) & 15);
                    execute.tag = member << NUMBER_BITS | number;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::Templates;
    use crate::microcode::{Room, Wanted, assemble};

    #[test]
    fn each_template_has_its_own_members_and_numbers_stay() {
        let xml = r#"<templates><template name="A" id="1"><uInt32 name="X" id="48"/><decimal name="P" id="270"/></template>
            <template name="B" id="2"><uInt32 name="X" id="48"/><string name="S" id="55"/></template></templates>"#;
        let templates = Templates::parse(xml).expect("well-formed");
        let mut program = assemble(&templates, &Wanted::All, Room::default());
        program.mark(|template, tag| match (template, tag) {
            (1, 270) => 5,
            (2, 48) => 3,
            _ => 0,
        });
        let tags: Vec<u32> = program
            .groups
            .iter()
            .flat_map(|(_, executes)| executes)
            .filter(|execute| execute.wanted)
            .map(|execute| execute.tag)
            .collect();
        assert_eq!(tags, [48, 5 << 28 | 270, 5 << 28 | 270, 3 << 28 | 48, 55]);
    }
}
