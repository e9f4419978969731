import { z } from 'zod';
import { pathName } from '../../domain/rules/files/file-names.ts';
import * as attachments from '../../operations/files/attachments.ts';
import { endpoint } from '../endpoint.ts';
import { integer, text } from '../params.ts';
import { anyUser } from '../permissions.ts';
import { tokenOf } from './temporary-links.ts';

export const getFileUrl = endpoint({
  summary: 'Get a link to a file that works for a minute without credentials',
  description:
    'The file itself is at `/user_uploads/{realm_id}/{path}` from the root of the server, for those who may read it: by ' +
    'Basic authentication, or without where a web-public message links it. A key in its address is refused. Below ' +
    '`/user_uploads/download/` it is handed out to be saved.',
  method: 'GET',
  path: '/user_uploads/{realm_id}/{path...}',
  allow: anyUser,
  params: { realm_id: integer, path: text },
  holdsSecret: true,
  reply: { url: z.string().describe('From the root of the server') },
  refuses: ['NOT_FOUND', 'BAD_REQUEST'],
  exchange({ user, params: { realm_id, path } }, { realm, answer }) {
    const { id, row } = attachments.readable(realm.reader, user, `${realm_id}/${path}`);
    const name = encodeURIComponent(pathName(row.name));
    answer({ url: `/user_uploads/temporary/${tokenOf(realm, id)}/${name}` });
  },
});
