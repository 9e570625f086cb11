import assert from "node:assert/strict";
import { test } from "node:test";
import { amount, Counter, exactAmount } from "../src/core/counters.ts";
import type { CounterInfo } from "../src/core/meta.ts";
import { random } from "./events.ts";

function counterOf(samples: [time: number, value: number][], span_ns = 0, last = 0): Counter {
  const info: CounterInfo = {
    label: "memory",
    unit: "B",
    source: "by hand",
    span_ns,
    instance: "",
    process: "",
    samples: samples.length,
    left_out: 0,
  };
  const column = (which: 0 | 1) => Float64Array.from(samples, (sample) => sample[which]);
  return new Counter(info, column(0), column(1), last);
}

test("a value holds until the next, the last until the end of the trace", () => {
  const counter = counterOf([[10, 5], [20, 7], [40, 0]], 0, 100); // prettier-ignore
  assert.deepEqual(
    [9, 10, 19, 20, 39, 40, 99, 100].map((time) => counter.at(time)),
    [-1, 0, 0, 1, 1, 2, 2, -1],
  );
  assert.deepEqual([counter.least, counter.most], [0, 7]);
});

test("a mean tells of the time before it, and no further back than its span or the sample before", () => {
  const counter = counterOf([[100, 50], [150, 80], [400, 10]], 100); // prettier-ignore
  assert.deepEqual([...counter.begin], [0, 100, 300]);
  assert.deepEqual(
    [-1, 0, 99, 100, 149, 150, 299, 300, 399, 400].map((time) => counter.at(time)),
    [-1, 0, 0, 1, 1, -1, -1, 2, 2, -1],
  );
});

test("columns hold the least and greatest value of all samples in them", () => {
  const counter = counterOf([[0, 4], [15, 9], [17, 1], [30, 2]], 0, 40); // prettier-ignore
  const { low, high } = counter.columns(-10, 50, 6);
  assert.deepEqual([...low], [NaN, 4, 1, 1, 2, NaN]);
  assert.deepEqual([...high], [NaN, 4, 9, 1, 2, NaN]);
  assert.deepEqual(counter.range(0, 16), [4, 9]);
  assert.equal(counter.range(41, 50), null);
});

test("two samples at one instant are both seen, however far one zooms out or in", () => {
  const counter = counterOf([[0, 1], [50, 1000], [50, 2]], 0, 100); // prettier-ignore
  assert.deepEqual(counter.range(0, 100), [1, 1000]);
  assert.deepEqual(counter.range(49, 51), [1, 1000]);
  assert.deepEqual(counter.range(51, 52), [2, 2]);
  assert.equal(counter.value[counter.at(50)], 2);
});

test("no peak is lost among very many samples: columns agree with looking at every sample", () => {
  const next = random(7);
  const samples: [number, number][] = [];
  for (let i = 0, time = 0; i < 5000; i++) {
    time += Math.floor(next() * 40);
    samples.push([time, Math.floor(next() * 1000)]);
  }
  samples[3210][1] = 1_000_000;
  const end = samples[4999][0] + 1;
  const counter = counterOf(samples, 0, end);
  for (const [from, to, count] of [
    [0, end, 1],
    [0, end, 37],
    [5000, 6000, 250],
    [-500, end + 500, 900],
  ]) {
    const { low, high } = counter.columns(from, to, count);
    const width = (to - from) / count;
    for (let column = 0; column < count; column++) {
      const [left, right] = [from + column * width, from + (column + 1) * width];
      const seen = samples.filter(([begin], i) => {
        const until = samples[i + 1]?.[0] ?? end;
        return begin < right && (until > left || begin >= left);
      });
      const values = seen.map(([, value]) => value);
      assert.equal(high[column], values.length ? Math.max(...values) : NaN, `${from} ${to} ${column}`);
      assert.equal(low[column], values.length ? Math.min(...values) : NaN);
    }
  }
  assert.equal(Math.max(...counter.columns(0, end, 900).high), 1_000_000);
});

test("amounts are told in the unit that fits, and with all their digits", () => {
  assert.equal(amount(1_342_177_280, "B"), "1.25 GiB");
  assert.equal(exactAmount(1_342_177_280, "B"), "1,342,177,280 B");
  assert.equal(amount(1023, "B"), "1,023 B");
  assert.equal(exactAmount(1023, "B"), "");
  assert.equal(amount(25e9, "B/s"), "25 GB/s");
  assert.equal(amount(0, "B/s"), "0 B/s");
  assert.equal(amount(12.5, "%"), "12.5 %");
  assert.equal(amount(1800, "MHz"), "1,800 MHz");
  assert.equal(amount(-0.4567, ""), "−0.46");
  assert.equal(exactAmount(-0.4567, ""), "−0.4567");
});
