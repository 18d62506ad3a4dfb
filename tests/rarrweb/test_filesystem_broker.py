"""The queue of files delivers whole messages, each to one reader, oldest first."""

import threading
from collections.abc import Iterator
from pathlib import Path
from queue import Empty

import pytest
from kombu import Connection

from rarrweb import filesystem_broker


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "messages").mkdir()
    return tmp_path / "messages"


@pytest.fixture
def channel(folder: Path) -> Iterator[filesystem_broker.Channel]:
    yield from open_channel(folder)


@pytest.fixture
def another_channel(folder: Path) -> Iterator[filesystem_broker.Channel]:
    yield from open_channel(folder)


def open_channel(folder: Path) -> Iterator[filesystem_broker.Channel]:
    options = {"data_folder_in": str(folder), "data_folder_out": str(folder)}
    with Connection(transport=filesystem_broker.Transport, transport_options=options) as connection:
        yield connection.default_channel


def test_messages_are_read_once_and_in_order(
    channel: filesystem_broker.Channel, folder: Path
) -> None:
    for number in range(20):
        channel._put("passages", {"number": number})
    assert [channel._get("passages")["number"] for _ in range(20)] == list(range(20))
    assert list(folder.iterdir()) == []
    with pytest.raises(Empty):
        channel._get("passages")


def test_queues_do_not_mix(channel: filesystem_broker.Channel) -> None:
    channel._put("rarrweb.data", {"number": 1})
    with pytest.raises(Empty):
        channel._get("rarrweb")
    assert (channel._size("rarrweb.data"), channel._size("rarrweb")) == (1, 0)


def test_a_half_written_message_is_not_seen_and_a_broken_one_dropped(
    channel: filesystem_broker.Channel, folder: Path
) -> None:
    (folder / "1_a.passages.msg.draft").write_text('{"bo')
    assert channel._size("passages") == 0
    with pytest.raises(Empty):
        channel._get("passages")
    (folder / "00000000000000000001_a.passages.msg").write_text('{"bo')
    channel._put("passages", {"number": 2})
    assert channel._get("passages") == {"number": 2}
    assert channel._size("passages") == 0


def test_two_readers_never_get_the_same_message(
    channel: filesystem_broker.Channel, another_channel: filesystem_broker.Channel
) -> None:
    for number in range(400):
        channel._put("passages", {"number": number})
    taken: list[int] = []

    def take_all(mine: filesystem_broker.Channel) -> None:
        while True:
            try:
                taken.append(mine._get("passages")["number"])
            except Empty:
                return

    readers = [threading.Thread(target=take_all, args=(c,)) for c in (channel, another_channel)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()
    assert sorted(taken) == list(range(400))


def test_a_folder_that_somebody_deleted_is_made_again(
    channel: filesystem_broker.Channel, folder: Path
) -> None:
    folder.rmdir()
    with pytest.raises(Empty):
        channel._get("passages")
    assert channel._size("passages") == 0
    channel._put("passages", {"number": 1})
    assert channel._get("passages") == {"number": 1}
