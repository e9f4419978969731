import { isUtf8 } from 'node:buffer';
import type { Realm } from '../../../actors/realm/realm-handle.ts';
import type { ServerSettings } from '../../config.ts';
import type { RequestHost } from '../../domain/request-host.ts';
import {
  CHECKSUM_ALGORITHMS,
  checksumOf,
  lengthOf,
  metadataOf,
  methodOf,
  offsetOf,
  type TusHeaders,
} from '../../domain/rules/files/tus.ts';
import * as errors from '../../domain/wire/errors.ts';
import * as uploadErrors from '../../domain/wire/upload-errors.ts';
import { accountOfUser } from '../../operations/access/authentication.ts';
import type { Caller } from '../../operations/access/caller.ts';
import * as resumableUploads from '../../operations/files/resumable-uploads.ts';
import { authenticate } from '../authenticate.ts';
import type { Deployment } from '../dispatch/deployment.ts';
import type { Body, IncomingBody } from '../endpoint.ts';
import { freshFileName, oneOfFew, refuseWithoutSpace } from './read-upload.ts';
import { urlOf } from './receive-file.ts';
import { receivePart } from './receive-part.ts';
import { alone, interrupt } from './upload-locks.ts';

/** A request about a resumable upload, from the transport. */
export interface UploadRequest {
  readonly method: string;
  /** The path from the root of the server, as sent. */
  readonly path: string;
  readonly host: RequestHost;
  readonly authorization: string;
  readonly contentType: string;
  readonly headers: TusHeaders;
  readonly body: IncomingBody | null;
}

export interface UploadReply {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: Body;
}

export type UploadDispatch = (request: UploadRequest) => Promise<UploadReply>;

const ROOT = '/api/v1/tus';
/** The id consists of a folder and a file of `freshPlace`. */
const UPLOAD = /^\/api\/v1\/tus\/([0-9a-f]{2}[\w-]{24})$/;

export const isResumableUpload = (path: string): boolean =>
  path.startsWith(ROOT) && (path.length === ROOT.length || path[ROOT.length] === '/');

/** Tests whether a request, with its path below `/api/v1`, begins an upload. */
export const isNewUpload = ({ method, path }: { method: string; path: string }): boolean =>
  method === 'POST' && `/api/v1${path}` === ROOT;

const VERSION = '1.0.0';
const OF_ROOT = ['POST'];
const OF_UPLOAD = ['HEAD', 'PATCH', 'DELETE'];

/** The headers of every answer, including refusals. */
export const TUS_HEADERS: UploadReply['headers'] = [
  ['Tus-Resumable', VERSION],
  ['Tus-Version', VERSION],
];

interface Uploader {
  readonly realm: Realm;
  readonly user: Caller['user'];
}

/** A request and its caller. */
interface AuthenticatedRequest extends Uploader {
  readonly request: UploadRequest;
  readonly site: Caller['site'];
}

/** Takes files in parts, according to tus 1.0 (reference/endpoints.md 2.3). */
export function openUploads(deployment: Deployment): UploadDispatch {
  return async (request) => {
    const id = UPLOAD.exec(request.path)?.[1];
    const isRoot = request.path === ROOT || request.path === `${ROOT}/`;
    const allowed = isRoot ? OF_ROOT : OF_UPLOAD;
    const method = methodOf(request.method, request.headers);
    const { realm, site } = deployment.at(request.host);
    if (method === 'OPTIONS') return options(site.settings, allowed);
    if (!allowed.includes(method)) throw errors.methodNotAllowed(allowed);
    if (realm?.isOpen() === false) throw stopping(method, realm);
    const user = authenticate(realm, request.authorization, site);
    if (realm === undefined) throw errors.nonexistentSubdomain();
    if (request.headers['tus-resumable'] !== VERSION) throw uploadErrors.unknownTusVersion();
    try {
      return await answered({ request, realm, site, user }, isRoot ? null : id, method);
    } catch (error) {
      // The realm may be closed while bytes are on their way; then operations of its store fail.
      if (realm.isOpen() || error instanceof errors.ApiError) throw error;
      throw stopping(method, realm);
    }
  };
}

/** Answers a request; `id` is null at the address where uploads begin. */
async function answered(
  authenticated: AuthenticatedRequest,
  id: string | null | undefined,
  method: string,
) {
  if (id === null) return await create(authenticated);
  if (id === undefined) throw uploadErrors.noSuchUpload();
  if (method === 'PATCH') return await goOn(authenticated, id);
  return method === 'HEAD' ? await describe(authenticated, id) : await remove(authenticated, id);
}

/**
 * Returns the refusal while the realm is closed. A client takes any other answer to a HEAD for the
 * end of its upload, and begins another from the first byte on.
 */
const stopping = (method: string, realm: Realm) =>
  method === 'HEAD' ? uploadErrors.uploadLocked() : realm.closedBecause();

/** Describes the service, also to clients that are not logged in. */
const options = ({ maxUploadMib }: ServerSettings, allowed: readonly string[]): UploadReply => ({
  status: 204,
  headers: [
    ...TUS_HEADERS,
    ['Tus-Extension', 'creation,creation-with-upload,expiration,checksum,termination'],
    ['Tus-Max-Size', String(maxUploadMib * MIB)],
    ['Tus-Checksum-Algorithm', CHECKSUM_ALGORITHMS.join(',')],
    ['Allow', [...allowed, 'OPTIONS'].join(', ')],
  ],
});

const MIB = 1024 * 1024;

async function create({ request, realm, site, user }: AuthenticatedRequest): Promise<UploadReply> {
  const { headers, body } = request;
  const length = lengthOf(headers);
  if (length > site.settings.maxUploadMib * MIB)
    throw uploadErrors.uploadTooLarge(site.settings.maxUploadMib);
  refuseWithoutSpace(realm, length);
  const metadata = headers['upload-metadata'] ?? '';
  for (const [key, value] of metadataOf(metadata)) {
    const isText = key !== 'filename' && key !== 'filetype';
    if (!isText && !isUtf8(value)) throw errors.badRequest(`The ${key} is not valid UTF-8`);
  }
  if (body !== null && !isPart(request)) throw uploadErrors.wrongUploadType();
  if ((body?.bytes ?? 0) > length) throw uploadErrors.uploadTooLong();
  const checksum = checksumOf(headers);
  const { folder, file } = freshFileName();
  const id = `${folder}${file}`;
  const begin = () =>
    realm.perform(
      (tx) => resumableUploads.create(tx, accountOfUser(tx, user.id), { id, length, metadata }),
      user.id,
    );
  // An empty upload is complete at once.
  if (body === null && length > 0) await begin();
  else {
    await oneOfFew(realm, user.id, async () => {
      await begin();
      await receiveFirst({ realm, user }, { id, offset: 0, checksum, body });
    });
  }
  const { reply } = standing({ realm, user }, id);
  return { ...reply, status: 201, headers: [...reply.headers, ['Location', `${ROOT}/${id}`]] };
}

const isPart = ({ contentType }: UploadRequest) =>
  contentType.split(';', 1)[0]?.trim().toLowerCase() === 'application/offset+octet-stream';

async function goOn(
  { request, realm, user }: AuthenticatedRequest,
  id: string,
): Promise<UploadReply> {
  const { headers, body } = request;
  if (!isPart(request)) throw uploadErrors.wrongUploadType();
  refuseWithoutSpace(realm, body?.bytes ?? 0);
  const offset = offsetOf(headers);
  const checksum = checksumOf(headers);
  const upload = resumableUploads.own(realm.reader, user, { id, now: realm.now() });
  if (upload.standing === 'kept') {
    // The answer to the last part was lost; a client that sends an empty rest gets it again.
    if (offset !== upload.length) throw uploadErrors.uploadElsewhere(upload.length);
    if ((body?.bytes ?? 0) > 0) throw uploadErrors.uploadTooLong();
  } else {
    const part = { id, offset, checksum, body };
    await oneOfFew(realm, user.id, () => receive({ realm, user }, part));
  }
  const { reply, isFinished } = standing({ realm, user }, id);
  return { ...reply, status: isFinished ? 200 : 204 };
}

type Part = Omit<Parameters<typeof receivePart>[1], 'user'>;

/**
 * Receives the bytes that came with the beginning. If they are refused, the client was not told the
 * address of the upload, so it is removed.
 */
async function receiveFirst({ realm, user }: Uploader, part: Part) {
  try {
    await receive({ realm, user }, part);
  } catch (error) {
    await realm
      .perform((tx) => resumableUploads.remove(tx, user, part.id))
      .catch((fault: unknown) => {
        // If the server stops meanwhile, the upload expires like any other that is not continued.
        if (realm.isOpen() && !(fault instanceof errors.ApiError)) throw fault;
      });
    throw error;
  }
}

function receive({ realm, user }: Uploader, part: Part) {
  let isInterrupted = false;
  const interrupt = () => {
    isInterrupted = true;
    part.body?.stop();
  };
  const work = () =>
    receivePart(realm, { ...part, user }).catch((error: unknown) => {
      throw isInterrupted ? uploadErrors.uploadLocked() : error;
    });
  return alone(realm, part.id, { interrupt, work });
}

async function describe({ realm, user }: Uploader, id: string): Promise<UploadReply> {
  const uploader = { realm, user };
  standing(uploader, id);
  await interrupt(realm, id);
  const { upload, isFinished } = standing(uploader, id);
  const { offset, length, metadata } = upload;
  // The next offset: the file on disk decides.
  const stored = isFinished ? length : await realm.files.sizeOf(resumableUploads.fileNameOf(id));
  return {
    status: 200,
    headers: [
      ...TUS_HEADERS,
      ['Upload-Offset', String(Math.min(offset, stored))],
      ['Upload-Length', String(length)],
      ...(metadata === '' ? [] : [['Upload-Metadata', metadata] as const]),
      ...(isFinished ? [] : [expiryOf(upload)]),
    ],
  };
}

async function remove({ realm, user }: Uploader, id: string): Promise<UploadReply> {
  standing({ realm, user }, id);
  await interrupt(realm, id);
  await alone(realm, id, {
    interrupt: () => undefined,
    work: () =>
      realm.perform((tx) => resumableUploads.remove(tx, accountOfUser(tx, user.id), id), user.id),
  });
  return { status: 204, headers: TUS_HEADERS };
}

/** Returns the caller's own upload, and the headers that describe its state. */
function standing({ realm, user }: Uploader, id: string) {
  const { reader } = realm;
  const upload = resumableUploads.own(reader, user, { id, now: realm.now() });
  const isFinished = upload.standing === 'kept';
  const headers = [...TUS_HEADERS, ['Upload-Offset', String(upload.offset)] as const];
  if (!isFinished) {
    return { upload, isFinished, reply: { headers: [...headers, expiryOf(upload)] } };
  }
  const file = resumableUploads.finished(reader, upload);
  return {
    upload,
    isFinished,
    reply: { headers, body: { url: urlOf(file), filename: file.name } },
  };
}

const expiryOf = ({ until }: resumableUploads.ResumableUpload): readonly [string, string] => [
  'Upload-Expires',
  new Date(until).toUTCString(),
];
