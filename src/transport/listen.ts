import {
  App,
  SSLApp,
  type TemplatedApp,
  type us_listen_socket,
  us_listen_socket_close,
  us_socket_local_port,
} from './sockets.ts';

/** The library's `LIBUS_LISTEN_EXCLUSIVE_PORT`, of which its typings have only the name. */
const EXCLUSIVE_PORT = 1;

export class ListenError extends Error {}

export interface Listener {
  readonly port: number;
  /** No new connections; open ones stay. */
  close(): void;
}

interface ListenInput {
  readonly host: string;
  readonly port: number;
  readonly tls: { readonly key: string; readonly cert: string } | null;
}

/** Opens the port, after `mount` has set up what is served. Rejects when the port cannot be had. */
export function listen(input: ListenInput, mount: (app: TemplatedApp) => void): Promise<Listener> {
  const { host, port, tls } = input;
  const app = tls === null ? App() : SSLApp({ key_file_name: tls.key, cert_file_name: tls.cert });
  mount(app);
  return new Promise((resolve, reject) => {
    const onListen = (socket: us_listen_socket | false) => {
      if (socket === false) {
        reject(
          new ListenError(`cannot listen on ${host}:${port}: the port is in use or not allowed`),
        );
        return;
      }
      resolve({
        port: us_socket_local_port(socket),
        close: () => us_listen_socket_close(socket),
      });
    };
    // Exclusive: the library would otherwise share a port that another server has. The typings lack this form.
    (app.listen as unknown as ExclusiveListen).call(app, host, port, EXCLUSIVE_PORT, onListen);
  });
}

type ExclusiveListen = (
  host: string,
  port: number,
  options: number,
  callback: (socket: us_listen_socket | false) => void,
) => void;
