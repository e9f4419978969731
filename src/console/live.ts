import type { ServerResponse } from 'node:http';
import { CONSOLE_STREAM_BYTES_MAX, CONSOLE_STREAMS_MAX } from '../domain/limits/operator.ts';
import type { RecentLog } from './recent-log.ts';
import type { Samples } from './samples.ts';
import { SERIES } from './series.ts';
import type { Hello, SeriesSpec } from './wire.ts';

/** The streams of open consoles: samples and log records, as server-sent events. */
export interface Live {
  /** Streams to a browser until it leaves; false if there are too many streams. */
  serve(res: ServerResponse): boolean;
  count(): number;
}

const SPECS: readonly SeriesSpec[] = SERIES.map(({ name, label, unit, alert }) => ({
  name,
  label,
  unit,
  alert,
}));

export interface LiveInput {
  readonly samples: Samples;
  readonly log: RecentLog;
  /** Called when the last stream has ended. */
  readonly onAllGone: () => void;
}

export function openLive({ samples, log, onAllGone }: LiveInput): Live {
  const streams = new Set<ServerResponse>();
  const followed: (() => void)[] = [];

  /** An event is written as text once, for all streams. */
  function tell(event: string, data: unknown) {
    const text = frame(event, data);
    for (const stream of streams) {
      // A browser that does not read gets all of it again when it comes back.
      if (stream.writableLength > CONSOLE_STREAM_BYTES_MAX) stream.destroy();
      else stream.write(text);
    }
  }

  function begin() {
    followed.push(
      samples.follow((sample) => tell('sample', sample)),
      log.follow((record) => tell('log', record)),
    );
  }

  return {
    count: () => streams.size,
    serve(res) {
      if (streams.size >= CONSOLE_STREAMS_MAX) return false;
      const hello: Hello = { series: SPECS, samples: samples.all(), log: log.all() };
      res.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store' });
      res.write(frame('hello', hello));
      if (streams.size === 0) begin();
      streams.add(res);
      res.on('close', () => {
        streams.delete(res);
        if (streams.size > 0) return;
        for (const stop of followed.splice(0)) stop();
        onAllGone();
      });
      return true;
    },
  };
}

/** JSON has no line feeds, which would end the data. */
const frame = (event: string, data: unknown) =>
  `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
