//! From the intermediate form to Cranelift's: functions, and what a function has at hand. `statement` and `expression` do the rest.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{
    AbiParam, Block, InstBuilder, MemFlagsData, SigRef, Signature, StackSlot, StackSlotData,
    StackSlotKind, Value, types,
};
use cranelift_codegen::settings::{self, Configurable};
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext, Variable};
use cranelift_jit::{JITBuilder, JITModule};
use cranelift_module::{FuncId, Module, default_libcall_names};
use language::program::{Handler, Program};

use crate::CompileError;
use crate::call::{Code, HANDLERS};
use crate::memory::{DIVISION, DROPPED, INDEX, INTENTS, Layout, RECORDS};

fn failed(error: impl std::fmt::Display) -> CompileError {
    CompileError::Generator(error.to_string())
}

/// Compiles every handler of a program.
pub(crate) fn code(program: &Program, layout: &Layout) -> Result<Code, CompileError> {
    let mut flags = settings::builder();
    for (name, value) in [
        ("opt_level", "speed"),
        ("is_pic", "false"),
        ("use_colocated_libcalls", "false"),
    ] {
        flags.set(name, value).map_err(failed)?;
    }
    let processor =
        cranelift_native::builder().map_err(|why| CompileError::Processor(why.to_owned()))?;
    let processor = processor
        .finish(settings::Flags::new(flags))
        .map_err(failed)?;
    let mut module = JITModule::new(JITBuilder::with_isa(processor, default_libcall_names()));
    let mut ids = [None; HANDLERS];
    let handlers = [
        &program.on_book,
        &program.on_trade,
        &program.on_order,
        &program.on_timer,
    ];
    for (id, handler) in ids.iter_mut().zip(handlers) {
        if let Some(handler) = handler {
            *id = Some(function(&mut module, program, layout, handler)?);
        }
    }
    module.finalize_definitions().map_err(failed)?;
    Ok(Code::new(module, ids))
}

/// The signature of `call::Function`.
fn signature(module: &JITModule) -> Signature {
    let mut signature = module.make_signature();
    signature.params = vec![AbiParam::new(types::I64); 6];
    signature
}

fn function(
    module: &mut JITModule,
    program: &Program,
    layout: &Layout,
    handler: &Handler,
) -> Result<FuncId, CompileError> {
    let mut context = module.make_context();
    context.func.signature = signature(module);
    let id = module
        .declare_anonymous_function(&context.func.signature)
        .map_err(failed)?;
    let mut of_level = module.make_signature();
    of_level.params = vec![AbiParam::new(types::I64); 4];
    let mut frontend = FunctionBuilderContext::new();
    let mut builder = FunctionBuilder::new(&mut context.func, &mut frontend);
    let of_level = builder.import_signature(of_level);
    let level =
        builder.create_sized_stack_slot(StackSlotData::new(StackSlotKind::ExplicitSlot, 24, 3));
    let mut translator = Translator::new(builder, program, layout, handler, of_level, level);
    translator.statements(&handler.body);
    translator.finish(module);
    module.define_function(id, &mut context).map_err(failed)?;
    Ok(id)
}

/// What is counted in a register while a handler runs.
#[derive(Clone, Copy)]
pub(crate) struct Counters {
    pub(crate) division: Variable,
    pub(crate) index: Variable,
    pub(crate) dropped: Variable,
    pub(crate) intents: Variable,
    pub(crate) records: Variable,
}

/// A handler while it is translated.
pub(crate) struct Translator<'a> {
    pub(crate) builder: FunctionBuilder<'a>,
    pub(crate) program: &'a Program,
    pub(crate) layout: &'a Layout,
    pub(crate) locals: Vec<Variable>,
    /// The end of each block that has begun.
    pub(crate) ends: Vec<Option<Block>>,
    pub(crate) counters: Counters,
    pub(crate) inputs: Value,
    pub(crate) parameters: Value,
    pub(crate) state: Value,
    pub(crate) positions: Value,
    pub(crate) output: Value,
    pub(crate) depth: Value,
    /// The signature of `call::read_level`, and where it leaves the level.
    pub(crate) of_level: SigRef,
    pub(crate) level: StackSlot,
}

impl<'a> Translator<'a> {
    fn new(
        mut builder: FunctionBuilder<'a>,
        program: &'a Program,
        layout: &'a Layout,
        handler: &Handler,
        of_level: SigRef,
        level: StackSlot,
    ) -> Self {
        let entry = builder.create_block();
        builder.append_block_params_for_function_params(entry);
        builder.switch_to_block(entry);
        let given: Vec<Value> = builder.block_params(entry).to_vec();
        let zero = builder.ins().iconst(types::I64, 0);
        let mut variable = || {
            let variable = builder.declare_var(types::I64);
            builder.def_var(variable, zero);
            variable
        };
        let counters = Counters {
            division: variable(),
            index: variable(),
            dropped: variable(),
            intents: variable(),
            records: variable(),
        };
        let locals = handler.locals.iter().map(|_| variable()).collect();
        Translator {
            builder,
            program,
            layout,
            locals,
            ends: vec![None; handler.labels],
            counters,
            inputs: given[0],
            parameters: given[1],
            state: given[2],
            positions: given[3],
            output: given[4],
            depth: given[5],
            of_level,
            level,
        }
    }

    fn finish(mut self, module: &JITModule) {
        let Counters {
            division,
            index,
            dropped,
            intents,
            records,
        } = self.counters;
        for (variable, word) in [
            (division, DIVISION),
            (index, INDEX),
            (dropped, DROPPED),
            (intents, INTENTS),
            (records, RECORDS),
        ] {
            let value = self.builder.use_var(variable);
            self.store(self.output, word, value);
        }
        self.builder.ins().return_(&[]);
        self.builder.seal_all_blocks();
        self.builder.finalize(module.target_config());
    }

    pub(crate) fn number(&mut self, value: i64) -> Value {
        self.builder.ins().iconst(types::I64, value)
    }

    /// The word at a constant position.
    pub(crate) fn load(&mut self, base: Value, word: usize) -> Value {
        let (base, offset) = self.reach(base, word);
        self.builder
            .ins()
            .load(types::I64, MemFlagsData::trusted(), base, offset)
    }

    /// Writes the word at a constant position.
    pub(crate) fn store(&mut self, base: Value, word: usize, value: Value) {
        let (base, offset) = self.reach(base, word);
        self.builder
            .ins()
            .store(MemFlagsData::trusted(), value, base, offset);
    }

    /// Base and offset in bytes; an offset that is too long for an instruction is added to the base.
    fn reach(&mut self, base: Value, word: usize) -> (Value, i32) {
        match i32::try_from(word * 8) {
            Ok(offset) => (base, offset),
            Err(_) => (self.builder.ins().iadd_imm_s(base, (word * 8) as i64), 0),
        }
    }

    /// The address of word `index` after a base.
    pub(crate) fn at_index(&mut self, base: Value, index: Value) -> Value {
        let bytes = self.builder.ins().ishl_imm_s(index, 3);
        self.builder.ins().iadd(base, bytes)
    }

    /// 0 or 1.
    pub(crate) fn compare(&mut self, how: IntCC, a: Value, b: Value) -> Value {
        let bit = self.builder.ins().icmp(how, a, b);
        self.builder.ins().uextend(types::I64, bit)
    }

    /// Adds 1 to a counter if the condition is 1.
    pub(crate) fn count(&mut self, counter: Variable, condition: Value) {
        let before = self.builder.use_var(counter);
        let after = self.builder.ins().iadd(before, condition);
        self.builder.def_var(counter, after);
    }

    pub(crate) fn block(&mut self) -> Block {
        self.builder.create_block()
    }

    pub(crate) fn jump(&mut self, to: Block) {
        self.builder.ins().jump(to, &[]);
    }

    pub(crate) fn branch(&mut self, condition: Value, then: Block, otherwise: Block) {
        self.builder
            .ins()
            .brif(condition, then, &[], otherwise, &[]);
    }
}
