import type { Readable } from 'node:stream';
import type { BackgroundTurns } from '../../domain/background-turns.ts';
import { LineCutter } from '../../domain/lines.ts';

interface Lines {
  /** Bytes of a line. */
  readonly bytesMax: number;
  /** Is told of a longer one; neither this nor lines that wait for their turn are read. */
  readonly onTooLong: () => void;
  /** Returns whose turns they have; undefined if there is nobody to wait for. */
  readonly turns: () => BackgroundTurns | undefined;
  /** Is told each line without its end. */
  readonly onLine: (line: string) => void;
}

/**
 * Reads a stream line by line, each in a turn of its own: however much has come at once, others
 * wait no longer than one line takes. What follows the last line end is no line.
 */
export function readLines(stream: Readable, { bytesMax, onTooLong, turns, onLine }: Lines) {
  const lines: Buffer[] = [];
  const cutter = new LineCutter(bytesMax);
  stream.on('data', take);
  function take(bytes: Buffer) {
    for (const line of cutter.cut(bytes)) {
      if (line === null) return refuse();
      lines.push(line);
    }
    if (cutter.isTooLong) return refuse();
    if (lines.length === 0) return;
    stream.pause();
    setImmediate(next);
  }
  function refuse() {
    stream.off('data', take).resume();
    lines.length = 0;
    onTooLong();
  }
  function next() {
    const background = turns();
    if (background === undefined) read();
    else background.whenFree(() => background.run(read));
  }
  function read() {
    const line = lines.shift();
    if (line === undefined || stream.destroyed) return;
    onLine(line.toString());
    if (lines.length > 0) setImmediate(next);
    else stream.resume();
  }
}
