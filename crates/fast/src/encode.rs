pub struct Encoder;
pub struct EncodeError;
