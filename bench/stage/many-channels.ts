import { fileURLToPath } from 'node:url';
import type { Content } from '../load/contents.ts';
import type { ListenerPlan } from '../load/listen.ts';
import { temporaryDirectory } from '../servers/belongings.ts';
import { forkServer } from '../servers/start.ts';
import type { Setting } from '../suite/context.ts';
import { createListeners, floorAudience, subscribe } from './audience.ts';
import { channelName, channelsOfAll, type Mesh, membersOf } from './mesh.ts';
import { contentOf, openStage, type Subject, subject } from './subject.ts';

const FIXTURE = fileURLToPath(
  new URL('../../../test/fixtures/irc-messages.jsonl.gz', import.meta.url),
);

/** Real messages by turns to all channels: those of the run, or else of the project's own fixture. */
function contentIn(setting: Setting, { channels }: Mesh): Content {
  const real = contentOf({ ...setting, messages: setting.messages ?? FIXTURE });
  if (!('file' in real)) throw new Error('real messages come from a file');
  return { ...real, channels: Array.from({ length: channels }, (_, index) => channelName(index)) };
}

// Channels are made one by one; more at once would only wait for each other's commits.
const CREATIONS_IN_FLIGHT = 16;

export async function confabMesh(setting: Setting, mesh: Mesh): Promise<Subject> {
  const stage = await openStage(setting);
  const { place } = stage;
  const people = await createListeners(place, mesh.channels);
  let next = 0;
  const createNext = async () => {
    while (next < mesh.channels) {
      const channel = next++;
      const ids = membersOf(channel, mesh).flatMap((index) => people[index]?.user_id ?? []);
      await subscribe(place.address, place.owner, [channelName(channel)], ids);
    }
  };
  await Promise.all(Array.from({ length: CREATIONS_IN_FLIGHT }, createNext));
  const channels = channelsOfAll(mesh);
  const listeners = () =>
    people.map(
      (person, index): ListenerPlan => ({
        ...person,
        transport: 'socket',
        channels: channels[index] ?? [],
      }),
    );
  const audience = { channel: channelName(0), sender: place.owner, mention: undefined, listeners };
  const content = contentIn(setting, mesh);
  return await subject({ server: stage.server, audience, content, hasContent: true }, stage.stop);
}

/** Bare topics of the same shape; a frame has as many bytes as confab's besides the content. */
export async function floorMesh(
  setting: Setting,
  mesh: Mesh,
  { envelopeBytes, isDurable }: { readonly envelopeBytes: number; readonly isDurable: boolean },
): Promise<Subject> {
  const directory = temporaryDirectory();
  const server = await forkServer({
    name: isDurable ? 'durable floor' : 'floor',
    file: 'topics-floor',
    parameters: [
      `--channels=${mesh.channels}`,
      `--per-channel=${mesh.perChannel}`,
      `--envelope-bytes=${envelopeBytes}`,
      ...(isDurable ? [`--data=${directory.path}`] : []),
    ],
  });
  const channels = channelsOfAll(mesh);
  const nobody = floorAudience({ size: 0 });
  const listeners = () =>
    channels.map(
      (own, index): ListenerPlan => ({
        user_id: index + 1,
        // Who it is, for the topics of its socket.
        email: String(index),
        api_key: 'none',
        transport: 'socket',
        channels: own,
      }),
    );
  return await subject(
    {
      server,
      audience: { ...nobody, listeners },
      content: contentIn(setting, mesh),
      hasContent: true,
    },
    async () => {
      await server.stop();
      directory.remove();
    },
  );
}
