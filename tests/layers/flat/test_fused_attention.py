"""The kernel for GPUs against the tables, on a CPU: step by step, and traced as it is for a GPU."""

import pytest
import torch
from torch._dynamo.exc import TorchDynamoException
from torch._dynamo.testing import CompileCounterWithBackend
from torch.nn.attention import flex_attention as library
from torch.nn.attention.flex_attention import flex_attention

from core.layers import Lattice
from core.layers.flat import fused_attention, relative_attention
from tests.layers.flat.flat_oracle import OPTIONS, nodes_of, random_encoder, random_lattice

pytestmark = pytest.mark.filterwarnings("ignore:flex_attention called without torch.compile")
LENGTHS = (1, 2, 2, 3, 5, 9, 11, 12, 13, 14)  # some with tables and some without


@pytest.fixture(autouse=True)
def as_on_a_gpu(monkeypatch):
    """Encoders take the kernel here too; torch would refuse its gradients on a CPU."""
    monkeypatch.setattr(relative_attention, "_on_gpu", lambda x: True)
    monkeypatch.setattr(library, "_validate_device", lambda *tensors: None)


def _outcome(encoder, fused, x, lattice):
    """The characters, and the gradients of nodes and of all parameters."""
    for layer in encoder.layers:
        layer.attention.fused = fused
    hidden = encoder(x, lattice).hidden
    slope = torch.randn(hidden.shape, generator=torch.Generator().manual_seed(1), dtype=hidden.dtype)
    return hidden, *torch.autograd.grad(hidden, (x, *encoder.parameters()), slope)


@pytest.mark.parametrize("layers", [1, 2])
@pytest.mark.parametrize("options", OPTIONS, ids=lambda options: "+".join(options) or "paper")
def test_characters_and_gradients_are_those_of_the_tables(options, layers):
    for seed, lengths in enumerate([LENGTHS, (2, 3), (11,), (1,)]):
        lattice = random_lattice(5, 16, seed=seed, lengths=lengths)
        encoder, x = random_encoder(layers=layers, **options), nodes_of(lattice).requires_grad_()
        ours, theirs = _outcome(encoder, True, x, lattice), _outcome(encoder, False, x, lattice)
        for one, other in zip(ours, theirs, strict=True):
            torch.testing.assert_close(one, other, rtol=1e-10, atol=1e-12)


def test_a_sentence_without_characters_beside_one_with_many_words_changes_nothing():
    lattice = Lattice.of_words([3, 0], [[(0, 1), (1, 2)] * 12, []])
    encoder, x = random_encoder(), nodes_of(lattice).requires_grad_()
    ours, theirs = _outcome(encoder, True, x, lattice), _outcome(encoder, False, x, lattice)
    for one, other in zip(ours, theirs, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-10, atol=1e-12)


def test_compiled_for_all_sizes_at_once_it_still_gives_the_same(monkeypatch):
    counter = CompileCounterWithBackend("aot_eager")
    compiled = torch.compile(flex_attention, backend=counter, dynamic=True)
    monkeypatch.setattr(fused_attention, "_kernel", lambda device: compiled)
    encoder = random_encoder()
    after = []
    for sentences, longest in ((5, 16), (3, 20), (7, 31), (4, 25)):
        lattice = random_lattice(sentences, longest, seed=longest, lengths=LENGTHS)
        x = nodes_of(lattice).requires_grad_()
        ours, theirs = _outcome(encoder, True, x, lattice), _outcome(encoder, False, x, lattice)
        for one, other in zip(ours, theirs, strict=True):
            torch.testing.assert_close(one, other, rtol=1e-10, atol=1e-12)
        after.append(counter.frame_count)
    assert len(set(after)) == 1


@pytest.mark.parametrize("needs", ["weights", "dropout", "no character"])
def test_what_the_kernel_cannot_do_is_left_to_the_tables(needs, monkeypatch):
    monkeypatch.setattr(relative_attention, "fused_attention", None)
    lattice = Lattice.of_words([0], [[]]) if needs == "no character" else random_lattice(3, 9, seed=1)
    encoder = random_encoder(attention_dropout=0.5 if needs == "dropout" else 0.0, fused=True)
    output = encoder(nodes_of(lattice), lattice, need_weights=needs == "weights")
    assert (output.attention is not None) == (needs == "weights")
    assert output.hidden.isfinite().all()


def test_where_torch_cannot_compile_it_the_tables_are_used_from_then_on(monkeypatch, caplog):
    asked = []

    def fails(*tensors, **options):
        asked.append(1)
        raise TorchDynamoException("no Triton here")

    monkeypatch.setattr(fused_attention, "_kernel", lambda device: fails)
    lattice, encoder = random_lattice(2, 9, seed=1), random_encoder(layers=1, fused=True)
    first, second = (encoder(nodes_of(lattice), lattice).hidden for _ in range(2))
    assert (len(asked), caplog.text.count("no Triton here")) == (1, 1)
    encoder.layers[0].attention.fused = False
    for hidden in (first, second):
        assert torch.equal(hidden, encoder(nodes_of(lattice), lattice).hidden)


def test_no_other_error_is_taken_for_one_of_the_compiler(monkeypatch):
    def fails(*tensors, **options):
        raise torch.OutOfMemoryError("as GPUs say it")

    monkeypatch.setattr(fused_attention, "_kernel", lambda device: fails)
    lattice = random_lattice(2, 9, seed=1)
    with pytest.raises(torch.OutOfMemoryError):
        random_encoder(fused=True)(nodes_of(lattice), lattice)


def test_in_half_precision_it_is_as_close_as_the_tables_are():
    lattice = random_lattice(4, 20, seed=3, lengths=LENGTHS)
    encoder, x = random_encoder(layers=1).float(), nodes_of(lattice).float()
    exact = encoder(x, lattice).hidden
    off = []
    for fused in (True, False):
        encoder.layers[0].attention.fused = fused
        with torch.autocast("cpu", torch.bfloat16):
            off.append((encoder(x, lattice).hidden - exact).abs().mean().item())
    assert off[0] < 1.2 * off[1]
