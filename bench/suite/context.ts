import type { EncodedLatencies } from './latencies.ts';
import type { Pids, Usage } from './usage.ts';

/** The options that all benchmarks share. */
export interface Setting {
  readonly isQuick: boolean;
  /** How often each thing is measured. */
  readonly repeats: number;
  /** A server elsewhere, instead of one that the benchmark starts. */
  readonly remote: RemoteServer | undefined;
  /** A file of real messages, as lines of JSON; see bench/README.md. */
  readonly messages: string | undefined;
}

export interface RemoteServer {
  readonly url: string;
  /** As `demo-credentials.json`: an owner with a key. */
  readonly credentials: string;
}

/** The functions that the suite gives to a benchmark. */
export interface Bench {
  readonly setting: Setting;
  /** How many measurements will come: the progress counts them. */
  readonly expect: (measurements: number) => void;
  /** Shows an activity that takes time and is not measured. */
  readonly doing: (what: string) => void;
  /** Measures one case of one server once more: the repeats are told apart by their order. */
  readonly measure: <Result>(measuring: Measuring<Result, string>) => Promise<Result>;
  /** Something that is not obvious from the figures, for who reads them. */
  readonly note: (sentence: string) => void;
  /** Something that must not happen and did: the run fails. */
  readonly fault: (sentence: string) => void;
}

export interface Context<Values, Names extends string> extends Omit<Bench, 'measure'> {
  readonly options: Values;
  readonly measure: <Result>(measuring: Measuring<Result, Names>) => Promise<Result>;
}

export interface Case {
  readonly name: string;
  /** The position on an axis: cases of one curve are drawn as one line. */
  readonly at?: { readonly axis: string; readonly curve: string; readonly value: number };
}

export interface Measuring<Result, Names extends string> {
  readonly case: Case | string;
  /** Other cases that it is at the same time, as the first of several curves. */
  readonly also?: readonly Case[];
  /** `confab`, `baseline`, or the name of a peer. */
  readonly server: string;
  /**
   * Processes that are looked at meanwhile; without a generator the work is done by the one that
   * measures.
   */
  readonly pids: Pids;
  readonly run: () => Promise<Result>;
  /** By metric; undefined where it cannot be told, as CPU time of a server elsewhere. */
  readonly figures: (
    result: Result,
    usage: Usage,
  ) => Readonly<Partial<Record<Names, number | undefined>>>;
  /** Times that were counted, by what they are of. */
  readonly latencies?: (result: Result) => Readonly<Record<string, EncodedLatencies>>;
}
