#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The updates of nn_bench in PyTorch: same shapes, same losses, same optimizer.

    python3 benchmarks/peers/torch_updates.py > torch.json

Prints JSON: for each update and number of threads the median and fastest seconds per update.
lstm_critic_update is the modified cell, step by step, because torch.nn.LSTM cannot express the
reference branch; plain_lstm_update is torch.nn.LSTM on sequences without references. Exits with 3
when PyTorch is not installed.
"""

import json
import os
import platform
import statistics
import sys
import time

try:
    import torch
except ImportError:
    print("torch_updates: PyTorch is not installed (pip install torch)", file=sys.stderr)
    sys.exit(3)

SECONDS = float(os.environ.get("VBO_PEER_SECONDS", "2"))  # per measurement
THREADS = os.environ.get("VBO_PEER_THREADS", "")  # e.g. "1"; empty = one, and PyTorch's default


def measure(update):
    """Seconds per update: median and fastest over batches of calls, process CPU time beside."""
    first = update()
    for _ in range(50):
        last = update()
    if not last < first:
        raise RuntimeError(f"the loss rises from {first} to {last}: refusing to time a wrong update")
    start = time.perf_counter()
    update()
    calls = max(1, int(0.02 / max(1e-9, time.perf_counter() - start)))
    times, cpu = [], []
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end or len(times) < 5:
        start, start_cpu = time.perf_counter(), time.process_time()
        for _ in range(calls):
            update()
        times.append((time.perf_counter() - start) / calls)
        cpu.append((time.process_time() - start_cpu) / calls)
    return {"median": statistics.median(times), "fastest": min(times), "cpu": statistics.median(cpu)}


def critic(activation):
    """20 -> 64 -> 64 -> 32, batch 128, softmax cross-entropy, Adam."""
    torch.manual_seed(1)
    net = torch.nn.Sequential(
        torch.nn.Linear(20, 64), activation(), torch.nn.Linear(64, 64), activation(),
        torch.nn.Linear(64, 32))
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    inputs, levels = torch.randn(128, 20), torch.randint(0, 32, (128,))

    def update():
        optimizer.zero_grad(set_to_none=True)
        loss = torch.nn.functional.cross_entropy(net(inputs), levels)
        loss.backward()
        optimizer.step()
        return float(loss.detach())

    return update


def donsker_varadhan(truth, reference):
    count = torch.log(torch.tensor(float(reference.numel())))
    return -(truth.mean() - (torch.logsumexp(reference.flatten(), 0) - count))


def finish(parameters, optimizer, loss):
    loss.backward()
    torch.nn.utils.clip_grad_norm_(parameters, 1.0)
    optimizer.step()
    return float(loss.detach())


def head():
    return torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ELU(), torch.nn.Linear(64, 1))


def modified_lstm(steps):
    """H = 64, B = 64, D = 11, one reference branch from the true state, head 64 -> 64 -> 1."""
    torch.manual_seed(1)
    cell, top = torch.nn.LSTMCell(11, 64), head()
    parameters = [*cell.parameters(), *top.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=2e-4)
    truth, reference = torch.randn(steps, 64, 11), torch.randn(steps, 64, 11)
    zeros = torch.zeros(64, 64)

    def update():
        optimizer.zero_grad(set_to_none=True)
        h, c, outputs, references = zeros, zeros, [], []
        for t in range(steps):
            references.append(cell(reference[t], (h, c))[0])
            h, c = cell(truth[t], (h, c))
            outputs.append(h)
        loss = donsker_varadhan(top(torch.stack(outputs)), top(torch.stack(references)))
        return finish(parameters, optimizer, loss)

    return update


def plain_lstm(steps):
    """The same sizes through torch.nn.LSTM, without references: half the batch plays their part."""
    torch.manual_seed(1)
    lstm, top = torch.nn.LSTM(11, 64), head()
    parameters = [*lstm.parameters(), *top.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=2e-4)
    truth = torch.randn(steps, 64, 11)

    def update():
        optimizer.zero_grad(set_to_none=True)
        scores = top(lstm(truth)[0])
        loss = donsker_varadhan(scores[:, :32], scores[:, 32:])
        return finish(parameters, optimizer, loss)

    return update


def main():
    updates = {
        "critic_update/tanh": lambda: critic(torch.nn.Tanh),
        "critic_update/relu": lambda: critic(torch.nn.ReLU),
        "critic_update/silu": lambda: critic(torch.nn.SiLU),
        "lstm_critic_update/20": lambda: modified_lstm(20),
        "lstm_critic_update/100": lambda: modified_lstm(100),
        "plain_lstm_update/20": lambda: plain_lstm(20),
        "plain_lstm_update/100": lambda: plain_lstm(100),
    }
    default = torch.get_num_threads()
    results = []
    counts = {int(count) for count in THREADS.split(",")} if THREADS else {1, default}
    for threads in sorted(counts):
        torch.set_num_threads(threads)
        for name, build in updates.items():
            print(f"{name}, {threads} thread(s)", file=sys.stderr)
            results.append({"name": name, "threads": threads, **measure(build())})
    json.dump({"library": "torch " + torch.__version__, "machine": platform.processor() or
               platform.machine(), "default_threads": default, "results": results},
              sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
