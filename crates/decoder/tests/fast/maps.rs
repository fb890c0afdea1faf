//! Maps that do not fit are refused with a sentence.

use decoder::fast::{Collector, Map, MapError, Snapshots};
use fast::{Framing, Settings, Templates};

const XML: &str = r#"
<templates xmlns="http://www.fixprotocol.org/ns/fast/td/1.1">
  <template name="T" id="1">
    <uInt32 name="Number" id="34"/>
    <byteVector name="Raw" id="95"/>
    <sequence name="A"><length id="268"/><decimal name="Price" id="270"/>
      <sequence name="B"><length id="300"/><string name="Deep" id="58"/></sequence></sequence>
    <sequence name="C"><length id="301"/><string name="Symbol" id="55"/></sequence>
  </template>
</templates>"#;

fn refused(map: &str) -> String {
    let templates = Templates::parse(XML).unwrap();
    let text = format!("price_scale = 0\n[[template]]\nid = 1\nmessage_type = \"X\"\n{map}");
    let made = Map::parse(&text).and_then(|map| Collector::new(&templates, &map).map(|_| ()));
    made.err()
        .map(|error| error.to_string())
        .unwrap_or_default()
}

#[test]
fn a_map_that_does_not_fit_the_templates_is_refused() {
    assert_eq!(refused("sequence = 34\nprice = 270"), "");
    for (map, expected) in [
        ("id = 2", "duplicate key"),
        ("price = 271", "template 1 has no field 271"),
        ("price = 268", "template 1 has no field 268"),
        ("symbol = 270", "template 1: field 270 cannot be symbol"),
        ("symbol = 95", "template 1: field 95 cannot be symbol"),
        (
            "sequence = 34\norders = 34",
            "template 1: field 34 cannot be orders",
        ),
        (
            "symbol = 58",
            "template 1: field 58 is not in the sequence of the other fields",
        ),
        (
            "price = 270\nsymbol = 55",
            "template 1: field 270 is not in the sequence of the other fields",
        ),
        (
            "side = { field = 55, values = { TOOLONGER = \"buy\" } }",
            "template 1: field 55 cannot have the value \"TOOLONGER\"",
        ),
        (
            "action = { field = 34, values = { x = \"add\" } }",
            "template 1: field 34 cannot have the value \"x\"",
        ),
        (
            "action = { field = 34, values = { 0 = \"ad\" } }",
            "unknown variant `ad`",
        ),
        (
            "time = { field = 34, decimals = 10 }",
            "decimals is 10; at most 9 is possible",
        ),
        ("prise = 270", "unknown field `prise`"),
        (
            "[[template]]\nid = 1\nmessage_type = \"X\"",
            "template 1 is not in the template file, or is twice in the map",
        ),
        (
            "[[template]]\nid = 9\nmessage_type = \"X\"",
            "template 9 is not in the template file, or is twice in the map",
        ),
    ] {
        let error = refused(map);
        assert!(error.contains(expected), "{map}: {error}");
    }
}

#[test]
fn scales_and_message_types_have_limits() {
    assert_eq!(
        Map::parse("price_scale = 19\ntemplate = []"),
        Err(MapError::TooLarge {
            what: "price_scale",
            value: 19,
            most: 18
        })
    );
    let text = "price_scale = 1\n[[template]]\nid = 3\nmessage_type = \"é\"";
    assert_eq!(Map::parse(text), Err(MapError::MessageType(3)));
}

#[test]
fn a_map_of_snapshots_that_does_not_fit_the_templates_is_refused() {
    let refused = |last: u32, symbol: u32| {
        let templates = Templates::parse(
            r#"<templates xmlns="http://www.fixprotocol.org/ns/fast/td/1.1">
              <template name="W" id="1">
                <uInt32 name="Number" id="34"/><string name="Symbol" id="55"/>
                <uInt32 name="Last" id="369"/><uInt32 name="End" id="893"/><uInt32 name="Begin" id="7944"/>
                <sequence name="A"><length id="268"/><uInt32 name="Price" id="270"/></sequence>
              </template></templates>"#,
        );
        let text = format!(
            "price_scale = 0\ntemplate = []\n[snapshot]\nlast_sequence = {last}\nfirst_fragment = 7944\nlast_fragment = 893\n\
             [snapshot.template]\nid = 1\nmessage_type = \"W\"\nsequence = 34\nsymbol = {symbol}\nprice = 270\nkind = \"add\"\n"
        );
        let map = Map::parse(&text).unwrap();
        let made = Snapshots::new(
            &templates.unwrap(),
            Settings::default(),
            Framing::None,
            &map,
        );
        made.err().map(|error| error.to_string())
    };
    assert_eq!(refused(369, 55), None);
    let missing = refused(370, 55).unwrap();
    assert_eq!(missing, "template 1 has no field 370");
    // That of an entry is none of the message.
    let of_entry = refused(270, 55).unwrap();
    assert_eq!(of_entry, "template 1 has no field 270");
    let text = refused(55, 55).unwrap();
    assert_eq!(text, "template 1: field 55 cannot be last_sequence");
}
