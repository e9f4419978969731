import type { UploadSend } from '../store/compose/uploads.ts';

/** Sends a part of a file, with the cookie of the browser. */
export const sendPart: UploadSend = async (method, path, { headers, body, signal }) => {
  const reply = await fetch(path, {
    method,
    signal,
    ...(headers === undefined ? {} : { headers }),
    ...(body === undefined ? {} : { body }),
  });
  return {
    status: reply.status,
    header: (name) => reply.headers.get(name),
    json: () => reply.json(),
  };
};
