import { callOnce } from '../load/api.ts';
import type { Setting } from '../suite/context.ts';
import {
  type Audience,
  createListeners,
  floorAudience,
  gather,
  type Shape,
  type Transports,
} from './audience.ts';
import {
  attach,
  contentOf,
  type FloorChoice,
  openFloor,
  openStage,
  type Server,
  type Subject,
  say,
  subject,
} from './subject.ts';
import { WARM_UP_CHANNEL, warmSends } from './warm-up.ts';

/** A warm server that has one audience after the other; the load process stays as well, and is as warm. */
export interface SharedServer {
  readonly name: string;
  /** Listeners come; they go when the subject is stopped, and the server stays. */
  readonly admit: (shape: Shape, transport: Transports) => Promise<Subject>;
  readonly stop: () => Promise<void>;
}

interface Running {
  readonly server: Server;
  /** Of which its warm-up is made: nobody listens. */
  readonly nobody: Audience;
  /** Floors hand out bytes of their own, and keep nothing for who has gone. */
  readonly isFloor: boolean;
  readonly stop: () => Promise<void>;
}

const NOBODY: Shape = { size: 0 };

/** With as many people as the largest audience has; each audience is in a channel of its own. */
export async function sharedConfab(setting: Setting, sizeMax: number): Promise<SharedServer> {
  const { server, place, stop } = await openStage(setting);
  const users = await createListeners(place, sizeMax);
  // A server elsewhere may have the channels of a run before.
  const run = place.data === undefined ? ` ${Date.now().toString(36)}` : '';
  let count = 0;
  const channel = WARM_UP_CHANNEL + run;
  const nobody = await gather(place, { shape: NOBODY, channel, users: [] });
  return await warmed(setting, { server, nobody, isFloor: false, stop }, async (shape) => {
    count += 1;
    return await gather(place, {
      shape,
      channel: `load${run} ${count}`,
      users: users.slice(0, shape.size),
    });
  });
}

export async function sharedFloor(
  setting: Setting,
  choice: Pick<FloorChoice, 'name' | 'isDurable'> = {},
): Promise<SharedServer> {
  const { server, sender, stop } = await openFloor({ ...choice, eventBytes: FIRST_EVENT_BYTES });
  const nobody = floorAudience(NOBODY, sender);
  return await warmed(setting, { server, nobody, isFloor: true, stop }, async (shape) =>
    floorAudience(shape, sender),
  );
}

/** Of the warm-up; whoever measures says what they are then. */
const FIRST_EVENT_BYTES = 500;

/** From now on a floor's events have so many bytes, as those that it is held against. */
export async function sizeEvents({ server }: Subject, bytes: number): Promise<void> {
  await callOnce(server.address, { method: 'POST', path: `/event-bytes/${bytes}` });
}

async function warmed(
  setting: Setting,
  { server, nobody, isFloor, stop }: Running,
  audienceOf: (shape: Shape) => Promise<Audience>,
): Promise<SharedServer> {
  const said = { content: contentOf(setting), hasContent: !isFloor };
  const staged = await subject({ server, audience: nobody, ...said }, stop);
  await warmSends(staged, setting);
  return {
    name: server.name,
    admit: async (shape, transport) => {
      const admitted: Subject = {
        ...staged,
        audience: await audienceOf(shape),
        // What is kept for who has gone would be written to with the next audience.
        stop: async () => void (await staged.load.ask(isFloor ? 'close' : 'leave', null)),
      };
      await say(admitted, said);
      await attach(admitted, transport);
      return admitted;
    },
    stop: staged.stop,
  };
}
