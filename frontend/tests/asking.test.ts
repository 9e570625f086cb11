import assert from "node:assert/strict";
import { test } from "node:test";
import { asker, type Kernel } from "../src/widget/asking.ts";

/** A kernel that answers when it is told to. */
class Slow implements Kernel {
  readonly asked: unknown[] = [];
  private readonly listeners: ((content: unknown) => void)[] = [];
  gone = false;

  send(content: unknown): void {
    if (this.gone) throw new Error("Comm is closed");
    this.asked.push(content);
  }
  on(event: string, listener: (content: unknown) => void): void {
    assert.equal(event, "msg:custom");
    this.listeners.push(listener);
  }
  say(content: unknown): void {
    for (const listener of this.listeners) listener(content);
  }
}

test("answers find their questions in any order; the same question is asked once by all views", async () => {
  const kernel = new Slow();
  const [one, other] = [asker(kernel), asker(kernel)];
  const answers = [one(3), other(4), other(3)];
  assert.deepEqual(kernel.asked, [{ type: "args", row: 3 }, { type: "args", row: 4 }]); // prettier-ignore
  for (const noise of [null, 5, { type: "other", row: 3, text: "no" }, { type: "args", row: 9, text: "no" }])
    kernel.say(noise);
  kernel.say({ type: "args", row: 4, text: "four" });
  kernel.say({ type: "args", row: 3, text: '{"id": 9007199254740993}' });
  assert.deepEqual(await Promise.all(answers), ['{"id": 9007199254740993}', "four", '{"id": 9007199254740993}']); // prettier-ignore
});

test("a kernel that is gone, or does not know, is not waited for, and may be asked again", async () => {
  const kernel = new Slow();
  const ask = asker(kernel);
  kernel.gone = true;
  await assert.rejects(ask(1));
  kernel.gone = false;
  const again = ask(1);
  kernel.say({ type: "args", row: 1, text: null });
  await assert.rejects(again);
});
