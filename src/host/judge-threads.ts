/** Threads of which each does one thing at a time and may ask this thread for what it lacks. */
import { MessageChannel, Worker } from "node:worker_threads";
import { type AskingLine, answerQuestions } from "./asking.ts";

export type ThreadAnswer = { readonly text: string } | { readonly failure: string };

export interface AskingThread {
  /** Rejects when the job fails or the thread dies of it. */
  run(job: unknown): Promise<string>;
  /** The job under way ends soon. */
  stop(): void;
  readonly isAlive: boolean;
  close(): Promise<void>;
}

/** The thread's program gets `workerData` with `line` and `stop`, and answers each message with a `ThreadAnswer`. */
export function startAskingThread(file: string, answer: (question: unknown) => Promise<unknown>): AskingThread {
  const { port1, port2 } = new MessageChannel();
  const answered = new Int32Array(new SharedArrayBuffer(4));
  const stop = new Int32Array(new SharedArrayBuffer(4));
  const line: AskingLine = { port: port2, answered };
  const thread = new Worker(file, { workerData: { line, stop }, transferList: [port2] });
  answerQuestions({ port: port1, answered }, answer);
  let under: { resolve(text: string): void; reject(error: Error): void } | undefined;
  let isAlive = true;
  const fail = (why: string) => under?.reject(new Error(why));
  thread.on("message", (message: ThreadAnswer) =>
    "text" in message ? under?.resolve(message.text) : fail(message.failure),
  );
  thread.on("error", (error: Error) => fail(error.message));
  thread.on("exit", () => {
    isAlive = false;
    port1.close();
    fail("its thread ended");
  });
  return {
    run(job) {
      Atomics.store(stop, 0, 0);
      return new Promise<string>((resolve, reject) => {
        under = { resolve, reject };
        thread.postMessage(job);
      });
    },
    stop: () => void Atomics.store(stop, 0, 1),
    get isAlive() {
      return isAlive;
    },
    close: async () => void (await thread.terminate()),
  };
}
