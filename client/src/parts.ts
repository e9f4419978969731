// biome-ignore-all lint/performance/noBarrelFile: it is the entry of the package's parts.
// The parts of the library, for pages that load some of them later than others.
export type { ConnectionStatus } from './connection/status.ts';
export { Line, type LineOptions } from './line.ts';
export type { Outbox } from './outbox/outbox.ts';
export { outboxOf } from './outbox/outbox-of.ts';
