import type { Realms } from '../admin/deployment.ts';
import type { Node } from '../cluster/node/declaration.ts';
import { handMail, mountMails } from '../forwarding/mails.ts';
import { MAIL_IN_RESULTS } from '../metrics/labels.ts';
import { ListenError } from '../transport/connections/ports.ts';
import type { TemplatedApp } from '../transport/library/sockets.ts';
import type { MailIn } from '../workers/incoming/listener.ts';
import type { MailTaking, TakingInput } from '../workers/incoming/taking.ts';
import type { Input } from './parts.ts';

/**
 * Opens what makes messages of mails, if the operator has named an address for them. A node has it
 * in any case: mails may come in at another one.
 */
export async function openMailTakingOf(
  { settings, notes }: Input,
  realms: Realms,
  node: Node | null,
): Promise<MailTaking | null> {
  if (settings.mailIn === null && node === null) return null;
  const { openMailTaking } = await import('../workers/incoming/taking.ts');
  return openMailTaking({
    at: realms.at,
    isWritten: node?.realms.isWritten ?? (() => true),
    handOver: node === null ? null : handOverOf(node),
    onBug: notes.bugIn('workers'),
    onTaken: notes.mailTaken,
  });
}

const handOverOf =
  (node: Node): TakingInput['handOver'] =>
  async (host, mail) => {
    const target = node.relayTargetOf(host, false);
    if (target === undefined || target === null) return undefined;
    const told = await handMail(target, mail);
    if (told === undefined) return undefined;
    // A node of another version may have a reason that is not known here.
    const result = MAIL_IN_RESULTS.find((name) => name === told.result) ?? 'fault';
    return { ...told, result };
  };

/** Takes the mails that other nodes hand over. */
export const mountMailsOf = (
  app: TemplatedApp,
  { secret }: Node,
  { takeHere, hold }: MailTaking,
): void => mountMails(app, { secret, take: takeHere, hold });

/** Receives mails, if the operator has named an address; the library is loaded only then. */
export async function openMailInOf(
  { settings, clock, notes, recorders }: Input,
  taking: MailTaking | null,
): Promise<MailIn | null> {
  if (settings.mailIn === null || taking === null) return null;
  const { openMailIn } = await import('../workers/incoming/listener.ts');
  const { host, port } = settings.mailIn;
  const opening = openMailIn({
    ...settings.mailIn,
    relays: settings.mailInRelays,
    taking,
    record: recorders.mailsIn,
    now: () => clock.now(),
    onBug: notes.bugIn('workers'),
    onRefused: notes.mailRefused,
  });
  return await opening.catch(({ code, message }: NodeJS.ErrnoException) => {
    const why = code === 'EADDRINUSE' ? 'the port is in use' : message;
    throw new ListenError(`CONFAB_MAIL_IN: cannot listen on ${host}:${port}: ${why}`);
  });
}
