//! What the operator says of a session that begins again.

use clap::Args;
use live::restart::Positions;

/// What the operator says of a session that begins again.
#[derive(Args, Clone, Debug, Default)]
pub struct RestartOptions {
    /// What is held, as the exchange says, and that no order is open there: in place of what the session's store has
    ///
    /// Bought less sold, of each instrument; those that are not named, and all with `none`, hold nothing.
    #[arg(
        long,
        value_name = "SYMBOL=QUANTITY,…",
        help_heading = "A session that begins again"
    )]
    pub confirm_positions: Option<Positions>,
}
