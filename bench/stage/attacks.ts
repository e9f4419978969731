import { setTimeout as delay } from 'node:timers/promises';
import { basicAuthorization, requestText } from '../load/api.ts';
import { openWebSocket } from '../load/web-socket.ts';
import {
  type AttackedRealm,
  askAll,
  messageRequest,
  ownersRequest,
  sendUnread,
} from './attacked-realm.ts';

/** A kind of request that is known to be dear, as somebody would send it who means to hold a server up. */
export interface Attack {
  readonly name: string;
  /** Resolves when the server is done with it. */
  readonly run: (realm: AttackedRealm) => Promise<void>;
}

const repeated = (piece: string, length: number) =>
  piece.repeat(Math.ceil(length / piece.length)).slice(0, length);

const times = <Item>(count: number, item: (index: number) => Item): readonly Item[] =>
  Array.from({ length: count }, (_, index) => item(index));

/** The longest that is taken, of words that a search finds in every line of it. */
export const LONG_MESSAGE = repeated('a ', 9_980);

/** The worst known requests of each kind; `long` messages as above are stored already. */
export const ATTACKS: readonly Attack[] = [
  {
    name: 'forms',
    run: (realm) =>
      askAll(
        realm,
        times(4, () => formOf(realm)),
        4,
      ),
  },
  {
    name: 'plus signs',
    run: (realm) =>
      askAll(
        realm,
        // Blanks, as a form writes them.
        times(20, () => messageRequest(realm, ' '.repeat(1_000_000))),
        20,
      ),
  },
  {
    name: 'webhooks',
    run: (realm) =>
      askAll(
        realm,
        times(8, () => webhookOf(realm)),
        4,
      ),
  },
  {
    name: 'long messages',
    run: (realm) =>
      askAll(
        realm,
        times(200, (index) => messageRequest(realm, WORST[index % WORST.length] ?? '')),
        64,
      ),
  },
  {
    name: 'formulas',
    run: (realm) =>
      askAll(
        realm,
        times(60, () => messageRequest(realm, FORMULAS)),
        20,
      ),
  },
  {
    name: 'pages',
    run: (realm) =>
      askAll(
        realm,
        times(40, () => pageOf(realm)),
        8,
      ),
  },
  {
    name: 'searches',
    run: (realm) =>
      askAll(
        realm,
        times(40, () => searchOf(realm)),
        8,
      ),
  },
  { name: 'pages by socket', run: askBySocket },
  { name: 'abandoned pages', run: askAndLeave },
  {
    name: 'registrations',
    run: (realm) =>
      askAll(
        realm,
        times(60, () => ownersRequest(realm, 'POST', '/register', {})),
        16,
      ),
  },
  { name: 'documents unread', run: leaveUnread },
];

/** Anonymous: pairs without a value, and then one long word that a search for its equals sign goes through. */
function formOf({ host }: AttackedRealm): string {
  const body = `${'a&'.repeat(499)}\u2603${'b'.repeat(20_000_000)}`;
  const head = requestText(host, { method: 'POST', path: '/fetch_api_key' }).trimEnd();
  const type = 'Content-Type: application/x-www-form-urlencoded';
  return `${head}\r\n${type}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** White space that an expression tries from each of its characters. */
function webhookOf({ host, hook }: AttackedRealm): string {
  const text = `a${' '.repeat(1_000_000)}b`;
  const path = `/external/slack_incoming?api_key=${hook.api_key}&stream=attacked&topic=attack`;
  const body = JSON.stringify({ text });
  const head = requestText(host, { method: 'POST', path }).trimEnd();
  return `${head}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
}

/** Texts of which the rendering of each is among the slowest of its kind. */
const WORST = [
  repeated('> * ', 9_900),
  repeated('**a', 9_900),
  repeated('[a](', 9_900),
  repeated('| a ', 9_900),
  repeated('@**a', 9_900),
  `\`\`\`ts\n${repeated('const a = (b: { c: `d` }) => /e/;\n', 9_900)}\n\`\`\``,
];

const FORMULAS = times(
  20,
  (index) => `$$\\sum_{n=1}^{${index}} ${repeated('\\frac{1}{n^2}', 400)}$$`,
)
  .join(' ')
  .slice(0, 9_900);

const PAGE = 'anchor=newest&num_before=5000&num_after=0';

const pageOf = (realm: AttackedRealm, narrow: readonly unknown[] = []) =>
  ownersRequest(
    realm,
    'GET',
    `/messages?${PAGE}&narrow=${encodeURIComponent(JSON.stringify(narrow))}`,
  );

const searchOf = (realm: AttackedRealm) => pageOf(realm, [{ operator: 'search', operand: 'a' }]);

const SOCKET_REQUESTS = 100;

/** All frames at once; what is answered is read. */
function askBySocket({ address, host, owner }: AttackedRealm): Promise<void> {
  return new Promise((resolve, reject) => {
    let answered = 0;
    const client = openWebSocket(
      {
        address,
        host,
        path: '/api/v1/events/socket',
        authorization: basicAuthorization(owner),
        subprotocol: 'chat.v1.json',
      },
      {
        open: () => {
          for (let id = 0; id < SOCKET_REQUESTS; id++) {
            const params = { anchor: 'newest', num_before: 5000, num_after: 0 };
            client.send(
              JSON.stringify({ type: 'request', id, method: 'GET', path: '/messages', params }),
            );
          }
        },
        message: () => {
          answered += 1;
          if (answered === SOCKET_REQUESTS) client.close();
        },
        closed: (code, reason) => {
          if (answered === SOCKET_REQUESTS) resolve();
          else reject(new Error(`the socket ended after ${answered} answers: ${code} ${reason}`));
        },
      },
    );
  });
}

const ABANDONED = 1_500;
const ABANDONED_AT_ONCE = 100;
/** Until what was sent has arrived, and before it can have been answered. */
const PATIENCE_MS = 30;

async function askAndLeave(realm: AttackedRealm): Promise<void> {
  for (let count = 0; count < ABANDONED; count += ABANDONED_AT_ONCE) {
    const { hangUp } = sendUnread(
      realm,
      times(ABANDONED_AT_ONCE, () => pageOf(realm)),
    );
    await delay(PATIENCE_MS);
    hangUp();
  }
  // The server is done with them when it answers one that stays.
  await askAll(realm, [ownersRequest(realm, 'GET', '/users/me')], 1);
}

const READERS = 500;
const UNREAD_MS = 2_000;

async function leaveUnread(realm: AttackedRealm): Promise<void> {
  const { hangUp } = sendUnread(
    realm,
    times(READERS, () => ownersRequest(realm, 'GET', '/openapi.json')),
  );
  await delay(UNREAD_MS);
  hangUp();
}
