import { readFileSync } from 'node:fs';
import { CommandError, EXIT } from './exit-codes.ts';

/** Reads the accounts of `users import`: one JSON object a line. */
export function accountsIn(file: string): unknown[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line, index) => {
      try {
        return JSON.parse(line) as unknown;
      } catch {
        throw new CommandError(`${file}: line ${index + 1} is not JSON`, EXIT.refused);
      }
    });
}
