import { readDemo } from '../admin/demo-file.ts';
import type { Realms } from '../admin/deployment.ts';
import { scheduleSyncs } from '../admin/directories/schedule.ts';
import { scheduleBackups } from '../admin/scheduled-backups.ts';
import type { Acme } from '../admin/tls/acme.ts';
import { namesOfServer, openHttpsOrigins } from '../admin/tls/https-origin.ts';
import { openTlsRenewal } from '../admin/tls/tls-renewal.ts';
import type { Node } from '../cluster/node/declaration.ts';
import { ENDPOINTS } from '../endpoints/index.ts';
import { fromGateways, mountRelay, orOfNodes, relayPatterns } from '../forwarding/relay.ts';
import { withShown } from '../gateways/counts/showing.ts';
import type { Gateways } from '../gateways/writing/gateways.ts';
import { openServed, type Served } from '../served.ts';
import { type Listener, listen } from '../transport/connections/listen.ts';
import { claimSharedPort } from '../transport/connections/ports.ts';
import type { TemplatedApp } from '../transport/library/sockets.ts';
import { listenForRedirects } from '../transport/redirects.ts';
import type { MailTaking } from '../workers/incoming/taking.ts';
import { mountMailsOf, openMailInOf, openMailTakingOf } from './mails.ts';
import type { Input, Opened, Parts } from './parts.ts';
import { apiUrl } from './standing.ts';

/** Opens the ports, and serves what the stores hold. */
export async function openPorts(input: Input, parts: Parts, { realms, isNew }: Opened) {
  const { settings, data, notes } = input;
  await input.monitoring.listen();
  const { gateways, node } = parts;
  const served = openServedOf(input, realms, parts);
  parts.mailTaking = await openMailTakingOf(input, realms, node);
  parts.served = gateways === null ? served : withShown(served, gateways);
  parts.listener =
    node === null
      ? await listenWith(input, { gateways, realms, served })
      : await listenAsNode(input, node, { served, mails: parts.mailTaking });
  const { readTlsAgain } = parts.listener;
  parts.acme = await openCertificates(input, realms, async () => parts.tlsRenewal?.now());
  parts.redirects = await openRedirects(input, realms, {
    port: parts.listener.port,
    challengeOf: parts.acme?.challengeOf ?? (() => undefined),
  });
  parts.tlsRenewal = openTlsRenewal({
    files: settings.tls,
    use: readTlsAgain,
    onRenewed: notes.tlsRenewed,
    onFailed: notes.tlsNotRenewed,
  });
  parts.acme?.begin();
  // A port that the kernel picked is only known now.
  if (isNew) readDemo(data, apiUrl(settings, parts.listener.port));
  parts.realms = realms;
  parts.mailIn = await openMailInOf(input, parts.mailTaking);
  parts.backups = scheduleBackups(realms, {
    clock: input.clock,
    onCreated: notes.backupCreated,
    onFailed: notes.backupFailed,
  });
  parts.syncs = scheduleSyncs(realms, {
    clock: input.clock,
    onSynced: notes.directorySynced,
    onBug: notes.bugIn('scheduler'),
  });
}

const openServedOf = (
  input: Input,
  realms: Realms,
  { gateways, node }: Pick<Parts, 'gateways' | 'node'>,
): Served =>
  openServed(
    {
      ...input,
      isReady: () => input.monitoring.health().isReady,
      ...(node === null
        ? {}
        : {
            forward: node.ask,
            isWrittenHere: node.realms.isWritten,
            passing: node.passing(input.settings.tls !== null),
            proxies: orOfNodes(node.secret, input.settings),
          }),
      ...(gateways === null
        ? {}
        : {
            proxies: fromGateways(gateways.secret, input.settings.allowedOrigins),
            onTaken: gateways.onTaken,
          }),
    },
    realms,
  );

/** Opens the port for clients, and the one at which other nodes reach this one. */
async function listenAsNode(
  input: Input,
  node: Node,
  { served, mails }: { readonly served: Served; readonly mails: MailTaking | null },
): Promise<Listener> {
  const { settings, notes } = input;
  const { address } = node;
  const mountFor = (isTls: boolean) => (app: TemplatedApp) => {
    const relaying = { targetOf: node.relayTargetOf, proxies: served.proxies, isTls };
    mountRelay(app, relayPatterns(ENDPOINTS, { withBodies: true }), relaying);
    served.mount(app);
  };
  const onShort = notes.shortOfDescriptors;
  const among = await listen({ ...address, tls: null, onShort }, (app) => {
    if (mails !== null) mountMailsOf(app, node, mails);
    mountFor(false)(app);
  });
  try {
    const own = await listen({ ...settings, onShort }, mountFor(settings.tls !== null));
    node.begin({ dispatch: served.local, noteBug: served.noteBug }, among.port);
    return {
      ...own,
      close() {
        own.close();
        among.close();
      },
    };
  } catch (error) {
    among.close();
    throw error;
  }
}

interface Listening {
  readonly gateways: Gateways | null;
  readonly realms: Realms;
  readonly served: Served;
}

/** Opens the port: here, or in the gateways, which pass on to a listener of this process. */
async function listenWith(
  input: Input,
  { gateways, realms, served }: Listening,
): Promise<Listener> {
  const { settings, notes, clock, monitoring } = input;
  if (gateways === null) {
    return await listen({ ...settings, onShort: notes.shortOfDescriptors }, served.mount);
  }
  const { secret } = gateways;
  const own = await listen({ host: '127.0.0.1', port: 0, tls: null }, served.mount);
  const { port, release } = await claimSharedPort(settings);
  await gateways.begin({
    realms,
    dispatch: served.dispatch,
    noteBug: served.noteBug,
    noteTaken: served.noteTaken,
    beginning: {
      settings,
      port,
      relay: { port: own.port, secret },
      startedAt: Math.floor(clock.now() / 1000),
    },
    isReady: () => monitoring.health().isReady,
  });
  return {
    port,
    readTlsAgain: async () => gateways.readTlsAgain(),
    close() {
      own.close();
      release();
    },
  };
}

/**
 * Gets the certificates from an authority, if the operator has named one: its client is large, and
 * is loaded only then.
 */
async function openCertificates(
  { settings, notes }: Input,
  realms: Realms,
  onObtained: () => Promise<void>,
): Promise<Acme | null> {
  if (settings.acme === null) return null;
  const { openAcme } = await import('../admin/tls/acme.ts');
  return openAcme({
    ...settings.acme,
    names: () => namesOfServer(settings, realms.all()),
    onObtained,
    onFailed: notes.noCertificate,
  });
}

/** Opens the port that sends clients to HTTPS, if there is to be one. */
function openRedirects(
  { settings }: Input,
  realms: Realms,
  { port, challengeOf }: { readonly port: number; readonly challengeOf: Acme['challengeOf'] },
) {
  const { host, redirectPort } = settings;
  if (redirectPort === null) return null;
  return listenForRedirects({
    host,
    port: redirectPort,
    originOf: openHttpsOrigins(realms, settings, port),
    challengeOf,
  });
}
