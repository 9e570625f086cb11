import assert from "node:assert/strict";
import { test } from "node:test";
import type { TranslationBundle } from "@jupyterlab/translation";
import { compareVersions, kernelAdvice, serverAdvice, withoutServer } from "../src/lab/advice.ts";

const trans = {
  __: (text: string, ...values: string[]) =>
    text.replace(/%(\d)/g, (_, number: string) => values[Number(number) - 1]),
} as unknown as TranslationBundle;

test("versions are compared by their numbers", () => {
  const ascending = ["0.0.9", "0.1", "0.1.1", "0.9.0", "0.10.0", "1.0.0"];
  for (let i = 1; i < ascending.length; i++) {
    assert.ok(compareVersions(ascending[i - 1], ascending[i]) < 0);
    assert.ok(compareVersions(ascending[i], ascending[i - 1]) > 0);
  }
  assert.equal(compareVersions("0.1.0", "0.1.0"), 0);
  assert.notEqual(compareVersions("0.1.0", "0.1.0.dev"), 0);
});

test("advice names what to install where, the newer version of the two", () => {
  assert.equal(serverAdvice("0.1.0", "0.1.0", trans), null);
  assert.equal(kernelAdvice("0.1.0", "0.1.0", trans), null);
  assert.match(serverAdvice("0.1.0", "0.0.1", trans)!, /0\.0\.1 on the server\. There: .*==0\.1\.0/);
  assert.match(serverAdvice("0.1.0", "0.2.0", trans)!, /Reload, or .*==0\.2\.0 for JupyterLab/);
  assert.match(kernelAdvice("0.1.0", "0.0.1", trans)!, /In a cell: %pip install .*==0\.1\.0/);
  assert.match(kernelAdvice("0.1.0", "0.2.0", trans)!, /Where Jupyter runs: pip install .*==0\.2\.0/);
});

test("advice fits into a notification, which JupyterLab cuts after 140 letters", () => {
  const [old, recent] = ["10.10.10rc1", "10.11.10rc1"];
  const all = [
    withoutServer(trans),
    serverAdvice(old, recent, trans),
    serverAdvice(recent, old, trans),
    kernelAdvice(old, recent, trans),
    kernelAdvice(recent, old, trans),
  ];
  for (const one of all) assert.ok(one!.length <= 140, `${one!.length}: ${one}`);
});
