import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../scratch.ts';

const SLAPD = 'slapd';
/** Debian has it where only root looks. */
// biome-ignore lint/style/noProcessEnv: it is the place of a program.
const PATH = { PATH: `${process.env['PATH']}:/usr/sbin` };

/** True where there is no OpenLDAP server. */
export const isSlapdMissing = spawnSync(SLAPD, ['-VV'], { env: PATH }).status !== 0;

export const BASE = 'dc=example,dc=com';
export const ADMIN = { dn: `cn=admin,${BASE}`, password: 'the-password-of-the-directory' } as const;

/** Starts a real OpenLDAP server on a free port, with an empty tree; stopped when the test ends. */
export async function startDirectory() {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'data'));
  certify(folder);
  writeFileSync(join(folder, 'slapd.conf'), configuration(folder));
  const port = await freePort();
  const url = `ldap://127.0.0.1:${port}`;
  const tlsUrl = `ldaps://127.0.0.1:${await freePort()}`;
  let child: ReturnType<typeof spawn> | undefined;

  async function start() {
    child = spawn(SLAPD, ['-d', '0', '-f', join(folder, 'slapd.conf'), '-h', `${url} ${tlsUrl}`], {
      stdio: 'ignore',
      env: PATH,
    });
    while (!(await isOpen(port))) {
      if (child.exitCode !== null) throw new Error('slapd has ended');
      await pause(20);
    }
  }

  async function stop() {
    if (child === undefined || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGCONT');
    child.kill('SIGKILL');
    await ended;
    child = undefined;
  }

  /** Runs a program of ldap-utils as the administrator, with LDIF (RFC 2849) as its input. */
  function change(program: 'ldapadd' | 'ldapmodify', ldif: string) {
    const args = ['-x', '-H', url, '-D', ADMIN.dn, '-w', ADMIN.password];
    const done = spawnSync(program, args, { input: ldif, encoding: 'utf8' });
    if (done.status !== 0) throw new Error(`${program}: ${done.stderr}`);
  }

  onTestFinished(stop);
  await start();
  change(
    'ldapadd',
    [
      `dn: ${BASE}\nobjectClass: dcObject\nobjectClass: organization\ndc: example\no: Example`,
      `dn: ou=people,${BASE}\nobjectClass: organizationalUnit\nou: people`,
      `dn: ou=groups,${BASE}\nobjectClass: organizationalUnit\nou: groups`,
    ].join('\n\n'),
  );
  return {
    url,
    tlsUrl,
    port,
    ca: join(folder, 'certificate.pem'),
    start,
    stop,
    /** It keeps its connections and takes new ones, but answers none until `wake`. */
    freeze: () => void child?.kill('SIGSTOP'),
    wake: () => void child?.kill('SIGCONT'),
    add: (...people: readonly Entry[]) => change('ldapadd', people.map(ldifOf).join('\n')),
    remove: (...uids: readonly string[]) =>
      change('ldapmodify', uids.map((uid) => `dn: ${dnOf(uid)}\nchangetype: delete\n`).join('\n')),
    modify: (uid: string, attribute: string, value: string) =>
      change(
        'ldapmodify',
        `dn: ${dnOf(uid)}\nchangetype: modify\nreplace: ${attribute}\n${attribute}: ${value}\n`,
      ),
    addGroup: (name: string, ...uids: readonly string[]) =>
      change(
        'ldapadd',
        [
          `dn: ${groupOf(name)}\nobjectClass: groupOfNames\ncn: ${name}`,
          ...uids.map((uid) => `member: ${dnOf(uid)}`),
        ].join('\n'),
      ),
    removeGroup: (name: string) =>
      change('ldapmodify', `dn: ${groupOf(name)}\nchangetype: delete\n`),
  };
}

/** A person of the directory; without a password nobody can bind as them. */
export interface Entry {
  readonly uid: string;
  readonly name: string;
  readonly mail: string;
  readonly password?: string;
  /** The bytes of `objectGUID` (hex), as in Active Directory. */
  readonly guid?: string;
  readonly timezone?: string;
}

const dnOf = (uid: string) => `uid=${uid},ou=people,${BASE}`;
export const groupOf = (name: string) => `cn=${name},ou=groups,${BASE}`;

const ldifOf = ({ uid, name, mail, password, guid, timezone }: Entry) =>
  [
    `dn: ${dnOf(uid)}`,
    'objectClass: inetOrgPerson',
    `uid: ${uid}`,
    `cn: ${name}`,
    `sn: ${name}`,
    `mail: ${mail}`,
    ...(password === undefined ? [] : [`userPassword: ${password}`]),
    ...(guid === undefined && timezone === undefined ? [] : ['objectClass: testPerson']),
    ...(guid === undefined ? [] : [`objectGUID:: ${Buffer.from(guid, 'hex').toString('base64')}`]),
    ...(timezone === undefined ? [] : [`timeZone: ${timezone}`]),
    '',
  ].join('\n');

const configuration = (folder: string) => `
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
attributetype ( 1.2.840.113556.1.4.2 NAME 'objectGUID' EQUALITY octetStringMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 SINGLE-VALUE )
attributetype ( 1.3.6.1.4.1.99999.1 NAME 'timeZone' EQUALITY caseExactMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE )
objectclass ( 1.3.6.1.4.1.99999.2 NAME 'testPerson' AUXILIARY MAY ( objectGUID $ timeZone ) )
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload memberof
TLSCertificateFile ${folder}/certificate.pem
TLSCertificateKeyFile ${folder}/key.pem
# As in many directories: a search without pages returns no more.
sizelimit size.soft=500 size.hard=500 size.prtotal=unlimited
database mdb
maxsize 104857600
dbnosync
suffix "${BASE}"
rootdn "${ADMIN.dn}"
rootpw ${ADMIN.password}
directory ${folder}/data
index objectClass,uid,mail,entryUUID eq
overlay memberof
`;

function certify(folder: string) {
  const done = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
    ...['-days', '2', '-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1'],
    ...['-keyout', join(folder, 'key.pem'), '-out', join(folder, 'certificate.pem')],
  ]);
  if (done.status !== 0) throw new Error(`openssl: ${done.stderr}`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

const isOpen = (port: number) =>
  new Promise<boolean>((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false));
    socket.on('connect', () => socket.destroy());
  });
