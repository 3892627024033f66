"""What torch.compile is measured on, and that a wrong result is no result."""

import pytest
import torch
from torch import nn

from benchmarks import compiling


@pytest.mark.parametrize("name", ["FLAT", "BERT"])
def test_the_encoders_give_every_character_a_state_and_can_learn(name):
    module, forward = compiling.encoders(2, 10)[name]
    assert forward(module).shape[:2] == (2, 10)
    compiling._once(module, forward, learning=True)
    assert any(parameter.grad is not None for parameter in module.parameters())


def test_a_compiled_module_with_other_states_is_refused(monkeypatch):
    module = nn.Linear(3, 3)
    x = torch.ones(2, 3)
    monkeypatch.setattr(compiling.torch, "compile", lambda module: module)
    plain, compiled, begun = compiling.compare(module, lambda form: form(x), True, 2)
    assert min(plain, compiled, begun) > 0
    monkeypatch.setattr(compiling.torch, "compile", lambda module: nn.Linear(3, 3))
    with pytest.raises(SystemExit, match="other hidden states"):
        compiling.compare(module, lambda form: form(x), False, 2)
