/** Many channels with few people each; everybody is in as many channels as a channel has people. */
export interface Mesh {
  readonly channels: number;
  readonly perChannel: number;
}

// A prime larger than any number of people: no two channels have the same people, and neighbours share few.
const STRIDE = 104_729;

/** The people of a channel, by index; there are as many of them as channels. */
export const membersOf = (channel: number, { channels, perChannel }: Mesh): readonly number[] =>
  Array.from({ length: perChannel }, (_, nth) => (channel + nth * STRIDE) % channels);

export const channelName = (channel: number): string => `channel ${channel}`;

/** The channels of each person. */
export function channelsOfAll(mesh: Mesh): readonly (readonly string[])[] {
  const all: string[][] = Array.from({ length: mesh.channels }, () => []);
  for (let channel = 0; channel < mesh.channels; channel++) {
    for (const person of membersOf(channel, mesh)) all[person]?.push(channelName(channel));
  }
  return all;
}
