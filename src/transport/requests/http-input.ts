import type { BodyLimit } from '../../endpoints/body-limits.ts';
import type { Dispatch } from '../../endpoints/dispatch.ts';
import type { QuickPoll } from '../../endpoints/events/quick-poll.ts';
import type { UploadDispatch } from '../../endpoints/files/resumable-uploads.ts';
import type { FileDispatch } from '../../endpoints/files/serve-files.ts';
import type { PageDispatch } from '../../endpoints/pages/dispatch-pages.ts';
import type { ContentDispatch } from '../../endpoints/pages/external-content.ts';
import type { LimitPoll, LimitRequest } from '../../endpoints/rate-limiter.ts';
import type { HoldsSecret } from '../../endpoints/secrets.ts';
import type { SessionCookies } from '../../endpoints/sessions/cookies.ts';
import type { Tracing } from '../../endpoints/tracing.ts';
import type { HttpRecord } from '../../metrics/recorders.ts';
import type { NoteBug } from '../answers/reply.ts';
import type { StandingHeaders } from '../answers/standing-headers.ts';
import type { TrustedProxies } from '../connections/forwarding.ts';
import type { Passing } from '../passing.ts';
import type { WebClient } from '../web/web-client.ts';

/** The parts of a server that serve its requests over HTTP. */
export interface HttpInput {
  readonly standing: StandingHeaders;
  readonly proxies: TrustedProxies | null;
  readonly dispatch: Dispatch;
  readonly holdsSecret: HoldsSecret;
  readonly limitRequest: LimitRequest | null;
  readonly limitPoll: LimitPoll | null;
  readonly pages: PageDispatch;
  readonly sessions: SessionCookies;
  readonly web: WebClient | null;
  readonly content: ContentDispatch;
  readonly files: FileDispatch;
  readonly uploads: UploadDispatch;
  readonly quickPoll: QuickPoll;
  /** Tests whether the endpoint takes a multipart body as it arrives. */
  readonly isStreamed: (request: { method: string; path: string }) => boolean;
  readonly bodyLimit: BodyLimit;
  readonly onBug: NoteBug;
  readonly record: HttpRecord;
  readonly tracing: Tracing;
  /** Passes on what other processes serve; by default this one serves everything. */
  readonly passing?: Passing | undefined;
  /** The number of the endpoint of polls. */
  readonly pollEndpoint: number;
  /** Tells whether the server should be sent requests, for balancers. */
  readonly isReady: () => boolean;
}
