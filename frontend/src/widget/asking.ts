/** Of a widget's model what is needed to ask its kernel. */
export interface Kernel {
  send(content: unknown): void;
  on(event: string, listener: (content: unknown) => void): void;
}

const ARGS = "args";
const MESSAGE = "msg:custom";

interface Question {
  answer: Promise<string>;
  resolve: (text: string) => void;
  reject: () => void;
}

/** What has been asked of each kernel and is not answered, by row; all views of a widget share it. */
const asked = new WeakMap<Kernel, Map<number, Question>>();

/** How to ask the kernel for the arguments of an event; the promise waits for as long as the kernel takes. */
export function asker(kernel: Kernel): (row: number) => Promise<string> {
  const open = questions(kernel);
  return (row) => {
    const known = open.get(row);
    if (known) return known.answer;
    const { promise: answer, resolve, reject } = later();
    open.set(row, { answer, resolve, reject });
    try {
      kernel.send({ type: ARGS, row });
    } catch {
      open.delete(row);
      reject();
    }
    return answer;
  };
}

function questions(kernel: Kernel): Map<number, Question> {
  const known = asked.get(kernel);
  if (known) return known;
  const open = new Map<number, Question>();
  asked.set(kernel, open);
  kernel.on(MESSAGE, (content) => {
    const { type, row, text } = (content ?? {}) as Record<string, unknown>;
    const question = type === ARGS ? open.get(row as number) : undefined;
    if (!question) return;
    open.delete(row as number);
    if (typeof text === "string") question.resolve(text);
    else question.reject();
  });
  return open;
}

function later(): { promise: Promise<string>; resolve: (text: string) => void; reject: () => void } {
  let resolve: (text: string) => void = () => undefined;
  let reject: () => void = () => undefined;
  const promise = new Promise<string>((done, failed) => {
    resolve = done;
    reject = failed;
  });
  return { promise, resolve, reject };
}
