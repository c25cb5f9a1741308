"""References: kernel arguments that are passed as an address.

Numba passes tuples and arrays by value, an array as seven words. Through a pointer to a function,
where nothing is inlined, that costs more than a quick player's decision. A `Reference` is read like
its target inside a kernel: `mind.memory` of a tuple, `rng[0]` of an array. Callers pass the tuple
or the array itself and must keep it alive."""

from numba import types
from numba.core import cgutils
from numba.core.imputils import impl_ret_borrowed
from numba.core.typeconv import Conversion
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    intrinsic,
    lower_cast,
    lower_getattr_generic,
    models,
    register_model,
    unbox,
)


class Reference(types.CPointer):
    """The address of a named tuple of this type, or of the items of an array of it."""

    @property
    def source(self) -> types.Type:
        """The type of the argument that callers pass."""
        named = isinstance(self.dtype, types.BaseNamedTuple)
        return self.dtype if named else types.Array(self.dtype, 1, "C")

    def can_convert_from(self, typing_context, other):
        return Conversion.safe if other == self.source else None


register_model(Reference)(models.PointerModel)


@infer_getattr
class _Fields(AttributeTemplate):
    key = Reference

    def generic_resolve(self, reference, name):
        if name in getattr(reference.dtype, "fields", ()):
            return reference.dtype.types[reference.dtype.fields.index(name)]
        return None


@lower_getattr_generic(Reference)
def _field(context, builder, reference, address, name):
    index = reference.dtype.fields.index(name)
    field = builder.load(cgutils.gep_inbounds(builder, address, 0, index))
    return impl_ret_borrowed(context, builder, reference.dtype.types[index], field)


@lower_cast(types.Array, Reference)
def _to_items(context, builder, source, reference, array):
    return context.make_array(source)(context, builder, array).data


@lower_cast(types.BaseNamedTuple, Reference)
def _to_tuple(context, builder, source, reference, value):
    return cgutils.alloca_once_value(builder, value)


@unbox(Reference)
def _from_python(reference, value, c):
    native = c.unbox(reference.source, value)
    address = c.context.cast(c.builder, native.value, reference.source, reference)

    def release():
        if native.cleanup:
            native.cleanup()
        # Numba does this for arguments that hold arrays, and takes an address for a plain number
        c.context.nrt.decref(c.builder, reference.source, native.value)

    return NativeValue(address, is_error=native.is_error, cleanup=release)


@intrinsic
def by_reference(typing_context, value):
    """Return a Reference to a copy that lives as long as the calling kernel."""

    def codegen(context, builder, signature, args):
        return cgutils.alloca_once_value(builder, args[0])

    return Reference(value)(value), codegen
