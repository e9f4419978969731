/** The names by which public small pictures are requested: the label and the place of the bytes. */
export interface PictureFileName {
  readonly folder: string;
  readonly file: string;
}

export type PictureType = 'png' | 'webp';

export const pictureName = (
  label: string,
  { folder, file }: PictureFileName,
  type: PictureType,
): string => `${label}-${folder}${file}.${type}`;

export interface NamedPicture {
  readonly label: string;
  readonly fileName: PictureFileName;
  readonly type: PictureType;
}

/** Returns undefined for any other name. */
export function pictureNamed(name: string): NamedPicture | undefined {
  const { label = '', folder = '', file = '', type } = NAME.exec(name)?.groups ?? {};
  if (type !== 'png' && type !== 'webp') return undefined;
  return { label, fileName: { folder, file }, type };
}

const NAME =
  /^(?<label>[a-z0-9_]{1,20})-(?<folder>[\w-]{2})(?<file>[\w-]{10,100})\.(?<type>png|webp)$/;
