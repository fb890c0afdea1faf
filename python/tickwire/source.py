"""Makes the methods of a class keep to the language where Python itself would not.

Two numbers of the source that are added stay Python's own integers, which never wrap, and only a value's place says whether `5` is a
price. So each method is compiled a second time from its source file, with its literals as objects, and min, max, int, len and range as
the language has them. The file, its lines and its names stay as they are: a debugger finds everything in its place.
"""

import ast
import sys
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from tickwire import builtin

MODULE = "__tickwire__"


class Transformer(ast.NodeTransformer):
    """Rewrites a method."""

    def __init__(self, source: str, constants: set[str]) -> None:
        self.source = source
        self.constants = constants
        self.returns: ast.expr | None = None

    def call(self, node: ast.expr, function: str, *arguments: ast.expr) -> ast.expr:
        """A call of a function of `tickwire.builtin`, in the place of a node."""
        module = ast.Name(MODULE, ast.Load())
        made = ast.Call(ast.Attribute(module, function, ast.Load()), list(arguments), [])
        return ast.fix_missing_locations(ast.copy_location(made, node))

    def with_unit(self, value: ast.expr, annotation: ast.expr | None) -> ast.expr:
        """A value in a place with an annotation."""
        name = annotation.id if isinstance(annotation, ast.Name) else annotation.value if isinstance(annotation, ast.Constant) else None
        return self.call(value, "unit", ast.Constant(name), value) if isinstance(name, str) else value

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        if type(node.value) is int:
            return self.call(node, "literal", node)
        if type(node.value) is float:
            text = ast.get_source_segment(self.source, node)
            return self.call(node, "literal", ast.Constant(text))
        return node

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if not isinstance(node.ctx, ast.Load):
            return node
        if node.id in builtin.FUNCTIONS:
            module = ast.Name(MODULE, ast.Load())
            made = ast.Attribute(module, builtin.FUNCTIONS[node.id], ast.Load())
            return ast.fix_missing_locations(ast.copy_location(made, node))
        if node.id == "now":
            return self.call(node, "time")
        return self.call(node, "literal", node) if node.id in self.constants else node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AnnAssign:
        if node.value is not None:
            node.value = self.with_unit(self.visit(node.value), node.annotation)
        return node

    def visit_Return(self, node: ast.Return) -> ast.Return:
        if node.value is not None:
            node.value = self.with_unit(self.visit(node.value), self.returns)
        return node

    def visit_match_case(self, node: ast.match_case) -> ast.match_case:
        # Patterns stay as they are: their constants are compared, and take the unit of the subject.
        if node.guard is not None:
            node.guard = self.visit(node.guard)
        node.body = [self.visit(statement) for statement in node.body]
        return node

    def method(self, node: ast.FunctionDef) -> None:
        """Rewrites the body of a method."""
        self.returns = node.returns
        body: list[ast.stmt] = [self.visit(statement) for statement in node.body]
        for argument in reversed(node.args.args):
            if argument.annotation is not None:
                value = self.with_unit(ast.copy_location(ast.Name(argument.arg, ast.Load()), argument), argument.annotation)
                kept = ast.Assign([ast.Name(argument.arg, ast.Store())], value)
                body.insert(0, ast.fix_missing_locations(ast.copy_location(kept, argument)))
        node.body = body


def codes(code: CodeType, within: str) -> dict[str, CodeType]:
    """The methods of a class, in the compiled file."""
    for constant in code.co_consts:
        if isinstance(constant, CodeType) and constant.co_name == within:
            return {inner.co_name: inner for inner in constant.co_consts if isinstance(inner, CodeType)}
    return {}


def rewrite(strategy: type[Any]) -> None:
    """Gives the methods of a class, which is in a file, their second compilation."""
    module = sys.modules[strategy.__module__]
    path = getattr(module, "__file__", None)
    if path is None:
        raise TypeError(f"{strategy.__name__} is in no file: a strategy is read from its file")
    source = Path(path).read_text()
    tree = ast.parse(source, path)
    constants = {target.id for node in tree.body if isinstance(node, ast.Assign) for target in node.targets if isinstance(target, ast.Name)}
    for node in tree.body:
        if isinstance(node, ast.ClassDef) and node.name == strategy.__name__:
            for method in node.body:
                if isinstance(method, ast.FunctionDef):
                    Transformer(source, constants).method(method)
    compiled = codes(compile(tree, path, "exec"), strategy.__name__)
    for name, function in list(vars(strategy).items()):
        if isinstance(function, FunctionType) and name in compiled:
            function.__code__ = compiled[name]
            function.__globals__[MODULE] = builtin
