/**
 * Carries what need not be stored between the nodes: signs of life, requests, and who holds a
 * queue. A message may be lost. Messages of one sender to one subject arrive in the order in which
 * they were sent.
 */
export interface Bus {
  publish(subject: string, body: Uint8Array): void;
  /** Hands on what is published under a subject. Returns what ends the subscription. */
  subscribe(subject: string, onMessage: (body: Uint8Array) => void): () => void;
  /**
   * Asks the node that serves a subject. Rejects when none does, or when no answer came within
   * `timeoutMs`: then it is not known whether the request was carried out.
   */
  ask(subject: string, body: Uint8Array, timeoutMs: number): Promise<Uint8Array>;
  /** Answers what is asked under a subject. Returns what ends the serving. */
  serve(subject: string, answer: (body: Uint8Array) => Promise<Uint8Array>): () => void;
}

/** Small values that all nodes share: which nodes there are, and where they are reached. */
export interface SharedValues {
  get(key: string): Promise<Uint8Array | undefined>;
  put(key: string, value: Uint8Array): Promise<void>;
  /** Stores a value if the key has none. Returns false if it has one. */
  putNew(key: string, value: Uint8Array): Promise<boolean>;
  /** Stores a value if the key has this former one. Returns false if it has another, or none. */
  replace(key: string, former: Uint8Array, value: Uint8Array): Promise<boolean>;
  /** Returns the keys of a group, which are like `group.name`. */
  keys(group: string): Promise<readonly string[]>;
  remove(key: string): Promise<void>;
  /** Hands on all values, and each change from then on; a removed one as undefined. */
  watch(onValue: (key: string, value: Uint8Array | undefined) => void): Promise<() => void>;
}
