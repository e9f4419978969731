import { writeTables } from './documents/write-tables.ts';
import { NEWEST_FILE, readResults } from './suite/files.ts';
import { print, runMain } from './terminal/terminal.ts';

// npm run bench:readme [-- <results.json>]: the tables of the documents, of a run that was left
// somewhere or of the newest one.

await runMain(async () => {
  const [, , file = NEWEST_FILE] = process.argv;
  print(writeTables(readResults(file)));
});
