import { once } from 'node:events';
import http from 'node:http';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { basicAuthorization } from './load/api.ts';
import { print, progressBar, quantile, rounded, runMain, table, writeResults } from './report.ts';
import { cpuSeconds, residentBytes } from './servers/process-usage.ts';
import {
  CREDENTIALS_FILE,
  demoOwner,
  isInMemory,
  type RunningServer,
  startConfab,
  startFilesFloor,
  temporaryDirectory,
} from './servers/start.ts';

const HELP = `files: what uploads and downloads cost, beside bare servers that move the same bytes

  --rounds <n>      of each measurement, by turns with the floor; medians    (3)
  --small <n>       files of 10 KiB uploaded in each round; as many again
                    before the first, and four times as many are downloaded  (1000)
  --mib <n>         of the large file                                        (64)
  --large <n>       times that it is moved in each round                     (3)
  --only <kinds>    of: upload, resumable upload, download                   (all)
  --json <file>     write the results there as well
  --help`;

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    small: { type: 'string', default: '1000' },
    mib: { type: 'string', default: '64' },
    large: { type: 'string', default: '3' },
    only: { type: 'string' },
    json: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});

const rounds = Number(values.rounds);
const smallCount = Number(values.small);
const largeCount = Number(values.large);
const KIB = 1024;
const MIB = KIB * KIB;
const SMALL = Buffer.alloc(10 * KIB, 'file');
/** Also the longest piece that is written at once. */
const PIECE = Buffer.alloc(256 * KIB, 'piece');
const largeBytes = Number(values.mib) * MIB;
/** Small files that are on their way at once. */
const IN_FLIGHT = 8;

/** How to bring a file to a server, and to get it again. */
interface Subject {
  readonly server: RunningServer;
  /** Its path. */
  upload(content: Content): Promise<string>;
  readonly authorization: string | undefined;
}

/** So many bytes of a piece, over and over. */
interface Content {
  readonly piece: Buffer;
  readonly length: number;
}

const small: Content = { piece: SMALL, length: SMALL.length };
const large: Content = { piece: PIECE, length: largeBytes };

/** What one measurement comes to. */
interface Figure {
  /** Files, or MB, each second on the clock. */
  readonly rate: number;
  /** CPU seconds of all threads of the server, for a thousand files or a GB. */
  readonly cpu: number;
}

interface Measured extends Readonly<Record<'confab' | 'floor', Figure>> {
  readonly name: string;
  readonly unit: string;
  /** None of downloads, for which nothing is made durable. */
  readonly durable: Figure | undefined;
}

const KINDS = ['upload', 'resumable upload', 'download'] as const;
type Kind = (typeof KINDS)[number];

const agent = new http.Agent({ keepAlive: true, maxSockets: IN_FLIGHT });

async function main(): Promise<void> {
  if (values.help) return print(HELP);
  const directory = temporaryDirectory();
  if (isInMemory(directory.path)) print('The directory is in memory: syncs cost nothing here.');
  const data = join(directory.path, 'confab');
  const confab = await startConfab({ data });
  const floor = await startFilesFloor(join(directory.path, 'floor'));
  const durable = await startFilesFloor(join(directory.path, 'durable'), { isDurable: true });
  const kinds = KINDS.filter((kind) => values.only?.split(',').includes(kind) ?? true);
  const progress = progressBar(kinds.length * 2);
  const measured: Measured[] = [];
  try {
    const subjects = {
      confab: subjectOf(confab, data),
      floor: floorSubject(floor),
      durable: durableSubject(durable),
    };
    for (const kind of kinds) {
      for (const size of ['10 KiB', `${values.mib} MiB`]) {
        progress.advance(`${kind} ${size}`, 0);
        measured.push(await compare(kind, size, subjects));
        progress.advance(`${kind} ${size}`);
      }
    }
    report(measured);
    const resident = residentBytes(confab.pid);
    print(`\nconfab's resident memory at the end: ${rounded(resident / MIB)} MiB`);
    writeResults(values.json, 'files', { options: values, measured, resident });
  } finally {
    progress.stop();
    agent.destroy();
    await Promise.all([confab.stop(), floor.stop(), durable.stop()]);
    directory.remove();
  }
}

type Server = 'confab' | 'floor' | 'durable';
type Subjects = Readonly<Record<Server, Record<Kind, Subject>>>;

async function compare(kind: Kind, size: string, subjects: Subjects): Promise<Measured> {
  const isSmall = size === '10 KiB';
  const servers = [
    'floor',
    'confab',
    ...(kind === 'download' ? [] : ['durable' as const]),
  ] as const;
  const figures: Record<Server, Figure[]> = { confab: [], floor: [], durable: [] };
  // The first ones of their kind run in code that is not compiled yet.
  for (const name of servers) await measure(kind, isSmall, subjects[name][kind]);
  for (let round = 0; round < rounds; round++) {
    for (const name of servers) {
      figures[name].push(await measure(kind, isSmall, subjects[name][kind]));
    }
  }
  return {
    name: `${kind}, ${size}`,
    unit: isSmall ? 'files' : 'MB',
    confab: median(figures.confab),
    floor: median(figures.floor),
    durable: kind === 'download' ? undefined : median(figures.durable),
  };
}

const median = (figures: readonly Figure[]): Figure => ({
  rate: quantile(
    figures.map(({ rate }) => rate),
    0.5,
  ),
  cpu: quantile(
    figures.map(({ cpu }) => cpu),
    0.5,
  ),
});

async function measure(kind: Kind, isSmall: boolean, subject: Subject): Promise<Figure> {
  const content = isSmall ? small : large;
  const isDownload = kind === 'download';
  const count = isSmall ? smallCount * (isDownload ? DOWNLOADS_PER_UPLOAD : 1) : largeCount;
  const path = isDownload ? await subject.upload(content) : '';
  const work = isDownload ? () => download(subject, path) : () => subject.upload(content);
  const { pid } = subject.server;
  const cpuBefore = cpuSeconds(pid);
  const startMs = performance.now();
  await all(count, isSmall ? IN_FLIGHT : 1, work);
  const seconds = (performance.now() - startMs) / 1_000;
  const done = isSmall ? count : (count * content.length) / 1e6;
  return { rate: done / seconds, cpu: ((cpuSeconds(pid) - cpuBefore) * 1_000) / done };
}

/** They take less, and the kernel counts CPU time in hundredths of a second. */
const DOWNLOADS_PER_UPLOAD = 4;

/** So many, a few of them at once. */
async function all(count: number, inFlight: number, work: () => Promise<unknown>): Promise<void> {
  let left = count;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (left-- > 0) await work();
    }),
  );
}

function subjectOf(server: RunningServer, data: string): Record<Kind, Subject> {
  const authorization = basicAuthorization(demoOwner(join(data, CREDENTIALS_FILE)));
  const upload = async (content: Content) =>
    urlIn(await send(server, '/api/v1/user_uploads', { ...multipart(content), authorization }));
  const resumable = async (content: Content) => {
    const begun = await request(server, {
      method: 'POST',
      path: '/api/v1/tus',
      headers: { authorization, 'tus-resumable': '1.0.0', 'upload-length': content.length },
    });
    const path = begun.headers.location ?? '';
    return urlIn(await send(server, path, { content, authorization, isPart: true }));
  };
  const subject = { server, authorization, upload };
  return {
    upload: subject,
    'resumable upload': { ...subject, upload: resumable },
    download: subject,
  };
}

/** It has one way of taking a file, which both of confab's are held against. */
function floorSubject(server: RunningServer): Record<Kind, Subject> {
  const upload = async (content: Content) =>
    urlIn(await send(server, '/files', { content, authorization: undefined }));
  const subject = { server, authorization: undefined, upload };
  return { upload: subject, 'resumable upload': subject, download: subject };
}

/** It takes a file at once, or begins one first. */
function durableSubject(server: RunningServer): Record<Kind, Subject> {
  const subject = floorSubject(server);
  const resumable = async (content: Content) => {
    const path = urlIn(await request(server, { method: 'POST', path: '/begun', headers: {} }));
    return urlIn(await send(server, path, { content, authorization: undefined, isPart: true }));
  };
  return { ...subject, 'resumable upload': { ...subject.upload, upload: resumable } };
}

interface Sent {
  readonly content: Content;
  readonly authorization: string | undefined;
  readonly before?: Buffer;
  readonly behind?: Buffer;
  readonly contentType?: string;
  readonly isPart?: boolean;
}

const BOUNDARY = 'benchmark';

const multipart = (content: Content) => ({
  content,
  contentType: `multipart/form-data; boundary=${BOUNDARY}`,
  before: Buffer.from(
    `--${BOUNDARY}\r\nContent-Disposition: form-data; name="f"; filename="f.bin"\r\n\r\n`,
  ),
  behind: Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
});

/** Sends a body, as fast as the server takes it. */
async function send(server: RunningServer, path: string, sent: Sent): Promise<Reply> {
  const { content, authorization, isPart = false } = sent;
  const { before = Buffer.alloc(0), behind = Buffer.alloc(0) } = sent;
  const { contentType = 'application/offset+octet-stream' } = sent;
  const begun = http.request({
    agent,
    host: server.address.host,
    port: server.address.port,
    method: isPart ? 'PATCH' : 'POST',
    path,
    headers: {
      'content-type': contentType,
      'content-length': before.length + content.length + behind.length,
      ...(authorization === undefined ? {} : { authorization }),
      ...(isPart ? { 'tus-resumable': '1.0.0', 'upload-offset': '0' } : {}),
    },
  });
  const reply = replyTo(begun);
  if (before.length > 0) begun.write(before);
  for (let at = 0; at < content.length; at += content.piece.length) {
    const piece = content.piece.subarray(0, content.length - at);
    if (!begun.write(piece)) await once(begun, 'drain');
  }
  begun.end(behind);
  return await reply;
}

interface Reply {
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  readonly bytes: number;
}

const download = ({ server, authorization }: Subject, path: string): Promise<Reply> =>
  request(server, {
    method: 'GET',
    path,
    headers: authorization === undefined ? {} : { authorization },
  });

function request(
  { address: { host, port } }: RunningServer,
  options: Pick<http.RequestOptions, 'method' | 'path' | 'headers'>,
): Promise<Reply> {
  const begun = http.request({ agent, host, port, ...options });
  const reply = replyTo(begun);
  begun.end();
  return reply;
}

/** Of what is long only the beginning is kept. */
const TEXT_LENGTH_MAX = 1_000;

const replyTo = (begun: http.ClientRequest): Promise<Reply> =>
  new Promise((resolve, reject) => {
    begun.on('error', reject);
    begun.on('response', (response) => {
      let text = '';
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        if (text.length < TEXT_LENGTH_MAX) text += chunk.toString('latin1', 0, TEXT_LENGTH_MAX);
      });
      response.on('error', reject);
      response.on('end', () => {
        const { statusCode = 0, headers } = response;
        const announced = Number(headers['content-length'] ?? bytes);
        if (statusCode >= 300) reject(new Error(`${statusCode}: ${text}`));
        else if (bytes !== announced) reject(new Error(`${bytes} bytes of ${announced}`));
        else resolve({ headers, text, bytes });
      });
    });
  });

function urlIn({ text }: Reply): string {
  const { url } = JSON.parse(text) as { readonly url: string };
  return url;
}

function report(measured: readonly Measured[]): void {
  const heads = (what: string) => [`confab ${what}`, 'floor', 'ratio', 'durable', 'ratio'];
  const cells = ({ confab, floor, durable }: Measured, field: keyof Figure, digits: number) => [
    rounded(confab[field], digits),
    rounded(floor[field], digits),
    rounded(confab[field] / floor[field], 2),
    durable === undefined ? '' : rounded(durable[field], digits),
    durable === undefined ? '' : rounded(confab[field] / durable[field], 2),
  ];
  print(
    table(
      ['', 'unit', ...heads('/s'), ...heads('CPU ms')],
      measured.map((one) => [
        one.name,
        one.unit,
        ...cells(one, 'rate', 0),
        ...cells(one, 'cpu', 2),
      ]),
    ),
  );
}

await runMain(main);
