//! How the screen is drawn.

use formats::Side;
use formats::fix::Decimal;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::style::{Modifier, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Borders, Cell, Paragraph, Row, Table, TableState};

use super::Screen;
use crate::account::{Account, Own, side};
use crate::command::text;

const KEYS: &str = "Enter send  ↑↓ choose order  Del cancel  F2 replace  PgUp PgDn messages  Esc clear  Ctrl-C quit";

/// Draws all of it.
pub fn draw(frame: &mut Frame<'_>, screen: &Screen, account: &Account) {
    let rows = Layout::vertical([
        Constraint::Length(1),
        Constraint::Percentage(30),
        Constraint::Percentage(40),
        Constraint::Min(3),
        Constraint::Length(3),
        Constraint::Length(1),
    ]);
    let [title, market, orders, messages, input, keys] = rows.areas(frame.area());
    frame.render_widget(Line::from(screen.title.as_str()).bold(), title);
    let [prices, stops] =
        Layout::horizontal([Constraint::Percentage(60), Constraint::Percentage(40)]).areas(market);
    draw_prices(frame, prices, account);
    draw_stops(frame, stops, account);
    draw_orders(frame, orders, screen, account.orders());
    draw_messages(frame, messages, screen);
    draw_input(frame, input, screen);
    frame.render_widget(Line::from(KEYS).dim(), keys);
}

fn block(title: &str) -> Block<'_> {
    Block::new().borders(Borders::TOP).title(title)
}

fn or_dash(value: Option<Decimal>) -> String {
    value.map_or_else(|| "-".into(), text)
}

fn header<const N: usize>(names: [&str; N]) -> Row<'_> {
    Row::new(names.map(Cell::from)).style(Style::new().add_modifier(Modifier::DIM))
}

fn colour(side: Side, text: String) -> Cell<'static> {
    match side {
        Side::Buy => Cell::from(text).green(),
        Side::Sell => Cell::from(text).red(),
    }
}

fn draw_prices(frame: &mut Frame<'_>, area: Rect, account: &Account) {
    let rows = account.prices().map(|(symbol, prices)| {
        Row::new([
            Cell::from(symbol.to_owned()),
            Cell::from(or_dash(prices.bid_size)),
            colour(Side::Buy, or_dash(prices.bid)),
            colour(Side::Sell, or_dash(prices.offer)),
            Cell::from(or_dash(prices.offer_size)),
            Cell::from(or_dash(prices.last)).bold(),
        ])
    });
    let table = Table::new(rows, [Constraint::Fill(1); 6])
        .header(header(["symbol", "size", "bid", "offer", "size", "last"]))
        .block(block("prices: watch SYMBOL"));
    frame.render_widget(table, area);
}

fn draw_stops(frame: &mut Frame<'_>, area: Rect, account: &Account) {
    let stops = account.stops();
    let lines: Vec<_> = stops
        .iter()
        .map(|(number, trigger, order)| {
            let (side, quantity, symbol) = (side(order.side), order.quantity, &order.symbol);
            // The trigger is held in millionths.
            let trigger = text(*trigger);
            let trigger = trigger.trim_end_matches('0').trim_end_matches('.');
            Line::from(format!(
                "{number}: {side} {quantity} {symbol} at {trigger}: {order}"
            ))
        })
        .collect();
    let title = "stop orders held here: stop …, unstop N";
    frame.render_widget(Paragraph::new(lines).block(block(title)), area);
}

fn status(own: &Own) -> String {
    own.status
        .map_or_else(|| "sent".into(), |status| format!("{status:?}"))
}

fn draw_orders(frame: &mut Frame<'_>, area: Rect, screen: &Screen, orders: &[Own]) {
    let rows = orders.iter().map(|own| {
        let row = Row::new([
            Cell::from(own.name.clone()),
            colour(own.order.side, side(own.order.side).to_owned()),
            Cell::from(own.order.quantity.to_string()),
            Cell::from(own.order.symbol.clone()),
            Cell::from(own.order.to_string()),
            Cell::from(status(own)),
            Cell::from(text(own.traded)),
            Cell::from(text(own.average)),
            Cell::from(text(own.leaves)),
        ]);
        if own.is_open() { row } else { row.dim() }
    });
    let widths = [
        Constraint::Min(14),
        Constraint::Length(4),
        Constraint::Min(8),
        Constraint::Min(8),
        Constraint::Min(12),
        Constraint::Min(15),
        Constraint::Min(8),
        Constraint::Min(10),
        Constraint::Min(8),
    ];
    let names = [
        "order", "side", "quantity", "symbol", "price", "status", "traded", "average", "left",
    ];
    let table = Table::new(rows, widths)
        .header(header(names))
        .row_highlight_style(Style::new().add_modifier(Modifier::REVERSED))
        .block(block("orders"));
    // The newest are visible if none is chosen.
    let height = usize::from(area.height.saturating_sub(2));
    let place = screen.place(orders);
    let offset = orders.len().saturating_sub(height.max(1));
    let mut state = TableState::new()
        .with_offset(offset.min(place.unwrap_or(offset)))
        .with_selected(place);
    frame.render_stateful_widget(table, area, &mut state);
}

fn draw_messages(frame: &mut Frame<'_>, area: Rect, screen: &Screen) {
    let height = usize::from(area.height.saturating_sub(1));
    let end = screen.messages.len().saturating_sub(screen.back);
    let lines: Vec<_> = screen
        .messages
        .range(end.saturating_sub(height)..end)
        .map(|(is_alarm, message)| {
            let span = Span::from(message.as_str());
            Line::from(if *is_alarm { span.red() } else { span })
        })
        .collect();
    let title = if screen.back > 0 {
        "messages (older; PgDn or Esc goes back)"
    } else {
        "messages"
    };
    frame.render_widget(Paragraph::new(lines).block(block(title)), area);
}

fn draw_input(frame: &mut Frame<'_>, area: Rect, screen: &Screen) {
    let width = usize::from(area.width.saturating_sub(3));
    let count = screen.input.chars().count();
    let shown: String = screen
        .input
        .chars()
        .skip(count.saturating_sub(width))
        .collect();
    let title = "buy|sell 100 ABC 10.00|market|stop 9.50 [ioc|fok], stop sell 100 ABC 9.50, cancel NAME, replace NAME 50 10.01, watch ABC, quit";
    let line = Paragraph::new(format!("> {shown}")).block(block(title));
    frame.render_widget(line, area);
    let column = area.x + 2 + count.min(width) as u16;
    frame.set_cursor_position(Position::new(column, area.y + 1));
}
