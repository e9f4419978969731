import { crc32, deflateSync } from 'node:zlib';

export interface Pixels {
  /** Side of the square image in pixels. */
  readonly side: number;
  readonly format: keyof typeof FORMATS;
  /** The red, green and blue values of each color, if the pixels are indices of colors. */
  readonly palette?: Uint8Array;
  /**
   * The rows of pixels. Each begins with a zero, the filter type "none": its bytes are plain
   * values.
   */
  readonly rows: Uint8Array;
}

/** Encodes an image as a PNG file. */
export function png({ side, format, palette, rows }: Pixels): Uint8Array {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set(FORMATS[format], 8);
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    palette === undefined ? NOTHING : chunk('PLTE', palette),
    chunk('IDAT', deflateSync(rows, { level: 9 })),
    chunk('IEND', NOTHING),
  ]);
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const NOTHING = Buffer.alloc(0);

/** The bit depth and the color type of a format. */
const FORMATS = { alpha: [8, 6], twoColors: [1, 3] } as const;

/** Length, type, content, and the checksum of the last two. */
function chunk(type: string, content: Uint8Array): Uint8Array {
  const body = Buffer.concat([Buffer.from(type), content]);
  const ends = Buffer.alloc(8);
  ends.writeUInt32BE(content.length, 0);
  ends.writeUInt32BE(crc32(body), 4);
  return Buffer.concat([ends.subarray(0, 4), body, ends.subarray(4)]);
}
