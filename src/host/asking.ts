/**
 * Questions that a thread asks another one and waits for, as a file system would answer: synchronously. Always: one question is
 * open at a time, and its asker does nothing else meanwhile.
 */
import { type MessagePort, receiveMessageOnPort } from "node:worker_threads";
import { assert } from "../base/index.ts";

/** What both sides hold: `port` carries questions one way and answers the other, `answered` wakes the asker. */
export interface AskingLine {
  readonly port: MessagePort;
  readonly answered: Int32Array;
}

export type ThreadReply = { readonly value: unknown } | { readonly failure: string };

/** In the thread that asks. */
export function ask({ port, answered }: AskingLine, question: unknown): unknown {
  Atomics.store(answered, 0, 0);
  port.postMessage(question);
  Atomics.wait(answered, 0, 0);
  const received = receiveMessageOnPort(port) as { readonly message: ThreadReply } | undefined;
  assert(received !== undefined, "an answer lies there before its asker is woken");
  if ("failure" in received.message) throw new Error(received.message.failure);
  return received.message.value;
}

/** In the thread that answers. */
export function answerQuestions({ port, answered }: AskingLine, answer: (question: unknown) => Promise<unknown>): void {
  port.on("message", (question: unknown) => {
    answer(question)
      .then((value): ThreadReply => ({ value }))
      .catch((error: unknown): ThreadReply => ({ failure: error instanceof Error ? error.message : String(error) }))
      .then((message) => {
        port.postMessage(message);
        Atomics.store(answered, 0, 1);
        Atomics.notify(answered, 0);
      });
  });
}
