//! Which stage of the clock a value is worked out in.

use language::program::{Binary, Unary};

use crate::build::{Built, leaving, needed, operands};
use crate::graph::{Graph, Id, Node, Unit, is_comparison};

/// What fits between two registers, in the unit of [`delay`]: about a nanosecond on the LFE5UM5G-85F-8 in a full part, at 156.25 MHz.
const PERIOD: f64 = 5.2;

/// A handler's stages.
#[derive(Clone, Debug)]
pub struct Schedule {
    /// The stage of each value; those that nothing needs have none.
    pub stage: Vec<Option<usize>>,
    /// The stage in which each unit works; those that nothing needs do not.
    pub units: Vec<Option<usize>>,
    /// How many stages there are.
    pub stages: usize,
    /// After this stage all is known that leaves; only the state may take longer.
    pub leave: usize,
}

/// Whether a value is there in every stage without a register.
pub fn is_free(node: &Node) -> bool {
    matches!(
        node,
        Node::Constant(_)
            | Node::Input(_)
            | Node::Parameter(_)
            | Node::Word(_)
            | Node::Orders
            | Node::Unit(..)
    )
}

/// How long it takes to work a value out of its operands, wires included.
fn delay(graph: &Graph, id: Id) -> f64 {
    match graph.nodes[id] {
        Node::Read { length, .. } => 1.0 + 0.4 * (length as f64).log2(),
        Node::Position(_) => 2.6,
        Node::Unary(Unary::Negate, _) => 3.0,
        Node::Unary(Unary::Absolute, _) => 3.6,
        Node::Unary(Unary::Invert, _) => 0.3,
        Node::Unary(Unary::Not, a) => {
            if graph.is_bool(a) {
                0.3
            } else {
                2.4
            }
        }
        Node::Binary(operator, ..) => match operator {
            Binary::Add | Binary::Subtract => 3.0,
            Binary::Equal | Binary::NotEqual => 2.6,
            Binary::Minimum | Binary::Maximum => 4.4,
            Binary::ShiftLeft | Binary::ShiftRight => 0.0,
            _ if is_comparison(operator) => 3.2,
            _ => 0.6,
        },
        Node::Select(..) => 0.9,
        _ => 0.0,
    }
}

/// Puts every value into the first stage in which it fits.
pub fn schedule(built: &Built) -> Schedule {
    let graph = &built.graph;
    let needed = needed(built);
    let mut at: Vec<Option<(usize, f64)>> = vec![None; graph.nodes.len()];
    let mut units: Vec<Option<usize>> = vec![None; graph.units.len()];
    let mut after_level = 0;
    for id in (0..graph.nodes.len()).filter(|id| needed[*id]) {
        // Operands stand before what is made of them.
        let of = |operand: Id| at[operand].unwrap_or((0, 0.0));
        let operands = operands(graph, id);
        at[id] = Some(if let Node::Unit(unit, _) = graph.nodes[id] {
            let works = *units[unit].get_or_insert_with(|| {
                let begin = operands.iter().map(|operand| {
                    let (stage, time) = of(*operand);
                    stage + usize::from(time > 0.0)
                });
                let mut begin = begin.max().unwrap_or(0);
                if matches!(graph.units[unit], Unit::Level(..)) {
                    // The book answers one at a time.
                    begin = begin.max(after_level);
                    after_level = begin + 1;
                }
                begin
            });
            (works + 1, 0.0)
        } else {
            let stage = operands.iter().map(|operand| of(*operand).0).max();
            let stage = stage.unwrap_or(0);
            let begin = operands
                .iter()
                .map(|operand| of(*operand))
                .filter(|(of, _)| *of == stage)
                .fold(0.0, |most: f64, (_, time)| most.max(time));
            let own = delay(graph, id);
            match begin + own {
                ends if ends <= PERIOD || begin == 0.0 => (stage, ends),
                _ => (stage + 1, own),
            }
        });
    }
    let last = at.iter().flatten().map(|(stage, _)| *stage);
    let leaving = leaving(built);
    let leave = leaving.iter().filter_map(|id| at[*id]);
    Schedule {
        leave: leave.map(|(stage, _)| stage).max().unwrap_or(0),
        stages: last.max().unwrap_or(0) + 1,
        stage: at.iter().map(|at| at.map(|(stage, _)| stage)).collect(),
        units,
    }
}
