import { z } from 'zod';

// A run leaves every figure of every repeat, and the place where it was measured.

const values = z.array(z.number()).readonly();

/** One thing that was measured of one server in one case. */
const figure = z.strictObject({
  case: z.string(),
  /** The position of the case on an axis, for curves of growth. */
  at: z.strictObject({ axis: z.string(), curve: z.string(), value: z.number() }).optional(),
  server: z.string(),
  metric: z.string(),
  unit: z.string(),
  better: z.enum(['higher', 'lower']),
  /** The values of the repeats, in their order. */
  values,
  median: z.number(),
  /** From the lowest to the highest, as a part of the median. */
  spread: z.number(),
  /** Each over that of the baseline in the same repeat. */
  ofBaseline: values.optional(),
});

/** CPU time and memory of the processes during a case; a list has one entry of each repeat. */
const usage = z.strictObject({
  case: z.string(),
  server: z.string(),
  seconds: values,
  /** Absent where the server is elsewhere. */
  serverCpuSeconds: values.optional(),
  serverPeakBytes: values.optional(),
  /** CPU time of the load process; absent if nothing is sent from another process. */
  generatorCpuSeconds: values.optional(),
  /**
   * The generator's thread was busy all the time and the server's was not: the figure is the
   * generator's.
   */
  isGeneratorTheLimit: z.boolean(),
});

const latencies = z.strictObject({
  case: z.string(),
  server: z.string(),
  /** From when to when. */
  name: z.string(),
  count: z.int(),
  curve: z.array(z.strictObject({ percent: z.number(), ms: z.number() })).readonly(),
});

const targetOutcome = z.strictObject({
  name: z.string(),
  case: z.string(),
  metric: z.string(),
  /** "85 % of the baseline" and the like. */
  expected: z.string(),
  /** The measured value, in the same words. */
  got: z.string(),
  value: z.number(),
  better: z.enum(['higher', 'lower']),
  isMet: z.boolean(),
});

const benchmarkResult = z.strictObject({
  name: z.string(),
  summary: z.string(),
  description: z.string(),
  metrics: z.record(z.string(), z.string()),
  options: z.record(z.string(), z.string()),
  seconds: z.number(),
  figures: z.array(figure).readonly(),
  usages: z.array(usage).readonly(),
  latencies: z.array(latencies).readonly(),
  targets: z.array(targetOutcome).readonly(),
  notes: z.array(z.string()).readonly(),
  /** Events that must not happen and did: the run has failed. */
  faults: z.array(z.string()).readonly(),
});

const machine = z.strictObject({
  cpu: z.string(),
  cores: z.int(),
  memoryBytes: z.number(),
  kernel: z.string(),
  node: z.string(),
  /** The file system of the data. */
  fileSystem: z.string(),
  /** The load average of the minute before the run, from other work on the machine. */
  loadBefore: z.number(),
  /**
   * The part of the requested CPU time that the host gave to other machines; older runs lack it.
   */
  stolen: z.number().optional(),
});

export const results = z.strictObject({
  version: z.literal(2),
  startedAt: z.iso.datetime(),
  finishedAt: z.iso.datetime(),
  commit: z.string(),
  /** True if files differed from the commit. */
  isChanged: z.boolean(),
  isQuick: z.boolean(),
  repeats: z.int(),
  /** The address of the server; null for one that the run started itself. */
  url: z.string().nullable(),
  machine,
  benchmarks: z.array(benchmarkResult).readonly(),
});

export type Figure = z.output<typeof figure>;
export type UsageOfCase = z.output<typeof usage>;
export type TargetOutcome = z.output<typeof targetOutcome>;
export type BenchmarkResult = z.output<typeof benchmarkResult>;
export type Machine = z.output<typeof machine>;
export type Results = z.output<typeof results>;
