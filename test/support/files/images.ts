import sharp from 'sharp';

/** An image of one color. */
export const png = (width: number, height: number, color = '#2a6'): Promise<Buffer> =>
  sharp({ create: { width, height, channels: 3, background: color } })
    .png()
    .toBuffer();

/** A GIF of so many frames, each of a color of its own. */
export async function gif(width: number, height: number, frames: number): Promise<Buffer> {
  const size = width * height * 4;
  const bytes = Buffer.alloc(size * frames, 255);
  for (let frame = 0; frame < frames; frame += 1) {
    for (let at = frame * size; at < (frame + 1) * size; at += 4) bytes[at] = frame * 40;
  }
  const raw = { width, height: height * frames, channels: 4, pageHeight: height } as const;
  return await sharp(bytes, { raw }).gif({ loop: 0 }).toBuffer();
}

/** Returns the facts of an image that its readers see. */
export async function seen(bytes: Buffer) {
  const { format, width, height, pages = 1, pageHeight, exif } = await sharp(bytes).metadata();
  return { format, width, height: pageHeight ?? height, pages, hasExif: exif !== undefined };
}
