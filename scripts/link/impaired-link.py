"""Two network namespaces of this process's own, joined by a link that can be made bad.

    python3 impaired-link.py SEED

Each namespace has a tun device; IP packets go from one to the other through here. Prints one line of JSON when both are up:
{"pid", "near": {"descriptor", "address"}, "far": {...}}, where /proc/PID/fd/DESCRIPTOR is for `nsenter --net`. Each line on
stdin, {"there": IMPAIRMENT, "back": IMPAIRMENT} with IMPAIRMENT = {"delayMs", "jitterMs", "loss"}, replaces what packets of
either direction suffer, and is answered by a line of counts. Ends with its stdin, and then the namespaces are gone, too.
"""

import ctypes
import fcntl
import heapq
import json
import os
import random
import select
import socket
import struct
import sys
import time

NEW_NETWORK = 0x40000000
SET_DEVICE = 0x400454CA
TUN_WITHOUT_HEADER = 0x1001
SET_FLAGS, SET_ADDRESS, SET_MASK = 0x8914, 0x8916, 0x891C
UP_AND_RUNNING = 0x41
PACKET_BYTES = 65536
# A router drops what finds no room; so much is a second of the fastest load that is tried here.
PACKETS_WAITING_MAX = 20_000
# Packets taken in a row from one side, so that what is due on the other is not late.
PACKETS_IN_A_ROW = 64


class Direction:
    """Packets on their way from one device to the other."""

    def __init__(self, source, target, chance):
        self.source, self.target, self.chance = source, target, chance
        self.delay = self.jitter = self.loss = 0.0
        self.waiting = []
        self.serial = self.passed = self.lost = self.reordered = 0
        self.newest = 0

    def impair(self, impairment):
        self.delay = impairment["delayMs"] / 1000
        self.jitter = impairment["jitterMs"] / 1000
        self.loss = impairment["loss"]
        # Who cuts a cable loses what is in it, too.
        if self.loss >= 1:
            self.lost += len(self.waiting)
            self.waiting.clear()

    def take(self):
        for _ in range(PACKETS_IN_A_ROW):
            try:
                packet = os.read(self.source, PACKET_BYTES)
            except BlockingIOError:
                return
            self.serial += 1
            if self.chance.random() < self.loss or len(self.waiting) >= PACKETS_WAITING_MAX:
                self.lost += 1
                continue
            due = time.monotonic() + self.delay + self.jitter * self.chance.uniform(-1, 1)
            heapq.heappush(self.waiting, (due, self.serial, packet))

    def deliver(self):
        while self.waiting and self.waiting[0][0] <= time.monotonic():
            _, serial, packet = heapq.heappop(self.waiting)
            try:
                os.write(self.target, packet)
            except OSError:
                self.lost += 1
                continue
            self.passed += 1
            self.reordered += serial < self.newest
            self.newest = max(self.newest, serial)

    def counts(self):
        return {"passed": self.passed, "lost": self.lost, "reordered": self.reordered}


def main():
    chance = random.Random(int(sys.argv[1]))
    near, near_device = new_namespace("10.99.0.1")
    far, far_device = new_namespace("10.99.0.2")
    there = Direction(near_device, far_device, random.Random(chance.random()))
    back = Direction(far_device, near_device, random.Random(chance.random()))
    say({"pid": os.getpid(), "near": near, "far": far})
    commands = b""
    while True:
        due = min((each.waiting[0][0] for each in (there, back) if each.waiting), default=None)
        patience = None if due is None else max(0, due - time.monotonic())
        readable, _, _ = select.select([0, near_device, far_device], [], [], patience)
        for each in (there, back):
            if each.source in readable:
                each.take()
            each.deliver()
        if 0 not in readable:
            continue
        chunk = os.read(0, PACKET_BYTES)
        if not chunk:
            return
        *lines, commands = (commands + chunk).split(b"\n")
        for line in lines:
            command = json.loads(line)
            there.impair(command["there"])
            back.impair(command["back"])
            say({"there": there.counts(), "back": back.counts()})


def new_namespace(address):
    """Moves this process there, as the device and the descriptor stay in it when the process moves on."""
    if ctypes.CDLL(None, use_errno=True).unshare(NEW_NETWORK) != 0:
        raise OSError(ctypes.get_errno(), "no right to make a network namespace")
    descriptor = os.open("/proc/self/ns/net", os.O_RDONLY)
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, SET_DEVICE, struct.pack("16sH22x", b"link", TUN_WITHOUT_HEADER))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        for request, value in ((SET_ADDRESS, address), (SET_MASK, "255.255.255.0")):
            packed = struct.pack("16sHxx4s8x", b"link", socket.AF_INET, socket.inet_aton(value))
            fcntl.ioctl(control, request, packed)
        for name in (b"link", b"lo"):
            fcntl.ioctl(control, SET_FLAGS, struct.pack("16sH14x", name, UP_AND_RUNNING))
    return {"descriptor": descriptor, "address": address}, device


def say(value):
    print(json.dumps(value), flush=True)


main()
