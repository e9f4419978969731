import { z } from 'zod';
import * as errors from '../../domain/wire/errors.ts';
import * as realms from '../../operations/access/realms.ts';
import { endpoint } from '../endpoint.ts';
import { integer } from '../params.ts';
import { begin, browserOf } from './browser.ts';
import { demoAccount } from './demo.ts';

export const createDemoSession = endpoint({
  summary: 'Log a browser in as a person of the demo realm',
  description: [
    'Without a password, as long as the person has the one that the first start made. For a browser on the machine of the server, and with',
    '`CONFAB_DEMO=open` for all. `service_demo_people` of `GET /server_settings` says who may be chosen.',
  ].join(' '),
  method: 'POST',
  needsNoSpace: true,
  path: '/sessions/demo',
  rate: 'logIn',
  params: { user_id: integer },
  reply: { email: z.string(), user_id: z.int() },
  refuses: [
    'REQUEST_VARIABLE_MISSING',
    'BAD_REQUEST',
    'AUTHENTICATION_FAILED',
    'USER_DEACTIVATED',
    'REALM_DEACTIVATED',
    'NONEXISTENT_SUBDOMAIN',
  ],
  visit({ params, realm, site, from, demoPeople, answer, refuse }) {
    if (realm === undefined) throw errors.nonexistentSubdomain();
    const browser = browserOf(from, site);
    realms.refuseDeactivated(realm.reader);
    const user = demoAccount({ realm, site, from, demoPeople }, params.user_id);
    if (user === undefined) throw errors.noDemoLogIn();
    void begin({ realm, site, user, from, browser, method: 'demo' }).then(answer, refuse);
  },
});
