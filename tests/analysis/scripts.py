"""Any script at all: operators, copies, waits and switches at arbitrary whole microseconds."""

from __future__ import annotations

from hypothesis import strategies as st

from .traces import Script

moments = st.integers(0, 300)


@st.composite
def scripts(draw: st.DrawFn) -> Script:
    script = Script()
    at = 0
    for number in range(draw(st.integers(0, 3))):
        length = draw(st.integers(1, 150))
        script.step(number, at, at + length)
        at += length
    for _ in range(draw(st.integers(1, 6))):
        kind = draw(st.sampled_from(["eager", "eager", "unlinked", "copy", "read", "switch", "synchronise"]))
        begin, other = draw(moments), draw(moments)
        dur = draw(st.integers(0, 60))
        if kind == "eager":
            script.eager("aten::mul", begin, (other, other + dur), runtime=(begin + 10, begin + 15))
        elif kind == "unlinked":
            script.running("4", other, other + dur)
        elif kind == "switch":
            script.running("5", other, other + dur, "nc_model_switch")
        elif kind == "synchronise":
            script.host("neuron::synchronize", begin, begin + dur)
        else:
            script.copy(
                "aten::copy_",
                begin,
                (other, other + dur),
                call=f"nrta_tensor_{'read' if kind == 'read' else 'write'}",
            )
    return script
