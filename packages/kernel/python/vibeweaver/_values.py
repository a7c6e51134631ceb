"""What the calls return: small, immutable, equal by value."""


class Value:
    """Fields are the class's `__slots__`; those in `_shown_if_known` are left out of the repr while they are None.

    Those in `_floats` are floats also where JSON had a whole number.
    """

    __slots__ = ()
    _shown_if_known = ()
    _floats = ()

    def __init__(self, *values, **named):
        named.update(zip(self.__slots__, values))
        for field in self.__slots__:
            value = named.pop(field, None)
            exact = float(value) if field in self._floats and value is not None else value
            object.__setattr__(self, field, exact)
        if named or len(values) > len(self.__slots__):
            raise TypeError("%s has the fields %s" % (type(self).__name__, ", ".join(self.__slots__)))

    @classmethod
    def of(cls, answer):
        """From an answer of the worker; fields that this version does not know are left out."""
        return cls(**{field: answer.get(field) for field in cls.__slots__})

    def __setattr__(self, name, value):
        raise AttributeError("%s is read-only" % type(self).__name__)

    def __delattr__(self, name):
        raise AttributeError("%s is read-only" % type(self).__name__)

    def _values(self):
        return tuple(getattr(self, field) for field in self.__slots__)

    def __eq__(self, other):
        return self._values() == other._values() if type(other) is type(self) else NotImplemented

    def __hash__(self):
        return hash((type(self), repr(self)))

    def __reduce__(self):
        return type(self), self._values()

    def __repr__(self):
        hidden = [field for field in self._shown_if_known if getattr(self, field) is None]
        shown = ["%s=%r" % (field, getattr(self, field)) for field in self.__slots__ if field not in hidden]
        return "%s(%s)" % (type(self).__name__, ", ".join(shown))


class SessionInfo(Value):
    """A session: `id` and `name` (text), `vibe` (text or None), `tempo_bpm` (beats per minute).

    In the list of `sessions()` also `shared` and `current` (bool); elsewhere these may be None.
    """

    __slots__ = ("id", "name", "vibe", "tempo_bpm", "shared", "current")
    _shown_if_known = ("shared", "current")
    _floats = ("tempo_bpm",)


class TransportState(Value):
    """The transport: `state` ("stopped", "playing", "paused"), `position` (beats, at the time of the answer),
    `bpm`, `loop` (a pair of beats, the end not included, or None)."""

    __slots__ = ("state", "position", "bpm", "loop")
    _floats = ("position", "bpm")

    @classmethod
    def of(cls, answer):
        loop = answer.get("loop")
        return cls(answer["state"], answer["position"], answer["bpm"], tuple(map(float, loop)) if loop else None)


class MarkerInfo(Value):
    """A named place in the piece: `name`, `beat`, `metadata` (as given, or None)."""

    __slots__ = ("name", "beat", "metadata")
    _floats = ("beat",)


class Fire(Value):
    """Why a rule's callback runs: `rule_id`; `target_beat` (the beat it was due at; None if it is due by seconds or by
    an event); `position` (beat of the transport when it was handed out); `late_s` (seconds after its due instant);
    `count` (firings of this rule so far, this one included); `event` (dict, for `event:` triggers, else None)."""

    __slots__ = ("rule_id", "target_beat", "position", "late_s", "count", "event")
    _floats = ("target_beat", "position", "late_s")


class NextFire(Value):
    """When a rule fires next: `beat`, or `time` (RFC 3339, UTC) if it counts in seconds; the other is None."""

    __slots__ = ("beat", "time")
    _floats = ("beat",)


class EventPage(Value):
    """Events in order: `events` (list of dicts with `cursor`, `type`, `data`, `time`), `cursor` (for the next call),
    `has_more` (bool), `gap` (bool: some were gone before they were read). Iterates over the events."""

    __slots__ = ("events", "cursor", "has_more", "gap")

    def __iter__(self):
        return iter(self.events)

    def __len__(self):
        return len(self.events)
