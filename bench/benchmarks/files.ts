import { once } from 'node:events';
import http from 'node:http';
import { type Fixture, openFixture } from '../fixtures/subject.ts';
import { basicAuthorization } from '../load/api.ts';
import { type Server, startBaseline } from '../servers/start.ts';
import { benchmark, higher, lower } from '../suite/benchmark.ts';
import type { Context } from '../suite/context.ts';
import { type EncodedLatencies, newLatencies, summaryOf } from '../suite/latencies.ts';
import { noteOfMemory } from '../suite/machine.ts';
import { number, type Values, words } from '../suite/options.ts';
import { alternating } from '../suite/statistics.ts';

const KINDS = ['upload', 'resumable upload', 'download'] as const;
type Kind = (typeof KINDS)[number];

const options = {
  only: words(KINDS, { meaning: `any of ${KINDS.join(', ')}`, default: KINDS }),
  small: number({
    meaning: 'files of 10 KiB uploaded in each repeat; four times as many are downloaded',
    default: 300,
    quick: 50,
  }),
  mib: number({ meaning: 'MiB of the large file', default: 64, quick: 8 }),
  large: number({ meaning: 'times that it is moved in each repeat', default: 1 }),
};

const metrics = {
  'files per second': higher('/s', 'Small files on the clock, 8 on their way at once.'),
  'CPU of a file': lower('ms', 'CPU time of all threads of the server for a small file.'),
  'file p99': lower(
    'ms',
    'From the request to the end of its answer, of small files; 99 in 100 are within.',
  ),
  'MB per second': higher('MB/s', 'Of the large file on the clock, one at a time.'),
  'CPU of a MB': lower('ms', 'CPU time of all threads of the server for a MB of the large file.'),
};

type Files = Context<Values<typeof options>, keyof typeof metrics>;

export const files = benchmark({
  name: 'files',
  summary: 'uploads and downloads, small and large',
  description:
    'Files of 10 KiB, 8 at once, and a large one after the other: uploaded in a form, uploaded by tus (begun, then one part), and downloaded. The baseline is bare uWebSockets.js that writes the body to a file, syncs it and reads it again; the durable baseline syncs the folder as well, then puts one row and awaits it, and for tus one when it is begun.',
  elsewhere: true,
  options,
  metrics,
  targets: [
    {
      name: 'small uploads, of the durable baseline',
      metric: 'files per second',
      case: /upload, 10 KiB$/,
      against: { server: 'durable baseline' },
      atLeast: 0.5,
    },
    {
      name: 'small downloads, of the baseline',
      metric: 'files per second',
      case: /^download, 10 KiB$/,
      against: { server: 'baseline' },
      atLeast: 0.75,
    },
  ],
  seconds: ({ only, small, mib, large }, repeats) =>
    2 + only.length * 3 * (repeats + 1) * (small / 1000 + (mib * large) / 600),
  run: async (context) => {
    const { options: chosen, setting, expect, doing } = context;
    doing('the servers start');
    const subjects = await openSubjects(context);
    const sizes: readonly Size[] = [
      { name: '10 KiB', body: SMALL, count: chosen.small, isSmall: true },
      {
        name: `${chosen.mib} MiB`,
        body: largeBody(chosen.mib),
        count: chosen.large,
        isSmall: false,
      },
    ];
    const subjectsOf = (kind: Kind) =>
      subjects.filter(({ isOfDownloads }) => kind !== 'download' || isOfDownloads);
    const measured = chosen.only.reduce((sum, kind) => sum + subjectsOf(kind).length, 0);
    expect(measured * sizes.length * setting.repeats);
    for (const kind of chosen.only) {
      for (const size of sizes) await compare(context, { kind, size, subjects: subjectsOf(kind) });
    }
  },
});

const KIB = 1024;
const MIB = KIB * KIB;
/** Small files that are on their way at once. */
const IN_FLIGHT = 8;

/** A body is written piece by piece; a large one is the same piece over and over. */
type Body = readonly Buffer[];

const SMALL: Body = [Buffer.alloc(10 * KIB, 'file')];
const PIECE = Buffer.alloc(256 * KIB, 'piece');
const largeBody = (mib: number): Body =>
  Array.from({ length: (mib * MIB) / PIECE.length }, () => PIECE);

const lengthOf = (body: Body) => body.reduce((sum, { length }) => sum + length, 0);

interface Size {
  readonly name: string;
  readonly body: Body;
  /** How many of them in a repeat. */
  readonly count: number;
  readonly isSmall: boolean;
}

/** A server, and how to bring a file to it, by each kind. */
interface Subject {
  readonly name: string;
  readonly server: Server;
  readonly isOfDownloads: boolean;
  readonly headers: Headers;
  /** Gives its path. */
  upload(body: Body): Promise<string>;
  resumableUpload(body: Body): Promise<string>;
}

async function openSubjects(context: Files): Promise<readonly Subject[]> {
  const { setting } = context;
  const confab = confabSubject(await openFixture(setting));
  if (setting.remote !== undefined) return [confab];
  noteOfMemory(context);
  const baseline = await startBaseline('files-baseline');
  const durable = await startBaseline('files-baseline', { isDurable: true });
  return [baselineSubject(baseline), confab, durableSubject(durable)];
}

interface Comparing {
  readonly kind: Kind;
  readonly size: Size;
  readonly subjects: readonly Subject[];
}

async function compare(
  { setting, measure, doing }: Files,
  { kind, size, subjects }: Comparing,
): Promise<void> {
  doing(`${kind}, ${size.name}: warming up`);
  // The first ones of their kind run in code that is not compiled yet.
  for (const subject of subjects) await move(subject, kind, size);
  for (const subject of alternating(subjects, setting.repeats)) {
    await measure({
      case: `${kind}, ${size.name}`,
      server: subject.name,
      pids: { server: subject.server.pid, generator: process.pid },
      run: () => move(subject, kind, size),
      figures: ({ files: moved, bytes, seconds, times }, { server }) =>
        size.isSmall
          ? {
              'files per second': moved / seconds,
              'CPU of a file': server && (server.cpuSeconds * 1000) / moved,
              'file p99': summaryOf(times).p99Ms,
            }
          : {
              'MB per second': bytes / 1e6 / seconds,
              'CPU of a MB': server && (server.cpuSeconds * 1000) / (bytes / 1e6),
            },
      latencies: ({ times }) => ({ 'a file': times }),
    });
  }
}

interface Moved {
  readonly files: number;
  readonly bytes: number;
  readonly seconds: number;
  readonly times: EncodedLatencies;
}

/** They take less, and the kernel counts CPU time in hundredths of a second. */
const DOWNLOADS_PER_UPLOAD = 4;

async function move(subject: Subject, kind: Kind, { body, count, isSmall }: Size): Promise<Moved> {
  const isDownload = kind === 'download';
  const files = isSmall && isDownload ? count * DOWNLOADS_PER_UPLOAD : count;
  const length = lengthOf(body);
  const path = isDownload ? await subject.upload(body) : '';
  const times = newLatencies();
  const startMs = performance.now();
  await all(files, isSmall ? IN_FLIGHT : 1, async () => {
    const begunMs = performance.now();
    if (kind === 'upload') await subject.upload(body);
    else if (kind === 'resumable upload') await subject.resumableUpload(body);
    else await download(subject, path, length);
    times.record(performance.now() - begunMs);
  });
  const seconds = (performance.now() - startMs) / 1000;
  return { files, bytes: files * length, seconds, times: times.encoded() };
}

const agent = new http.Agent({ keepAlive: true, maxSockets: IN_FLIGHT });

/** So many, a few of them at once. */
async function all(count: number, inFlight: number, work: () => Promise<unknown>): Promise<void> {
  let left = count;
  await Promise.all(
    Array.from({ length: inFlight }, async () => {
      while (left-- > 0) await work();
    }),
  );
}

function confabSubject({ server, place }: Fixture): Subject {
  const headers = { authorization: basicAuthorization(place.owner) };
  return {
    name: 'confab',
    server,
    isOfDownloads: true,
    headers,
    upload: async (body) => {
      const form = { ...headers, 'content-type': `multipart/form-data; boundary=${BOUNDARY}` };
      return urlIn(
        await send(server, 'POST /api/v1/user_uploads', form, [BEFORE, ...body, BEHIND]),
      );
    },
    resumableUpload: async (body) => {
      const tus = { ...headers, 'tus-resumable': '1.0.0' };
      const length = { 'upload-length': lengthOf(body) };
      const begun = await send(server, 'POST /api/v1/tus', { ...tus, ...length });
      const part = {
        ...tus,
        'upload-offset': 0,
        'content-type': 'application/offset+octet-stream',
      };
      return urlIn(await send(server, `PATCH ${begun.headers.location}`, part, body));
    },
  };
}

const BOUNDARY = 'benchmark';
const BEFORE = Buffer.from(
  `--${BOUNDARY}\r\nContent-Disposition: form-data; name="f"; filename="f.bin"\r\n\r\n`,
);
const BEHIND = Buffer.from(`\r\n--${BOUNDARY}--\r\n`);

/** It has one way of taking a file, which both of confab's are held against. */
function baselineSubject(server: Server): Subject {
  const upload = async (body: Body) => urlIn(await send(server, 'POST /files', {}, body));
  const { name } = server;
  return { name, server, isOfDownloads: true, headers: {}, upload, resumableUpload: upload };
}

/** It takes a file at once, or begins one first. Nothing is made durable for downloads. */
const durableSubject = (server: Server): Subject => ({
  ...baselineSubject(server),
  isOfDownloads: false,
  resumableUpload: async (body) => {
    const path = urlIn(await send(server, 'POST /begun', {}));
    return urlIn(await send(server, `PATCH ${path}`, {}, body));
  },
});

/** Throws when it is not as long as what was brought. */
async function download({ server, headers }: Subject, path: string, length: number) {
  const { bytes } = await send(server, `GET ${path}`, headers);
  if (bytes !== length) throw new Error(`${server.name}: ${bytes} bytes of ${length}`);
}

type Headers = Readonly<Record<string, string | number>>;

interface Reply {
  readonly headers: http.IncomingHttpHeaders;
  readonly text: string;
  readonly bytes: number;
}

/** Sends a request of a method and a path, and its body as fast as the server takes it. */
async function send(
  { address: { host, port } }: Server,
  asked: string,
  headers: Headers,
  body: Body = [],
): Promise<Reply> {
  const [method, path = ''] = asked.split(' ');
  const length = body.length === 0 ? {} : { 'content-length': lengthOf(body) };
  const own = { ...headers, ...length };
  const begun = http.request({ agent, host, port, method, path, headers: own });
  const reply = replyTo(begun);
  for (const piece of body) {
    if (!begun.write(piece)) await once(begun, 'drain');
  }
  begun.end();
  return await reply;
}

/** The text of an answer is kept up to this length. */
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
