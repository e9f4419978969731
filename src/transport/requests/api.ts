import type { Head } from '../request-head.ts';

export const API_PREFIX = '/api/v1';

/** Tests whether a request is one of the API, and not of a page or a file. */
export const isOfApi = ({ url }: Head) => url.startsWith(`${API_PREFIX}/`);
