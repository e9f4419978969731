import type { Realm } from '../../../actors/realm/realm-handle.ts';
import type { RequestHost } from '../../domain/request-host.ts';
import { type Served, servedAs } from '../../domain/rules/files/file-types.ts';
import * as errors from '../../domain/wire/errors.ts';
import type { Caller, Site } from '../../operations/access/caller.ts';
import * as realms from '../../operations/access/realms.ts';
import * as spectators from '../../operations/access/spectators.ts';
import * as attachments from '../../operations/files/attachments.ts';
import * as publicImages from '../../operations/files/public-images.ts';
import { PUBLIC_ROOT } from '../../operations/files/public-images.ts';
import * as exports from '../../operations/realm/exports.ts';
import { authenticate } from '../authenticate.ts';
import type { Deployment } from '../dispatch/deployment.ts';
import { fileOf } from './temporary-links.ts';

/** A request for the bytes of a file, from the transport. */
export interface FileRequest {
  /** The path from the root of the server, as sent. */
  readonly path: string;
  readonly host: RequestHost;
  readonly authorization: string;
  /** The parameter of this name. */
  readonly apiKey: string | undefined;
}

/** A file that may be handed out. */
export interface ServedFile extends Served {
  readonly name: string;
  /** An entity tag that only these bytes have, as their file name. */
  readonly tag: string;
  /** True if the file is public, so that shared caches may keep it. */
  readonly isPublic?: true;
  /** The caller has to close it. */
  readonly bytes: NonNullable<Awaited<ReturnType<Realm['files']['open']>>>;
}

export type FileDispatch = (request: FileRequest) => Promise<ServedFile>;

const ROOT = '/user_uploads/';
const DOWNLOAD = 'download/';
const TEMPORARY = 'temporary/';
/** Matches the path of an image, and a format of its thumbnail. */
const THUMBNAIL = /^thumbnail\/(?<path>.+)\/(?<format>\d+x\d+(?:-anim)?\.[a-z]+)$/;

export const isUploadedFile = (path: string): boolean =>
  path.startsWith(ROOT) || path.startsWith(PUBLIC_ROOT);

/** Hands out uploaded files to users who may read them (reference/endpoints.md 2.3). */
export function openFiles(deployment: Deployment): FileDispatch {
  return async (request) => {
    const { realm, site } = deployment.at(request.host);
    if (realm === undefined) throw errors.notFound(request.path);
    if (!realm.isOpen()) throw realm.closedBecause();
    realms.refuseDeactivated(realm.reader);
    if (request.path.startsWith(PUBLIC_ROOT)) return await publicImage(realm, request.path);
    if (request.path.startsWith(exports.EXPORTS_ROOT)) return await archive(realm, request.path);
    const rest = decoded(request.path.slice(ROOT.length));
    const { path, format } = THUMBNAIL.exec(rest)?.groups ?? {};
    if (path !== undefined && format !== undefined) {
      const { row } = attachments.readable(realm.reader, whoAsks(realm, site, request), path);
      return await thumbnailOf(realm, row, format);
    }
    const isDownload = rest.startsWith(DOWNLOAD);
    const { row } = rest.startsWith(TEMPORARY)
      ? byToken(realm, rest.slice(TEMPORARY.length))
      : attachments.readable(
          realm.reader,
          whoAsks(realm, site, request),
          isDownload ? rest.slice(DOWNLOAD.length) : rest,
        );
    const served = servedAs(row.contentType);
    const isShown = served.isShown && !isDownload;
    const stored = await opened(realm, attachments.fileNameOf(row));
    return { ...served, isShown, name: row.name, ...stored };
  };
}

/**
 * Hands out an export to everybody who has its link: it opens in browsers, which do not log in
 * here.
 */
async function archive(realm: Realm, path: string): Promise<ServedFile> {
  const found = exports.at(realm.reader, path);
  if (found === undefined) throw errors.noSuchFile();
  const stored = await opened(realm, found.fileName);
  return { contentType: 'application/zip', isShown: false, name: found.name, ...stored };
}

/** Hands out a public image, under a name that the server made. */
async function publicImage(realm: Realm, path: string): Promise<ServedFile> {
  const image = publicImages.at(realm.reader, path);
  if (image === undefined) throw errors.noSuchFile();
  const { label, type, fileName } = image;
  const stored = await opened(realm, fileName);
  const name = `${label}.${type}`;
  return { contentType: `image/${type}`, isShown: true, isPublic: true, name, ...stored };
}

async function thumbnailOf(realm: Realm, row: Row, format: string): Promise<ServedFile> {
  const fileName = attachments.thumbnailFileName(row, format);
  if (fileName === undefined) throw errors.noSuchFile();
  const stored = await opened(realm, fileName);
  return { contentType: 'image/webp', isShown: true, name: `${row.name}.webp`, ...stored };
}

/** Opens the bytes of a row, which may have been removed since the row was read. */
async function opened(realm: Realm, fileName: ReturnType<typeof attachments.fileNameOf>) {
  const bytes = await realm.files.open(fileName);
  if (bytes === undefined) throw errors.noSuchFile();
  return { tag: `${fileName.folder}${fileName.file}`, bytes };
}

type Row = ReturnType<typeof attachments.existing>['row'];

function byToken(realm: Realm, rest: string) {
  const id = fileOf(realm, rest.split('/', 1)[0] ?? '');
  if (id === undefined) throw errors.fileNotReadable();
  return attachments.existing(realm.reader, id);
}

/** Returns the caller; without credentials a spectator, if the realm has any. */
function whoAsks(
  realm: Realm,
  site: Site,
  { authorization, apiKey }: FileRequest,
): Caller['user'] | null {
  if (authorization !== '') return authenticate(realm, authorization, site);
  // A key in an address stays in histories, logs and the `Referer` of others; GET below `/api/v1`
  // makes one for a minute.
  if (apiKey !== undefined) throw errors.keyInAddress();
  const isShown = spectators.showsItself(realm.reader, site.settings);
  return isShown ? spectators.admit(realm.reader, site.settings) : null;
}

/** Returns an empty path for invalid UTF-8, which no file has. */
function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return '';
  }
}
