"""Decorators that compile the functions of this project to machine code.

    @kernel(types.uint64(types.int64))    compiled, or loaded from disk, when it is first called
    @helper                               inlined into the kernels that call it

Numba is only imported when a kernel is needed: that takes as long as everything else, and commands
such as `--help` do without. Until then kernels, helpers and types are promises."""

import importlib
from collections.abc import Callable
from functools import cached_property
from typing import Any

# Prefix of the names of modules that are loaded from a user's files; a digest of them follows.
OWN = "own_"
# called whenever kernels have been compiled, during which other work may have stood still
after_compiling: list[Callable[[], None]] = []


class Promise:
    """A stand-in for an object of Numba's, which is made when it is first used."""

    def __init__(self, make: Callable[[], Any]):
        self._make = make

    @cached_property
    def made(self) -> Any:
        return self._make()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.made, name)

    def __call__(self, *arguments: Any) -> Any:
        return self.made(*arguments)

    @property
    def _numba_type_(self) -> Any:
        """The type that Numba sees when a kernel that it compiles names this one."""
        return _compiler.type_of(self.made)


class Kernel(Promise):
    """A compiled function of one signature: a `compiler.Dispatcher`."""

    def __init__(self, function: Callable, signature: Any):
        super().__init__(lambda: _compiler.Dispatcher(function, resolve(signature)))
        self.py_func = function

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        # Numba checks the class of a kernel that is passed as an argument to another one
        return type(self.made)


class Types(Promise):
    """Numba's types, or an expression of them: `types.int64[::1]`, `types.void(POSITION)`."""

    def __getattr__(self, name: str) -> "Types":
        return Types(lambda: getattr(self.made, name))

    def __getitem__(self, index: Any) -> "Types":
        return Types(lambda: self.made[index])

    def __call__(self, *parts: Any) -> "Types":
        return Types(lambda: self.made(*map(resolve, parts)))


types = Types(lambda: importlib.import_module("numba").types)


def resolve(signature: Any) -> Any:
    """Return Numba's own types for an expression of `types`."""
    if isinstance(signature, Types):
        return signature.made
    return tuple(map(resolve, signature)) if isinstance(signature, tuple) else signature


def kernel(signature: Any) -> Callable[[Callable], Kernel]:
    """Decorate a function that is compiled for `signature` and runs without the GIL."""
    return lambda function: Kernel(function, signature)


def helper(function: Callable) -> Promise:
    """Decorate a function, of any argument types, that kernels call."""
    return Promise(lambda: _compiler.helper(function))


_compiler = Promise(lambda: importlib.import_module("engine.jit.compiler"))
_reference = Promise(lambda: importlib.import_module("engine.jit.reference"))

# Arguments that are passed as an address, and what makes such an address: see reference.py.
Reference = Types(lambda: _reference.Reference)
by_reference = Promise(lambda: _reference.by_reference)
