import { type Declaration, gauge, labelled } from '../declaration.ts';
import * as labels from '../labels.ts';

export const CONNECTIONS: readonly Declaration[] = [
  gauge(
    { name: 'confab_sockets', help: 'Open WebSockets.', row: 'connections' },
    ({ recorders: { sockets } }) =>
      sockets.opened - Object.values(sockets.closed).reduce((sum, count) => sum + count, 0),
  ),
  gauge(
    { name: 'confab_polls_parked', help: 'Polls that wait for events.', row: 'connections' },
    ({ recorders }) => recorders.http.pollsParked,
  ),
  labelled(
    'counter',
    {
      name: 'confab_sockets_opened_total',
      help: 'WebSockets that were opened, and those of them that were refused then.',
      row: 'connections',
    },
    ['result', ['opened', 'refused']],
    ({ recorders: { sockets } }) => ({ opened: sockets.opened, refused: sockets.refused }),
  ),
  labelled(
    'counter',
    {
      name: 'confab_sockets_closed_total',
      help: 'Closed WebSockets, by the code with which the server closed; gone: the client did.',
      row: 'connections',
    },
    ['code', labels.CLOSE_CODES],
    ({ recorders }) => recorders.sockets.closed,
  ),
  gauge(
    {
      name: 'confab_sockets_behind',
      help: 'WebSockets whose client has not taken all that was sent.',
      row: 'connections',
    },
    ({ state }) => state.socketsBehind,
  ),
  labelled(
    'counter',
    {
      name: 'confab_resumes_total',
      help: 'WebSockets that asked for their former queue, and whether they got it.',
      row: 'connections',
    },
    ['result', ['resumed', 'unknown']],
    ({ recorders: { sockets } }) => ({ resumed: sockets.resumed, unknown: sockets.notResumed }),
  ),
];
