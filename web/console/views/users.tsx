import { useEffect, useState } from 'preact/hooks';
import type { UsersView as Found, UserView } from '../../../src/console/wire.ts';
import { Dialog } from '../parts/dialog.tsx';
import { RealmChoice, useRealm } from '../parts/realm-choice.tsx';
import { Loading, Table } from '../parts/table.tsx';
import { act, usePolled } from '../store/ask.ts';
import { told } from '../store/notices.ts';

const POLL_MS = 10_000;
/** A word is looked for when the typing pauses. */
const TYPING_MS = 200;

const ROLES = ['owner', 'administrator', 'moderator', 'member', 'guest'];

const COLUMNS = [
  { title: 'Name' },
  { title: 'Address' },
  { title: 'Role' },
  { title: 'State' },
  { title: 'Acts', isHidden: true },
];

/** A secret that is shown once. */
interface Shown {
  readonly title: string;
  readonly secret: string;
}

type Open =
  | { readonly what: 'create' }
  | { readonly what: 'deactivate'; readonly user: UserView }
  | null;

/** The accounts of a realm. */
export function UsersView() {
  const { names, realm } = useRealm();
  const [typed, setTyped] = useState('');
  const [words, setWords] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setWords(typed), TYPING_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  const path =
    realm === undefined ? null : `users?${new URLSearchParams({ realm, q: words }).toString()}`;
  const { asked, refresh } = usePolled<Found>(path, POLL_MS);
  return (
    <>
      <search class="bar">
        <RealmChoice names={names} realm={realm} />
        <label class="wide">
          Name or address{' '}
          <input
            type="search"
            value={typed}
            onInput={({ currentTarget }) => setTyped(currentTarget.value)}
          />
        </label>
      </search>
      {asked.value === null || realm === undefined ? (
        <Loading fault={asked.fault} />
      ) : (
        <Accounts realm={realm} found={asked.value} refresh={refresh} />
      )}
    </>
  );
}

interface AccountsProps {
  readonly realm: string;
  readonly found: Found;
  readonly refresh: () => void;
}

function Accounts({ realm, found, refresh }: AccountsProps) {
  const [open, setOpen] = useState<Open>(null);
  const [shown, setShown] = useState<Shown | null>(null);
  const run = (said: string, command: string, args: object) =>
    told(said, act(command, { realm, ...args })).then((lines) => {
      refresh();
      return lines;
    });
  const issueKey = async ({ email }: UserView) => {
    const [line] = (await run(`${email} has a further key`, 'key create', { email })) ?? [];
    if (line !== undefined) {
      setShown({ title: `A further API key of ${email}`, secret: String(line['api_key']) });
    }
  };
  const makeLink = async ({ email }: UserView) => {
    const said = `${email} can set a password within a day`;
    const [line] = (await run(said, 'user password-link', { email })) ?? [];
    if (line === undefined) return;
    setShown({ title: `A link by which ${email} sets a password`, secret: String(line['url']) });
  };
  return (
    <>
      <div class="bar">
        <button type="button" class="first" onClick={() => setOpen({ what: 'create' })}>
          New account
        </button>
        <p class="faint" role="status">
          {found.matching === 1 ? '1 account' : `${found.matching} accounts`}
          {found.matching > found.users.length ? `, the first ${found.users.length} are shown` : ''}
        </p>
      </div>
      <Table
        caption={`Accounts of ${realm}`}
        columns={COLUMNS}
        nothing="No account is like that."
        rows={found.users.map((user) => ({
          key: String(user.id),
          cells: [
            user.name,
            user.email,
            <RoleOf
              key="role"
              {...user}
              onRole={(role) =>
                void run(`${user.email} is ${role} now`, 'user role', { email: user.email, role })
              }
            />,
            <span key="state" class={user.isActive ? 'good' : 'warn'}>
              {user.isActive ? 'active' : 'deactivated'}
            </span>,
            <Acts
              key="acts"
              user={user}
              setOpen={setOpen}
              onKey={() => void issueKey(user)}
              onLink={() => void makeLink(user)}
              onReactivate={() =>
                void run(`${user.email} is active again`, 'user reactivate', { email: user.email })
              }
            />,
          ],
        }))}
      />
      <Dialogs open={open} run={run} onClose={() => setOpen(null)} onShow={setShown} />
      {shown === null ? null : (
        <Dialog title={shown.title} onClose={() => setShown(null)}>
          <p>It is not shown again:</p>
          <pre>
            <code>{shown.secret}</code>
          </pre>
        </Dialog>
      )}
    </>
  );
}

function RoleOf({ email, role, isBot, onRole }: UserView & { onRole: (role: string) => void }) {
  if (isBot) return <>bot</>;
  return (
    <select
      aria-label={`Role of ${email}`}
      value={role}
      onChange={({ currentTarget }) => onRole(currentTarget.value)}
    >
      {ROLES.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  );
}

interface ActsProps {
  readonly user: UserView;
  readonly setOpen: (open: Open) => void;
  readonly onKey: () => void;
  readonly onLink: () => void;
  readonly onReactivate: () => void;
}

function Acts({ user, setOpen, onKey, onLink, onReactivate }: ActsProps) {
  const whose = <span class="unseen"> of {user.email}</span>;
  if (!user.isActive) {
    return (
      <span class="acts">
        <button type="button" onClick={onReactivate}>
          Reactivate<span class="unseen"> {user.email}</span>
        </button>
      </span>
    );
  }
  return (
    <span class="acts">
      {user.isBot ? null : (
        <button type="button" onClick={onLink}>
          Password link{whose}
        </button>
      )}
      <button type="button" onClick={onKey}>
        New key{whose}
      </button>
      <button type="button" onClick={() => setOpen({ what: 'deactivate', user })}>
        Deactivate<span class="unseen"> {user.email}</span>
      </button>
    </span>
  );
}

interface DialogsProps {
  readonly open: Open;
  readonly run: (
    said: string,
    command: string,
    args: object,
  ) => Promise<readonly Readonly<Record<string, unknown>>[] | undefined>;
  readonly onClose: () => void;
  readonly onShow: (shown: Shown) => void;
}

function Dialogs({ open, run, onClose, onShow }: DialogsProps) {
  if (open === null) return null;
  if (open.what === 'create') {
    const create = async ({ email = '', name = '', role = '' }) => {
      const [line] = (await run(`${email} is there`, 'user create', { email, name, role })) ?? [];
      if (line !== undefined) {
        onShow({ title: `The API key of ${email}`, secret: String(line['api_key']) });
      }
    };
    return (
      <Dialog
        title="New account"
        submit="Create"
        onClose={onClose}
        onSubmit={(fields) => void create(fields)}
      >
        <label>
          Mail address
          <input name="email" type="email" required autocomplete="off" />
        </label>
        <label>
          Full name
          <input name="name" required autocomplete="off" />
        </label>
        <label>
          Role
          <select name="role" defaultValue="member">
            {ROLES.map((role) => (
              <option key={role} selected={role === 'member'}>
                {role}
              </option>
            ))}
          </select>
        </label>
      </Dialog>
    );
  }
  const { email } = open.user;
  return (
    <Dialog
      title={`Deactivate ${email}?`}
      submit="Deactivate"
      isGrave
      onClose={onClose}
      onSubmit={() => void run(`${email} is deactivated`, 'user deactivate', { email })}
    >
      <p>The account and its bots are closed, and their clients are disconnected.</p>
    </Dialog>
  );
}
