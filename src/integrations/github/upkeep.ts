import { z } from 'zod';
import { reading } from '../events.ts';
import { someText } from '../payload.ts';
import { code, link, plain, strong } from '../texts.ts';
import {
  base,
  by,
  commitLink,
  organization,
  person,
  repository,
  repositoryLink,
  sender,
} from './objects.ts';

const sayLabel = reading(
  z.object({ ...base, label: z.object({ name: z.string() }) }),
  ({ action, repository: where, sender: one, label }) => {
    if (!['created', 'edited', 'deleted'].includes(action)) return undefined;
    const sentence = `${by(one)} ${action} the label ${code(label.name)} of ${repositoryLink(where)}.`;
    return { topic: where.name, parts: [sentence] };
  },
);

const sayMilestone = reading(
  z.object({ ...base, milestone: z.object({ title: z.string(), html_url: someText }) }),
  ({ action, repository: where, sender: one, milestone: { title, html_url } }) => {
    const verbs = new Map([
      ['created', 'created'],
      ['edited', 'edited'],
      ['deleted', 'deleted'],
      ['closed', 'closed'],
      ['opened', 'reopened'],
    ]);
    const verb = verbs.get(action);
    if (verb === undefined) return undefined;
    const it = `milestone ${link(plain(title), html_url)} of ${repositoryLink(where)}`;
    return { topic: where.name, parts: [`${by(one)} ${verb} ${it}.`] };
  },
);

const sayBranchProtection = reading(
  z.object({ ...base, rule: z.object({ name: z.string() }) }),
  ({ action, repository: where, sender: one, rule }) => {
    if (!['created', 'edited', 'deleted'].includes(action)) return undefined;
    const it = `the protection of branches ${code(rule.name)} of ${repositoryLink(where)}`;
    return { topic: where.name, parts: [`${by(one)} ${action} ${it}.`] };
  },
);

const sayDeployKey = reading(
  z.object({ ...base, key: z.object({ title: z.string(), read_only: z.boolean().nullish() }) }),
  ({ action, repository: where, sender: one, key }) => {
    if (action !== 'created' && action !== 'deleted') return undefined;
    const what = action === 'created' ? `added ${keyName(key)} to` : `removed ${keyName(key)} from`;
    return { topic: where.name, parts: [`${by(one)} ${what} ${repositoryLink(where)}.`] };
  },
);

/** Returns the name of a deploy key, and marks one that can change the repository. */
const keyName = ({ title, read_only }: { title: string; read_only?: boolean | null | undefined }) =>
  `the deploy key ${strong(title)}${read_only === false ? ', which may write,' : ''}`;

const sayMeta = reading(
  z.object({
    action: z.string(),
    repository: repository.nullish(),
    organization: organization.nullish(),
    sender,
  }),
  ({ action, repository: where, organization: whole, sender: one }) => {
    if (action !== 'deleted') return undefined;
    const what = where ? repositoryLink(where) : plain(whole?.login ?? '') || 'GitHub';
    return {
      topic: where?.name ?? whole?.login ?? 'GitHub',
      parts: [`${by(one)} removed the webhook: no more is heard of ${what} here.`],
    };
  },
);

const sayPageBuild = reading(
  z.object({
    repository,
    sender,
    build: z.object({
      status: someText,
      commit: someText,
      error: z.object({ message: someText }).nullish(),
      pusher: person.nullish(),
    }),
  }),
  ({ repository: where, sender: one, build: { status, commit, error, pusher } }) => {
    const of = commit ? ` of ${commitLink(where, commit)}` : '';
    const why = plain(error?.message ?? '');
    const words = plain(status ?? '') || 'done';
    const sentence = `Pages${of} by ${by(pusher ?? one)} in ${repositoryLink(where)}: **${words}**`;
    return { topic: where.name, parts: [why ? `${sentence} (${why})` : sentence] };
  },
);

const sayImport = reading(
  z.object({ status: z.string(), repository, sender }),
  ({ status, repository: where, sender: one }) => ({
    topic: where.name,
    parts: [`Import of ${repositoryLink(where)} by ${by(one)}: **${plain(status)}**`],
  }),
);

const published = z.object({
  name: z.string(),
  html_url: someText,
  package_type: someText,
  package_version: z.object({ version: someText, html_url: someText }).nullish(),
});

/** Reads the event under both of its names, `package` and `registry_package`. */
const sayPackage = reading(
  z
    .object({
      ...base,
      package: published.optional(),
      registry_package: published.optional(),
    })
    .refine((payload) => payload.package ?? payload.registry_package, { path: ['package'] }),
  ({ action, repository: where, sender: one, ...payload }) => {
    const about = payload.package ?? payload.registry_package;
    if (about === undefined || (action !== 'published' && action !== 'updated')) return undefined;
    const version = about.package_version;
    const title = plain([about.name, version?.version].filter(Boolean).join(' '));
    const kind = plain((about.package_type ?? '').toLowerCase());
    const it = `${kind ? `${kind} ` : ''}package ${link(title, version?.html_url || about.html_url)}`;
    return {
      topic: where.name,
      parts: [`${by(one)} ${action} ${it} of ${repositoryLink(where)}.`],
    };
  },
);

/** Events about what surrounds the code of a repository, such as labels, keys and packages. */
export const UPKEEP_EVENTS = {
  label: sayLabel,
  milestone: sayMilestone,
  branch_protection_rule: sayBranchProtection,
  deploy_key: sayDeployKey,
  meta: sayMeta,
  page_build: sayPageBuild,
  repository_import: sayImport,
  package: sayPackage,
  registry_package: sayPackage,
};
