"""How a function of this project becomes machine code.

    @kernel(types.uint64(types.int64))    compiled or loaded from disk when it is first called
    @helper                               inlined into the kernels that call it

Nothing is compiled at import, and Numba is not even imported: that takes as long as all the rest,
and whoever asks for help, lists runs or reads a finished one needs no compiler. Until a kernel is
needed, it, its helpers and its types are promises; compiler.py keeps them.
"""

import importlib
from collections.abc import Callable
from functools import cached_property
from typing import Any

# How the names of modules begin that come from files of the user's and end with a digest of them.
OWN = "own_"


class Promise:
    """Stands for something of Numba's, which is made when anything is asked of it."""

    def __init__(self, make: Callable[[], Any]):
        self._make = make

    @cached_property
    def kept(self) -> Any:
        return self._make()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.kept, name)

    def __call__(self, *arguments: Any) -> Any:
        return self.kept(*arguments)

    @property
    def _numba_type_(self) -> Any:
        """A kernel that is being compiled calls this by its name."""
        return _compiler().type_of(self.kept)


class Kernel(Promise):
    """A compiled function of one signature: a `compiler.Dispatcher`."""

    def __init__(self, function: Callable, signature: Any):
        super().__init__(lambda: _compiler().Dispatcher(function, resolve(signature)))
        self.py_func = function

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        # when it is passed to another one as a function, Numba asks whether it is one of its own
        return type(self.kept)


class Types:
    """Numba's types, or an expression of them: `types.int64[::1]`, `types.void(POSITION)`."""

    def __init__(self, make: Callable[[], Any]):
        self._make = make

    @cached_property
    def _made(self) -> Any:
        return self._make()

    def __getattr__(self, name: str) -> "Types":
        return Types(lambda: getattr(self._made, name))

    def __getitem__(self, index: Any) -> "Types":
        return Types(lambda: self._made[index])

    def __call__(self, *parts: Any) -> "Types":
        return Types(lambda: self._made(*map(resolve, parts)))


types = Types(lambda: importlib.import_module("numba").types)


def resolve(signature: Any) -> Any:
    """Numba's own, of what was written with `types`."""
    if isinstance(signature, Types):
        return signature._made
    return tuple(map(resolve, signature)) if isinstance(signature, tuple) else signature


def kernel(signature: Any) -> Callable[[Callable], Kernel]:
    """Decorate a function that is compiled for `signature`; the GIL is released while it runs."""
    return lambda function: Kernel(function, signature)


def helper(function: Callable) -> Promise:
    """Decorate a function of any types that kernels call."""
    return Promise(lambda: _compiler().helper(function))


def _compiler() -> Any:
    from engine.jit import compiler

    return compiler


def _reference() -> Any:
    from engine.jit import reference

    return reference


# An argument that travels as one address, and what is referred to: see reference.py.
Reference = Types(lambda: _reference().Reference)
kept = Promise(lambda: _reference().kept)
