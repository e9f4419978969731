import { Packr } from 'msgpackr';

/** Plain maps with text keys: any msgpack library reads them. */
export const packr = new Packr({ useRecords: false });
