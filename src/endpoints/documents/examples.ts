import { readFileSync } from 'node:fs';

/** A request that a test has made, and the answer that it got. */
export interface Example {
  /** The parameters by their names, as values, wherever they go. */
  readonly params: Readonly<Record<string, unknown>>;
  /** The name of the file that was sent, if one was. */
  readonly file?: string;
  readonly answer: ExampleAnswer;
  /** The answer to a request that was refused. */
  readonly refusal?: ExampleAnswer;
}

export interface ExampleAnswer {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Examples of operations by their ids, and of events by their kinds. */
export interface Examples {
  readonly operations: Readonly<Record<string, Example>>;
  readonly events: Readonly<Record<string, object>>;
}

/**
 * Reads the examples that `npm run docs` has recorded (`test/examples.test.ts`). The file is beside
 * the sources; the build takes it into the document that is served.
 */
export const readExamples = (): Examples =>
  JSON.parse(readFileSync(new URL('examples.json', import.meta.url), 'utf8')) as Examples;
