import { createHash } from 'node:crypto';
import { nkeys } from '@nats-io/transport-node';

const { createAccount, createOperator, createUser } = nkeys;
type KeyPair = nkeys.KeyPair;

/** Lines for the file of a server, and the text of a file with credentials for its account. */
export interface Accounts {
  readonly lines: readonly string[];
  readonly credentials: string;
}

const base64 = (text: string | Uint8Array) => Buffer.from(text).toString('base64url');

/** Signs what NATS knows as a JWT: who vouches for whom. */
function signed(signer: KeyPair, subject: KeyPair, nats: Readonly<Record<string, unknown>>) {
  const claims = {
    iss: signer.getPublicKey(),
    sub: subject.getPublicKey(),
    iat: Math.floor(Date.now() / 1_000),
    name: 'confab',
    nats: { version: 2, ...nats },
  };
  const jti = createHash('sha256').update(JSON.stringify(claims)).digest('hex');
  const head = base64(JSON.stringify({ typ: 'JWT', alg: 'ed25519-nkey' }));
  const text = `${head}.${base64(JSON.stringify({ ...claims, jti }))}`;
  return `${text}.${base64(signer.sign(Buffer.from(text)))}`;
}

/** Makes an operator with an account that may use JetStream, and a user of it. */
export function makeAccounts(): Accounts {
  const [operator, account, system, user] = [
    createOperator(),
    createAccount(),
    createAccount(),
    createUser(),
  ];
  const limits = { subs: -1, data: -1, payload: -1, imports: -1, exports: -1, conn: -1, leaf: -1 };
  const jetstream = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 };
  const ofAccount = signed(operator, account, {
    type: 'account',
    limits: { ...limits, ...jetstream, wildcards: true },
  });
  const ofSystem = signed(operator, system, { type: 'account', limits });
  const seed = Buffer.from(user.getSeed()).toString();
  const ofUser = signed(account, user, { type: 'user', subs: -1, data: -1, payload: -1 });
  const ofOperator = signed(operator, operator, {
    type: 'operator',
    system_account: system.getPublicKey(),
  });
  return {
    lines: [
      `operator: ${ofOperator}`,
      'resolver: MEMORY',
      `system_account: ${system.getPublicKey()}`,
      `resolver_preload: { ${account.getPublicKey()}: ${ofAccount}, ${system.getPublicKey()}: ${ofSystem} }`,
    ],
    credentials: [
      '-----BEGIN NATS USER JWT-----',
      ofUser,
      '------END NATS USER JWT------',
      '',
      '-----BEGIN USER NKEY SEED-----',
      seed,
      '------END USER NKEY SEED------',
      '',
    ].join('\n'),
  };
}
