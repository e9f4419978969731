/** The words before the subject of an answer, in the languages of mail programs. */
const ANSWER =
  /^(?:re|aw|antw|antwort|sv|vs|odp|ynt|rif|res|回复|回覆|答复|答覆|返信|답장|ответ)(?:\[\d{1,3}\]|\(\d{1,3}\))? ?[:：] ?/iu;
/** The words before the subject of a mail that passes another one on. */
const FORWARD = /^(?:fwd?|fw|wg|tr|rv|vl|doorst|pd|ilt|转发|轉寄|转寄|転送|전달|пересл) ?[:：] ?/iu;

/** Prefixes that are taken off; more of them are left. */
const PREFIXES_MAX = 20;

interface Subject {
  readonly subject: string;
  /** The kind of the mail by the first of the words. */
  readonly kind: 'answer' | 'forward' | 'other';
}

/**
 * Returns a subject without the words that mail programs put before it, so that answers come into
 * the topic of the mail that they answer.
 */
export function subjectOf(said: string): Subject {
  let subject = said;
  let kind: Subject['kind'] = 'other';
  for (let count = 0; count < PREFIXES_MAX; count += 1) {
    const [answer] = ANSWER.exec(subject) ?? [];
    const [forward] = answer === undefined ? (FORWARD.exec(subject) ?? []) : [];
    const prefix = answer ?? forward;
    if (prefix === undefined) break;
    if (count === 0) kind = forward === undefined ? 'answer' : 'forward';
    subject = subject.slice(prefix.length);
  }
  return { subject, kind };
}
