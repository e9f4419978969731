import { useState } from 'preact/hooks';
import type { RealmView } from '../../../src/console/wire.ts';
import { ago, count, size, stamp } from '../format.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Loading, Table } from '../parts/table.tsx';
import { act, usePolled } from '../store/ask.ts';
import { told } from '../store/notices.ts';

const REALMS_MS = 5_000;

const COLUMNS = [
  { title: 'Realm' },
  { title: 'State' },
  { title: 'Users', isNumber: true },
  { title: 'Channels', isNumber: true },
  { title: 'Messages', isNumber: true },
  { title: 'Store', isNumber: true },
  { title: 'Queues', isNumber: true },
  { title: 'Last event' },
  { title: 'Acts', isHidden: true },
];

type Open = 'create' | { readonly what: 'export' | 'deactivate'; readonly realm: string } | null;

/** The organizations on the server. */
export function RealmsView() {
  const { asked, refresh } = usePolled<readonly RealmView[]>('realms', REALMS_MS);
  const [open, setOpen] = useState<Open>(null);
  const run = (said: string, command: string, args: object) =>
    void told(said, act(command, args)).then(refresh);
  return (
    <>
      <div class="bar">
        <button type="button" class="first" onClick={() => setOpen('create')}>
          New realm
        </button>
      </div>
      {asked.value === null ? (
        <Loading fault={asked.fault} />
      ) : (
        <Table
          caption="Realms"
          columns={COLUMNS}
          nothing="There are no realms yet."
          rows={asked.value.map((realm) => ({
            key: String(realm.id),
            cells: [
              <Name key="name" {...realm} />,
              <State key="state" {...realm} />,
              count(realm.users),
              count(realm.channels),
              count(realm.messages),
              size(realm.bytes),
              count(realm.queues),
              <span key="at" title={realm.lastActiveAt === null ? '' : stamp(realm.lastActiveAt)}>
                {ago(realm.lastActiveAt)}
              </span>,
              <Acts key="acts" {...realm} setOpen={setOpen} run={run} />,
            ],
          }))}
        />
      )}
      {open === 'create' ? <Create onClose={() => setOpen(null)} run={run} /> : null}
      {open !== null && open !== 'create' && open.what === 'export' ? (
        <Export realm={open.realm} onClose={() => setOpen(null)} run={run} />
      ) : null}
      {open !== null && open !== 'create' && open.what === 'deactivate' ? (
        <Dialog
          title={`Deactivate ${open.realm}?`}
          submit="Deactivate"
          isGrave
          onClose={() => setOpen(null)}
          onSubmit={() =>
            run(`${open.realm} is deactivated`, 'realm deactivate', { realm: open.realm })
          }
        >
          <p>Nobody can log in, and all clients are disconnected. Its data stays.</p>
        </Dialog>
      ) : null}
    </>
  );
}

type Run = (said: string, command: string, args: object) => void;

function Name({ realm, title, url }: RealmView) {
  return (
    <>
      <a href={`#users/${encodeURIComponent(realm)}`}>{realm}</a>
      <small title={url}>{title}</small>
    </>
  );
}

function State({ state, reason }: RealmView) {
  return (
    <>
      <span class={state === 'active' ? 'good' : 'warn'}>{state}</span>
      {reason === '' ? null : <small>{reason}</small>}
    </>
  );
}

function Acts({
  realm,
  state,
  setOpen,
  run,
}: RealmView & { setOpen: (open: Open) => void; run: Run }) {
  if (state === 'not served' || state === 'closed') return null;
  return (
    <span class="acts">
      <button type="button" onClick={() => setOpen({ what: 'export', realm })}>
        Export<span class="unseen"> {realm}</span>
      </button>
      {state === 'active' ? (
        <button type="button" onClick={() => setOpen({ what: 'deactivate', realm })}>
          Deactivate<span class="unseen"> {realm}</span>
        </button>
      ) : (
        <button
          type="button"
          onClick={() => run(`${realm} is active again`, 'realm reactivate', { realm })}
        >
          Reactivate<span class="unseen"> {realm}</span>
        </button>
      )}
    </span>
  );
}

function Create({ onClose, run }: { readonly onClose: () => void; readonly run: Run }) {
  return (
    <Dialog
      title="New realm"
      submit="Create"
      onClose={onClose}
      onSubmit={({ name = '', title = '' }) =>
        run(`${name} is there; its first account can be made now`, 'realm create', {
          name,
          ...(title === '' ? {} : { title }),
        })
      }
    >
      <label>
        Name, the first label of its host
        <input name="name" required pattern="[a-z0-9\-]+" autocomplete="off" spellcheck={false} />
      </label>
      <label>
        Title, as people see it
        <input name="title" autocomplete="off" />
      </label>
    </Dialog>
  );
}

interface ExportProps {
  readonly realm: string;
  readonly onClose: () => void;
  readonly run: Run;
}

function Export({ realm, onClose, run }: ExportProps) {
  const day = new Date().toISOString().slice(0, 10);
  return (
    <Dialog
      title={`Export ${realm}`}
      submit="Export"
      onClose={onClose}
      onSubmit={({ file = '', kind = '' }) =>
        run(`${file} is written`, 'realm export', { realm, file, kind })
      }
    >
      <label>
        New file on the server's machine
        <input name="file" required pattern="/.*" defaultValue={`/tmp/${realm}-${day}.zip`} />
      </label>
      <label>
        What is in it
        <select name="kind">
          <option value="whole">whole: everything, to move it to another server</option>
          <option value="standard">standard: with the direct messages of those who agreed</option>
          <option value="public">public: messages of public channels only</option>
        </select>
      </label>
    </Dialog>
  );
}
