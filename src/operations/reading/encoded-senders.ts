import type { UserRow } from '../../../storage/tables/people/users.ts';
import { oncePerKey } from '../../domain/once-per-key.ts';
import { isSpectator } from '../../domain/rules/people/spectators.ts';
import { apiEmail, dummyEmail, isEmailPublic } from '../../domain/rules/people/users.ts';
import { inOnePiece } from '../../domain/wire/encoded-list.ts';
import { avatarUrl, isLeftToClients } from '../access/avatars.ts';
import type { Site } from '../access/caller.ts';
import type { Reads } from '../access/groups.ts';
import type { ListRequest } from './listed-messages.ts';

/** The fields of a message that follow from its sender, as JSON. */
export interface EncodedSender {
  /** The fields that name the sender, which stand together. */
  readonly names: string;
  readonly avatar: string;
}

interface Kept extends EncodedSender {
  readonly host: string;
  readonly settings: Site['settings'];
  readonly realm: string;
  readonly form: number;
}

/** The forms of a sender differ by who asks, and for which program. */
const [PLAIN, WITHOUT_IMAGE, FOR_SPECTATOR] = [0, 1, 2];

/**
 * The texts that were made last of rows. A row never changes, and a reader gets the same one for an
 * account only while its bytes in the store are the same (`read-mostly` in
 * `storage/cache/policy.ts`), in every process. So a text is never older than its account, and is
 * forgotten with the row. The store keeps at most 16,384 rows of accounts. A text has some 200
 * bytes, and at most 1,000: a name, an address and the path of an image.
 */
const keptByRow = new WeakMap<UserRow, Kept>();

/** Encodes the senders of a list of messages, each once. */
export function openSenders(
  tx: Reads,
  { user, site, clientGravatar }: ListRequest,
): (senderId: number) => EncodedSender {
  const { host, settings } = site;
  const realm = tx.realm.get(['realm'])?.stringId ?? '';
  const form = isSpectator(user) ? FOR_SPECTATOR : clientGravatar ? WITHOUT_IMAGE : PLAIN;

  function made(senderId: number): EncodedSender {
    const row = tx.users.get([senderId]);
    if (row === undefined) throw new Error(`there is no user ${senderId}`);
    const before = keptByRow.get(row);
    const isSame =
      before?.form === form &&
      before.host === host &&
      before.settings === settings &&
      before.realm === realm;
    if (isSame) return before;
    const sender = { host, settings, realm, form, ...encoded(row, { site, realm, form }) };
    keptByRow.set(row, sender);
    return sender;
  }

  return oncePerKey(made);
}

function encoded(
  sender: UserRow,
  { site, realm, form }: { site: Site; realm: string; form: number },
): EncodedSender {
  // The address that says nothing: who is not logged in may see no other.
  const email =
    form === FOR_SPECTATOR ? dummyEmail(sender.id, site.host) : apiEmail(sender, site.host);
  const isLeft =
    form === WITHOUT_IMAGE && isEmailPublic(sender) && isLeftToClients(sender, site.settings);
  return {
    names: inOnePiece(
      ...[',"sender_id":', sender.id, ',"sender_full_name":', JSON.stringify(sender.fullName)],
      ...[',"sender_email":', JSON.stringify(email), ',"sender_realm_str":', JSON.stringify(realm)],
    ),
    avatar: isLeft ? 'null' : JSON.stringify(avatarUrl(sender)),
  };
}
