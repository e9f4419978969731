/**
 * Tells the origin of a mail, as its headers say: a person; a program that answers other mails,
 * such as one for vacations; another program; a mailing list; a mail server, about a mail that it
 * could not deliver; or confab itself, on a way that leads in a circle.
 */
export type MailOrigin = 'person' | 'answerer' | 'program' | 'list' | 'bounce' | 'loop';

type Fate =
  | { readonly is: 'taken' }
  /** The relay is told that the mail has come, and nothing is done. */
  | { readonly is: 'dropped'; readonly why: string }
  | {
      readonly is: 'refused';
      readonly why: string;
      readonly result: 'automatic' | 'bounce' | 'loop';
    };

/** All mails of confab have this header, so that they become no messages of any server. */
export const OWN_HEADER = 'X-Confab-Mail';

/** The headers of each mail that goes out (RFC 3834 section 5, and what Exchange heeds). */
export const OWN_HEADERS: Readonly<Record<string, string>> = {
  'Auto-Submitted': 'auto-generated',
  'X-Auto-Response-Suppress': 'OOF, AutoReply',
  [OWN_HEADER]: '1',
};

/**
 * Decides about a mail by where it comes from (docs/decisions/0282). Channels take what programs
 * and lists send; an answer in the name of somebody has to be of a person.
 */
export function fateOf(kind: 'channel' | 'reply', origin: MailOrigin): Fate {
  if (origin === 'loop') {
    return { is: 'refused', result: 'loop', why: 'this mail runs in a circle' };
  }
  if (origin === 'bounce') {
    return { is: 'refused', result: 'bounce', why: 'bounces are not taken' };
  }
  // A refusal would be mailed to somebody who is away, and has written nothing.
  if (origin === 'answerer') return { is: 'dropped', why: 'automatic replies are dropped' };
  if (origin === 'person' || kind === 'channel') return { is: 'taken' };
  const why = 'only people can answer here, no programs and no mailing lists';
  return { is: 'refused', result: 'automatic', why };
}
