import { useState } from 'preact/hooks';
import type { BackupView, BackupsView as Known } from '../../../src/console/wire.ts';
import { ago, count, size, span, stamp } from '../format.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Loading, Table } from '../parts/table.tsx';
import { act, post, usePolled } from '../store/ask.ts';
import { say, told } from '../store/notices.ts';

const POLL_MS = 5_000;
const LIST_MS = 60_000;

const COLUMNS = [
  { title: 'Backup' },
  { title: 'State' },
  { title: 'Begun' },
  { title: 'Size', isNumber: true },
  { title: 'Files', isNumber: true },
  { title: 'Acts', isHidden: true },
];

/** The last backup, the next one, and those that there are. */
export function BackupsView() {
  const { asked, refresh } = usePolled<Known>('backups', POLL_MS);
  const list = usePolled<readonly BackupView[]>('backups/list', LIST_MS);
  const [isOpen, setOpen] = useState(false);
  if (asked.value === null) return <Loading fault={asked.fault} />;
  const known = asked.value;
  const create = (to: string) => {
    say('The backup is being made and verified …');
    void told(`A backup is in ${to}`, act('backup create', { to })).then(() => {
      refresh();
      list.refresh();
    });
  };
  const verify = (backup: string) => {
    say(`${backup} is being read …`);
    void told(`${backup} is whole`, post('backups/verify', { backup }));
  };
  return (
    <>
      <Facts {...known} />
      <div class="bar">
        <button type="button" class="first" onClick={() => setOpen(true)}>
          Back up now
        </button>
      </div>
      <h2>Backups</h2>
      {list.asked.value === null ? (
        <Loading fault={list.asked.fault} />
      ) : (
        <Table
          caption="Backups"
          columns={COLUMNS}
          nothing="There is none yet."
          rows={list.asked.value.map(({ backup, is_complete, at, bytes, files, why }) => ({
            key: backup,
            cells: [
              <code key="backup">{backup}</code>,
              <span key="state" class={is_complete ? 'good' : 'bad'}>
                {is_complete ? 'complete' : (why ?? 'not complete')}
              </span>,
              at === null ? '' : stamp(Date.parse(at)),
              bytes === undefined ? '' : size(bytes),
              files === undefined ? '' : count(files),
              <button key="verify" type="button" onClick={() => verify(backup)}>
                Verify<span class="unseen"> {backup}</span>
              </button>,
            ],
          }))}
        />
      )}
      {isOpen ? (
        <Dialog
          title="Back up now"
          submit="Back up"
          onClose={() => setOpen(false)}
          onSubmit={({ to = '' }) => create(to)}
        >
          <label>
            The folder of all backups, or s3://bucket/prefix
            <input name="to" required pattern="(/|s3://).*" defaultValue={known.to ?? ''} />
          </label>
        </Dialog>
      ) : null}
    </>
  );
}

function Facts({
  to,
  keep,
  nextAt,
  lastSuccessAt,
  bytes,
  files,
  seconds,
  lastFailureAt,
  why,
}: Known) {
  return (
    <dl class="facts">
      <dt>Backs itself up to</dt>
      <dd>{to === null ? 'nowhere: CONFAB_BACKUP_TO is not set' : <code>{to}</code>}</dd>
      <dt>Next</dt>
      <dd>{nextAt === null ? 'never' : `${ago(nextAt)} (${stamp(nextAt)}); ${keep} are kept`}</dd>
      <dt>Last</dt>
      <dd>
        {lastSuccessAt === null
          ? 'none is known'
          : `${ago(lastSuccessAt)}, ${size(bytes ?? 0)} in ${count(files ?? 0)} files, in ${span(Math.max(1, seconds ?? 0))}`}
      </dd>
      {lastFailureAt === null ? null : (
        <>
          <dt class="bad">Last failure</dt>
          <dd>
            {ago(lastFailureAt)}: {why}
          </dd>
        </>
      )}
    </dl>
  );
}
