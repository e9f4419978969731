import type { Email } from 'postal-mime';
import { MAIL_HOPS_MAX } from '../../domain/limits/outbox.ts';
import { type MailOrigin, OWN_HEADER } from '../../operations/notifications/automatic-mails.ts';

const OWN = OWN_HEADER.toLowerCase();
const LIST_HEADERS = /^list-(?:id|post|unsubscribe)$/;

/** Returns where a mail comes from, by its headers: whatever is most certain of them counts. */
export function originOf({ headers }: Pick<Email, 'headers'>): MailOrigin {
  const values = new Map<string, string>();
  let hops = 0;
  for (const { key, value } of headers) {
    if (key === 'received') hops += 1;
    else if (!values.has(key)) values.set(key, value.trim().toLowerCase());
  }
  const of = (name: string) => values.get(name) ?? '';
  const type = of('content-type');
  const isReport = type.startsWith('multipart/report');
  // RFC 3834 section 5: parameters may follow the word.
  const submitted = of('auto-submitted').split(/[;\s]/, 1)[0] ?? '';
  const precedence = of('precedence');
  if (values.has(OWN) || hops >= MAIL_HOPS_MAX) return 'loop';
  // Delivery reports (RFC 3464), also if somebody has given them a sender.
  if (isReport && type.includes('delivery-status')) return 'bounce';
  // Notes that a mail was read (RFC 8098) are answers of a program, as those for vacations are.
  if (isReport && type.includes('disposition-notification')) return 'answerer';
  if (submitted === 'auto-replied' || precedence === 'auto_reply') return 'answerer';
  if (values.has('x-autoreply') || values.has('x-autorespond')) return 'answerer';
  if (Array.from(values.keys()).some((key) => LIST_HEADERS.test(key))) return 'list';
  if (precedence === 'list') return 'list';
  const isProgram = submitted !== '' && submitted !== 'no';
  return isProgram || precedence === 'bulk' || precedence === 'junk' ? 'program' : 'person';
}
