import { need, type World } from '../access/world.ts';
import { addApp, addPasskey, beginApp, codeAt, openDevice } from '../people/second-steps.ts';
import { FROM_OWN_PAGE, givePasswords, PASSWORD } from '../people/session-browser.ts';
import type { Told } from './told.ts';

const originOf = ({ server }: World) => `http://test.localhost:${server.app.port}`;

const password = { password: PASSWORD };

/** Gives the member an app, and returns the request with the password. */
const withApp = async ({ server }: World) => {
  const { mel } = server.people;
  await givePasswords(server, mel);
  await addApp(server, mel, { ...password, at: server.clock.now() });
  return { params: password };
};

/** Requests about second steps, each with the password or with what a device has signed. */
export const TOLD_OF_SECOND_STEPS: Readonly<Record<string, Told>> = {
  'POST /sessions/passkey/options': {
    as: 'nobody',
    request: () => ({ headers: FROM_OWN_PAGE }),
  },
  'POST /sessions/passkey': {
    as: 'nobody',
    request: async (world) => {
      const { server } = world;
      const { max } = server.people;
      await givePasswords(server, max);
      const device = openDevice(originOf(world));
      need(await addPasskey(server, max, { device, ...password }));
      const begun = await server.ask(null, {
        method: 'POST',
        path: '/sessions/passkey/options',
        params: {},
        headers: FROM_OWN_PAGE,
      });
      return {
        params: { response: device.sign(need(begun).options) },
        headers: FROM_OWN_PAGE,
      };
    },
  },
  'POST /users/me/second_step/app': {
    request: async ({ server }) => {
      await givePasswords(server, server.people.mel);
      return { params: password };
    },
  },
  'POST /users/me/second_step/app/confirm': {
    request: async ({ server }) => {
      const { mel } = server.people;
      await givePasswords(server, mel);
      const secret = await beginApp(server, mel, PASSWORD);
      return { params: { code: codeAt(secret, server.clock.now()) } };
    },
  },
  'DELETE /users/me/second_step/app': { request: withApp },
  'POST /users/me/second_step/recovery_codes': { request: withApp },
  'POST /users/me/passkeys/options': { request: withApp },
  'POST /users/me/passkeys': {
    request: async (world) => {
      const { server } = world;
      const { mel } = server.people;
      await givePasswords(server, mel);
      const { options } = need(await server.post(mel, '/users/me/passkeys/options', password));
      const device = openDevice(originOf(world));
      return { params: { name: 'My laptop', response: device.register(options) } };
    },
  },
  'DELETE /users/me/passkeys/{passkey_id}': {
    request: async (world) => {
      const { server } = world;
      const { mel } = server.people;
      await givePasswords(server, mel);
      const device = openDevice(originOf(world), 'phone');
      need(await addPasskey(server, mel, { device, ...password }));
      const { passkeys } = need(await server.get(mel, '/users/me/second_step'));
      const { id } = passkeys.find((one: { name: string }) => one.name === 'My laptop');
      return { path: `/users/me/passkeys/${id}`, params: password };
    },
  },
};
