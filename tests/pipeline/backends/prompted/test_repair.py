"""One repair attempt for each reply that cannot be read, all of them together."""

from pipeline.backends.prompted.repair import Request, ask
from pipeline.language_model import Prompt
from pipeline.rarr.errors import UnreadableReply
from tests.support.scripted_model import ScriptedModel, in_turn


def number(reply: str) -> int:
    if not reply.strip().isdigit():
        raise UnreadableReply("There is no number.")
    return int(reply)


def request(text: str, **values: float) -> Request[int]:
    return Request(prompt=Prompt(text=text, **values), read=number, form="Reply with one number.")


def test_good_replies_need_one_batch() -> None:
    model = in_turn("1", "2")
    assert ask(model, [request("a"), request("b")]) == [(1,), (2,)]
    assert len(model.batches) == 1
    model = in_turn()
    assert ask(model, []) == []
    assert model.batches == []


def test_bad_replies_are_requested_once_more_with_the_fault() -> None:
    model = in_turn("1", "seven {or so}", "", "7", "8")
    assert ask(model, [request("a"), request("b"), request("c")]) == [(1,), (7,), (8,)]
    assert [len(batch) for batch in model.batches] == [3, 2]
    first, second = model.batches[1]
    assert first.text.startswith("b\nseven {or so}\n")
    assert "There is no number. Reply with one number." in first.text
    assert "(nothing)" in second.text


def test_a_repair_asks_for_the_likeliest_words() -> None:
    model = ScriptedModel(lambda p: ["1", "x", "3"] if p.samples == 3 else "2")
    assert ask(model, [request("a", samples=3, temperature=0.7)]) == [(1, 2, 3)]
    repair = model.prompts[1]
    assert (repair.samples, repair.temperature) == (1, 0.0)


def test_a_reply_that_stays_bad_is_named_with_its_beginning() -> None:
    model = in_turn("x" * 600, "y" * 600)
    ((error,),) = ask(model, [request("a")])
    assert isinstance(error, UnreadableReply)
    assert (str(error), error.reply) == ("There is no number.", "y" * 500)
    assert len(model.prompts) == 2
