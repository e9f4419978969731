/** The names by which public small images are requested: the label and the place of the bytes. */
export interface ImageFileName {
  readonly folder: string;
  readonly file: string;
}

export type ImageType = 'png' | 'webp';

export const imageName = (
  label: string,
  { folder, file }: ImageFileName,
  type: ImageType,
): string => `${label}-${folder}${file}.${type}`;

export interface NamedImage {
  readonly label: string;
  readonly fileName: ImageFileName;
  readonly type: ImageType;
}

/** Returns undefined for any other name. */
export function imageNamed(name: string): NamedImage | undefined {
  const { label = '', folder = '', file = '', type } = NAME.exec(name)?.groups ?? {};
  if (type !== 'png' && type !== 'webp') return undefined;
  return { label, fileName: { folder, file }, type };
}

const NAME =
  /^(?<label>[a-z0-9_]{1,20})-(?<folder>[\w-]{2})(?<file>[\w-]{10,100})\.(?<type>png|webp)$/;
