import { Socket } from 'node:net';
import { GATEWAY_ASKS_MAX, GATEWAY_UNSENT_BYTES_MAX } from '../../domain/limits/requests.ts';
import type { AskedRequest, Outcome } from '../../forwarding/asked-request.ts';
import type { Beginning, FromGateway, FromWriter } from '../link/frames.ts';
import { WRITER } from '../link/frames.ts';
import { openStream } from '../link/stream.ts';

/** The writer, as its gateway talks to it. */
export interface Writer {
  send(frame: FromGateway): void;
  /** Asks for the answer to a request. Returns false if too much is under way. */
  ask(request: AskedRequest, settle: (outcome: Outcome) => void): boolean;
  /** The same for other questions, each a frame with its number. */
  askBy(frame: (asked: number) => FromGateway, settle: (outcome: Outcome) => void): boolean;
  end(): void;
}

interface WriterInput {
  /** The first frame says what to begin with. */
  readonly onBegin: (beginning: Beginning) => void;
  readonly onFrame: (frame: Told) => void;
  /** The writer has ended, or wants this process to. */
  readonly onEnd: () => void;
}

/** The other frames, which are no answers. */
export type Told = Exclude<FromWriter, readonly ['answer' | 'begin', ...unknown[]]>;

/** Opens the stream on which this process was started. */
export function openWriter({ onBegin, onFrame, onEnd }: WriterInput): Writer {
  const asked = new Map<number, (outcome: Outcome) => void>();
  let newest = 0;
  const stream = openStream<FromGateway, FromWriter>(new Socket({ fd: WRITER }), {
    onFrame(frame) {
      if (frame[0] === 'begin') return onBegin(frame[1]);
      if (frame[0] !== 'answer') return onFrame(frame);
      const [, number, outcome] = frame;
      const settle = asked.get(number);
      asked.delete(number);
      settle?.(outcome);
    },
    onEnd,
  });
  const askBy: Writer['askBy'] = (frame, settle) => {
    if (asked.size >= GATEWAY_ASKS_MAX) return false;
    if (stream.unsentBytes() > GATEWAY_UNSENT_BYTES_MAX) return false;
    newest += 1;
    asked.set(newest, settle);
    stream.send(frame(newest));
    return true;
  };
  return {
    send: stream.send,
    ask: (request, settle) => askBy((number) => ['ask', number, request], settle),
    askBy,
    end: stream.end,
  };
}
