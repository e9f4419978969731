type Listener<Args extends readonly unknown[]> = (...args: Args) => void;

/** Listeners by the name of what they hear of. An error in one of them does not keep the others. */
export class Emitter<Events extends Record<string, readonly unknown[]>> {
  private readonly listeners = new Map<keyof Events, Set<Listener<never>>>();

  /** Adds a listener; returns the function that removes it. */
  on<Name extends keyof Events>(name: Name, listener: Listener<Events[Name]>): () => void {
    const known = this.listeners.get(name) ?? new Set();
    this.listeners.set(name, known);
    // The same function may listen twice, and each is removed by itself.
    const own: Listener<never> = (...args) => listener(...(args as unknown as Events[Name]));
    known.add(own);
    return () => void known.delete(own);
  }

  emit<Name extends keyof Events>(name: Name, ...args: Events[Name]) {
    for (const listener of [...(this.listeners.get(name) ?? [])]) {
      try {
        (listener as Listener<Events[Name]>)(...args);
      } catch (error) {
        report(error);
      }
    }
  }
}

/** Throws an error of the application where it is seen, and not into the connection. */
function report(error: unknown) {
  queueMicrotask(() => {
    throw error;
  });
}
