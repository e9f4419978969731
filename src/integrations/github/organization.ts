import { z } from 'zod';
import { reading } from '../events.ts';
import { someText } from '../payload.ts';
import { link, plain, strong } from '../texts.ts';
import { base, by, organization, person, repositoryLink, sender } from './objects.ts';

const team = z.object({ name: z.string(), html_url: someText });
const ours = { action: z.string(), organization, sender };

const teamLink = ({ name, html_url }: z.output<typeof team>) =>
  `team ${link(plain(name), html_url)}`;

const sayTeam = reading(
  z.object({ ...ours, team, repository: base.repository.nullish() }),
  ({ action, organization: where, sender: one, team: about, repository }) => {
    const it = teamLink(about);
    const what = repository ? repositoryLink(repository) : 'a repository';
    const sentences = new Map([
      ['created', `created ${it}`],
      ['edited', `edited ${it}`],
      ['deleted', `deleted ${it}`],
      ['added_to_repository', `gave ${it} access to ${what}`],
      ['removed_from_repository', `took access to ${what} from ${it}`],
    ]);
    const sentence = sentences.get(action);
    return sentence === undefined
      ? undefined
      : { topic: repository?.name ?? where.login, parts: [`${by(one)} ${sentence}.`] };
  },
);

const sayTeamAdd = reading(
  z.object({ team, repository: base.repository, sender }),
  ({ team: about, repository: where, sender: one }) => ({
    topic: where.name,
    parts: [`${by(one)} gave ${teamLink(about)} access to ${repositoryLink(where)}.`],
  }),
);

const sayMembership = reading(
  z.object({ ...ours, member: person, team }),
  ({ action, organization: where, sender: one, member, team: about }) => {
    if (action !== 'added' && action !== 'removed') return undefined;
    const sentence = `${action} ${strong(member.login)} ${action === 'added' ? 'to' : 'from'}`;
    return { topic: where.login, parts: [`${by(one)} ${sentence} ${teamLink(about)}.`] };
  },
);

const sayOrganization = reading(
  z.object({
    ...ours,
    membership: z.object({ user: person }).nullish(),
    invitation: z.object({ login: someText, email: someText }).nullish(),
    user: person.nullish(),
    changes: z.object({ login: z.object({ from: z.string() }).nullish() }).nullish(),
  }),
  ({ action, organization: where, sender: one, ...about }) => {
    const it = plain(where.login);
    const { membership, invitation, user, changes } = about;
    const whom = strong(membership?.user.login ?? user?.login ?? invitation?.login);
    const from = changes?.login?.from;
    const sentences = new Map([
      ['member_added', `added ${whom} to ${it}`],
      ['member_removed', `removed ${whom} from ${it}`],
      ['member_invited', `invited ${whom} to ${it}`],
      ['renamed', `renamed ${from ? `${plain(from)} to ` : ''}${it}`],
      ['deleted', `deleted ${it}`],
    ]);
    const sentence = sentences.get(action);
    return sentence === undefined
      ? undefined
      : { topic: where.login, parts: [`${by(one)} ${sentence}.`] };
  },
);

const sayBlock = reading(
  z.object({ ...ours, blocked_user: person }),
  ({ action, organization: where, sender: one, blocked_user }) => {
    if (action !== 'blocked' && action !== 'unblocked') return undefined;
    const sentence = `${by(one)} ${action} ${strong(blocked_user.login)} in ${plain(where.login)}.`;
    return { topic: where.login, parts: [sentence] };
  },
);

/** Events about the members of an organization and of its teams. */
export const ORGANIZATION_EVENTS = {
  team: sayTeam,
  team_add: sayTeamAdd,
  membership: sayMembership,
  organization: sayOrganization,
  org_block: sayBlock,
};
