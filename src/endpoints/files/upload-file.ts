import { z } from 'zod';
import { badRequest } from '../../domain/wire/errors.ts';
import { endpoint } from '../endpoint.ts';
import { anyUser } from '../permissions.ts';
import { receiveFile } from './receive-file.ts';

export const uploadFile = endpoint({
  summary: 'Upload a file',
  description:
    'The body is `multipart/form-data` with exactly one file, under any field name. The file is yours alone until a ' +
    'message links its `url`: then whoever may read the message may read the file. A file that nothing links for two ' +
    'weeks is removed.\n\nLarge files, and slow links: `/api/v1/tus` takes uploads in parts that can be resumed, by tus 1.0 with ' +
    'the extensions creation, creation-with-upload, expiration, termination and checksum, with the same credentials. ' +
    '`Upload-Metadata` may have `filename` and `filetype`; `Upload-Length` has to be known. The last part is answered with ' +
    'the JSON object of `url` and `filename`.',
  method: 'POST',
  path: '/user_uploads',
  rate: 'upload',
  allow: anyUser,
  streams: true,
  params: {},
  reply: {
    url: z.string().describe('From the root of the server: what a message links the file by'),
    uri: z.string().describe('The same, as older clients look for it'),
    filename: z.string().describe('The name that the file is shown with'),
  },
  refuses: ['BAD_REQUEST', 'REALM_UPLOAD_QUOTA'],
  emits: ['attachment'],
  exchange(request, { realm, transport, answer, refuse }) {
    if (transport.body === null) throw badRequest('You must specify a file to upload');
    void receiveFile(realm, request, transport.body).then(answer, refuse);
  },
});
