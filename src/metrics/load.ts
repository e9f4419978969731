/** The load of a process. */
export interface Load {
  /** The cores that it keeps busy: 1 is a whole one. */
  readonly cpu: number;
  readonly rssBytes: number;
}

/** Two calls in a row would divide by next to nothing. */
const SPAN_MS_MIN = 500;

/** Returns what tells the load of this process, as it was since the call before. */
export function openLoad(): () => Load {
  let before = { at: performance.now(), usage: process.cpuUsage() };
  let cpu = 0;
  return () => {
    const at = performance.now();
    if (at - before.at >= SPAN_MS_MIN) {
      const { user, system } = process.cpuUsage(before.usage);
      cpu = (user + system) / 1_000 / (at - before.at);
      before = { at, usage: process.cpuUsage() };
    }
    return { cpu, rssBytes: process.memoryUsage.rss() };
  };
}
