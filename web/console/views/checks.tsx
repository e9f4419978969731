import { useEffect, useState } from 'preact/hooks';
import type { CheckView, DataCheckLine } from '../../../src/console/wire.ts';
import { Table } from '../parts/table.tsx';
import { post } from '../store/ask.ts';
import { told } from '../store/notices.ts';

const COLUMNS = [
  { title: 'Check' },
  { title: 'Result' },
  { title: 'It says' },
  { title: 'What to do' },
];
const TONES = { ok: 'good', warn: 'warn', fail: 'bad' } as const;

interface DataChecked {
  readonly isSound: boolean;
  readonly lines: readonly DataCheckLine[];
}

/** Examines the machine, the settings and the stored data. */
export function ChecksView() {
  const [checks, setChecks] = useState<readonly CheckView[] | null>(null);
  const [isBusy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    const examined = await told<readonly CheckView[]>(
      (all) =>
        `${all.length} checks, ${all.filter(({ result }) => result !== 'ok').length} with advice`,
      post('checks', {}),
    );
    if (examined !== undefined) setChecks(examined);
    setBusy(false);
  };
  useEffect(() => {
    void run();
  }, []);
  return (
    <>
      <div class="bar">
        <button type="button" class="first" disabled={isBusy} onClick={() => void run()}>
          {isBusy ? 'Examining …' : 'Examine again'}
        </button>
      </div>
      {checks === null ? (
        <p class="faint">The machine and the settings are being examined …</p>
      ) : (
        <Table
          caption="The machine and the settings"
          columns={COLUMNS}
          nothing=""
          rows={checks.map(({ check, result, says, advice }, index) => ({
            key: String(index),
            cells: [
              check,
              <span key="result" class={TONES[result]}>
                {result}
              </span>,
              says,
              advice ?? '',
            ],
          }))}
        />
      )}
      <h2>Stored data</h2>
      <DataCheck />
    </>
  );
}

function DataCheck() {
  const [checked, setChecked] = useState<DataChecked | null>(null);
  const [isBusy, setBusy] = useState(false);
  const run = async () => {
    setBusy(true);
    const done = await told<DataChecked>(
      ({ isSound }) => (isSound ? 'The stored data is sound' : 'The stored data is damaged'),
      post('checks/data', {}),
    );
    if (done !== undefined) setChecked(done);
    setBusy(false);
  };
  return (
    <>
      <p>
        Reads every page and row of every realm, in processes of its own. A large store takes
        minutes.
      </p>
      <button type="button" disabled={isBusy} onClick={() => void run()}>
        {isBusy ? 'Checking …' : 'Check the stored data'}
      </button>
      {checked === null ? null : (
        <ul class="lines">
          {checked.lines.map((line) => (
            <li key={JSON.stringify(line)} class={line['is_sound'] === true ? 'good' : 'bad'}>
              {lineText(line)}
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

const lineText = (line: DataCheckLine) =>
  Object.entries(line)
    .filter(([, value]) => value !== null)
    .map(([name, value]) => `${name.replaceAll('_', ' ')}: ${String(value)}`)
    .join(' · ');
