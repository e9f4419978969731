import { signal } from '@preact/signals';
import type { LogRecord } from '../../../src/console/wire.ts';
import { clock, stamp } from '../format.ts';
import { records } from '../store/live.ts';

const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
/** As many as anybody reads at once; a filter finds the others. */
const SHOWN_MAX = 200;

const level = signal<LogRecord['level']>('trace');
const words = signal('');

/** The newest records of the log, newest first. */
export function LogView() {
  const wanted = words.value.toLowerCase();
  const matching = records.value.filter(
    (record) =>
      LEVELS.indexOf(record.level) >= LEVELS.indexOf(level.value) &&
      (record.text.toLowerCase().includes(wanted) || record.fields.toLowerCase().includes(wanted)),
  );
  return (
    <>
      <search class="bar">
        <label>
          At least{' '}
          <select
            value={level.value}
            onChange={({ currentTarget }) => {
              level.value = LEVELS.find((one) => one === currentTarget.value) ?? 'trace';
            }}
          >
            {LEVELS.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </label>
        <label class="wide">
          With the text{' '}
          <input
            type="search"
            value={words.value}
            onInput={({ currentTarget }) => {
              words.value = currentTarget.value;
            }}
          />
        </label>
        <p class="faint" role="status">
          {matching.length} of {records.value.length} records
        </p>
      </search>
      <Records
        records={matching.slice(-SHOWN_MAX).reverse()}
        nothing="No record is like that. Records are kept in memory since the server started."
      />
    </>
  );
}

interface RecordsProps {
  readonly records: readonly LogRecord[];
  readonly nothing: string;
}

/** A list of records; each opens to its fields and its meaning. */
export function Records({ records: shown, nothing }: RecordsProps) {
  if (shown.length === 0) return <p class="faint">{nothing}</p>;
  return (
    <ol class="records">
      {shown.map((record) => (
        <li key={record.id} class={record.level}>
          <details>
            <summary>
              <time dateTime={new Date(record.at).toISOString()} title={stamp(record.at)}>
                {clock(record.at)}
              </time>
              <span class="level">{record.level}</span>
              <span class="text">{record.text}</span>
              <span class="brief">{record.fields}</span>
            </summary>
            {record.why === '' ? null : <p>{record.why}</p>}
            {record.fields === '' ? null : <pre>{spread(record.fields)}</pre>}
          </details>
        </li>
      ))}
    </ol>
  );
}

/** Fields that were cut off are no JSON any more. */
function spread(fields: string): string {
  try {
    return Object.entries(JSON.parse(fields) as object)
      .map(
        ([name, value]) =>
          `${name}: ${typeof value === 'string' ? value : JSON.stringify(value, null, 2)}`,
      )
      .join('\n');
  } catch {
    return fields;
  }
}
