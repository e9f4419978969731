import { useEffect, useRef } from 'preact/hooks';
import type { ServerView } from '../../src/console/wire.ts';
import { span } from './format.ts';
import { later } from './parts/later.tsx';
import { usePolled } from './store/ask.ts';
import { link } from './store/live.ts';
import { notice } from './store/notices.ts';
import { route, VIEWS, type View } from './store/route.ts';
import { ActorsView } from './views/actors.tsx';
import { BackupsView } from './views/backups.tsx';
import { ChartsView } from './views/charts.tsx';
import { ChecksView } from './views/checks.tsx';
import { ConnectionsView } from './views/connections.tsx';
import { LogView } from './views/log.tsx';
import { NowView } from './views/now.tsx';
import { OutboxView } from './views/outbox.tsx';
import { RealmsView } from './views/realms.tsx';
import { UsersView } from './views/users.tsx';

const SERVER_MS = 5_000;

const SHOWN: Readonly<Record<View, () => preact.JSX.Element>> = {
  now: NowView,
  charts: ChartsView,
  log: LogView,
  actors: ActorsView,
  realms: RealmsView,
  users: UsersView,
  audit: later(() => import('./views/audit.tsx').then(({ AuditView }) => AuditView)),
  connections: ConnectionsView,
  cluster: later(() => import('./views/cluster.tsx').then(({ ClusterView }) => ClusterView)),
  gateways: later(() => import('./views/gateways.tsx').then(({ GatewaysView }) => GatewaysView)),
  outbox: OutboxView,
  backups: BackupsView,
  checks: ChecksView,
};

/** Tells whether the server has what a view shows. */
function isThere(view: View, server: ServerView | null): boolean {
  if (view === 'cluster') return server?.clusterNode != null;
  return view !== 'gateways' || (server?.gateways ?? 0) > 0;
}

const titleOf = (view: View) => view.charAt(0).toUpperCase() + view.slice(1);

/** The whole page: the server's state, the menu, and one view. */
export function Frame() {
  const { view } = route.value;
  const server = usePolled<ServerView>('server', SERVER_MS).asked.value;
  const Shown = SHOWN[view];
  const menu = useRef<HTMLUListElement>(null);
  // A narrow page shows a part of the menu only, and some of it once the server is known.
  useEffect(() => {
    menu.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest' });
  }, [view, server === null]);
  document.title = `${titleOf(view)} · confab console`;
  if (link.value === 'logged out') return <LoggedOut />;
  return (
    <div class="frame">
      <button type="button" class="skip" onClick={() => document.getElementById('view')?.focus()}>
        Skip to the view
      </button>
      <header>
        <p class="brand">confab</p>
        <State server={server} />
        <p class="facts">
          {server === null
            ? ''
            : `${server.version} · up ${span((Date.now() - Date.parse(server.startedAt)) / 1_000)}`}
        </p>
        <button type="button" class="quiet" onClick={() => void leave()}>
          Log out
        </button>
      </header>
      <nav aria-label="Views">
        <ul ref={menu}>
          {VIEWS.filter((one) => isThere(one, server)).map((one) => (
            <li key={one}>
              <a href={`#${one}`} aria-current={one === view ? 'page' : undefined}>
                {titleOf(one)}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <main id="view" tabIndex={-1}>
        <h1>{titleOf(view)}</h1>
        <Shown />
      </main>
      <Notice />
    </div>
  );
}

function State({ server }: { readonly server: ServerView | null }) {
  if (link.value === 'lost') return <p class="state bad">connection lost, trying again</p>;
  if (server === null) return <p class="state">connecting</p>;
  if (server.isReady) return <p class="state good">ready</p>;
  return <p class="state bad">not ready: {server.reasons.join('; ')}</p>;
}

function Notice() {
  return (
    <div class="notices" role="status">
      {notice.value === null ? null : (
        <p class={notice.value.isFault ? 'notice bad' : 'notice'}>
          {notice.value.text}
          <button type="button" class="quiet" onClick={() => (notice.value = null)}>
            Close
          </button>
        </p>
      )}
    </div>
  );
}

async function leave() {
  await fetch('/console/log-out', {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: '{}',
  });
  link.value = 'logged out';
}

function LoggedOut() {
  return (
    <main class="door">
      <h1>confab console</h1>
      <p>You are logged out, or the server was started again. Run this where the server runs:</p>
      <pre>
        <code>confab console</code>
      </pre>
    </main>
  );
}
