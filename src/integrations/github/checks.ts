import { z } from 'zod';
import { reading } from '../events.ts';
import { someText } from '../payload.ts';
import { code, link, plain, quoted, strong } from '../texts.ts';
import { base, by, commitLink, person, repository, repositoryLink, sender } from './objects.ts';

/** Describes the conclusion of a check by the name that GitHub gives it, which says enough. */
const outcome = (conclusion: string | null | undefined) => {
  const words = plain((conclusion ?? '').replaceAll('_', ' '));
  return words === '' ? 'has ended' : `ended: **${words}**`;
};

const topicOf = ({ name }: z.output<typeof repository>, branch: string | null | undefined) =>
  branch ? `${name} / ${branch}` : `${name} / checks`;

const sayCheckRun = reading(
  z.object({
    ...base,
    check_run: z.object({
      name: z.string(),
      html_url: someText,
      head_sha: z.string(),
      conclusion: someText,
      check_suite: z.object({ head_branch: someText }).nullish(),
    }),
  }),
  ({ action, repository: where, check_run: run }) => {
    if (action !== 'completed') return undefined;
    const branch = run.check_suite?.head_branch;
    const commit = commitLink(where, run.head_sha);
    const sentence = `Check ${link(plain(run.name), run.html_url)} of ${commit} ${outcome(run.conclusion)}.`;
    return { topic: topicOf(where, branch), parts: [sentence], branch: branch ?? undefined };
  },
);

const sayCheckSuite = reading(
  z.object({
    ...base,
    check_suite: z.object({
      head_branch: someText,
      head_sha: z.string(),
      conclusion: someText,
      app: z.object({ name: z.string() }).nullish(),
    }),
  }),
  ({ action, repository: where, check_suite: suite }) => {
    if (action !== 'completed') return undefined;
    const commit = commitLink(where, suite.head_sha);
    const whose = suite.app ? ` by ${strong(suite.app.name)}` : '';
    return {
      topic: topicOf(where, suite.head_branch),
      parts: [`The checks of ${commit}${whose} ${outcome(suite.conclusion)}.`],
      branch: suite.head_branch ?? undefined,
    };
  },
);

const sayWorkflowRun = reading(
  z.object({
    ...base,
    workflow_run: z.object({
      name: someText,
      run_number: z.int(),
      html_url: someText,
      head_branch: someText,
      head_sha: z.string(),
      conclusion: someText,
    }),
  }),
  ({ action, repository: where, sender: one, workflow_run: run }) => {
    if (action !== 'completed') return undefined;
    const title = plain(`${run.name ?? ''} #${run.run_number}`);
    const commit = commitLink(where, run.head_sha);
    const sentence = `Workflow ${link(title, run.html_url)} of ${commit} by ${by(one)} ${outcome(run.conclusion)}.`;
    return {
      topic: topicOf(where, run.head_branch),
      parts: [sentence],
      branch: run.head_branch ?? undefined,
    };
  },
);

const sayWorkflowJob = reading(
  z.object({
    ...base,
    workflow_job: z.object({
      name: z.string(),
      workflow_name: someText,
      html_url: someText,
      head_branch: someText,
      head_sha: z.string(),
      conclusion: someText,
    }),
  }),
  ({ action, repository: where, workflow_job: job }) => {
    if (action !== 'completed') return undefined;
    const flow = plain(job.workflow_name ?? '');
    const title = `${link(plain(job.name), job.html_url)}${flow ? ` of ${flow}` : ''}`;
    const sentence = `Job ${title} for ${commitLink(where, job.head_sha)} ${outcome(job.conclusion)}.`;
    return {
      topic: topicOf(where, job.head_branch),
      parts: [sentence],
      branch: job.head_branch ?? undefined,
    };
  },
);

const sayStatus = reading(
  z.object({
    sha: z.string(),
    state: z.string(),
    context: someText,
    description: someText,
    target_url: someText,
    repository,
    sender,
  }),
  ({ sha, state, context, description, target_url, repository: where }) => {
    const title = `Status ${link(plain(context ?? '') || 'default', target_url)}`;
    const why = plain(description ?? '');
    const words = `**${plain(state)}**${why ? ` (${why})` : ''}`;
    return {
      topic: topicOf(where, undefined),
      parts: [`${title} of ${commitLink(where, sha)}: ${words}`],
    };
  },
);

const deployment = z.object({ environment: z.string(), ref: someText, sha: someText });

const saying = ({ environment, ref, sha }: z.output<typeof deployment>) =>
  `${code(ref || (sha ?? '').slice(0, 7)) || 'something'} to ${strong(environment)}`;

const sayDeployment = reading(
  z.object({ repository, sender: person.nullish(), deployment }),
  ({ repository: where, sender: one, deployment: about }) => ({
    topic: `${where.name} / deployments`,
    parts: [`${by(one)} deploys ${saying(about)} in ${repositoryLink(where)}.`],
  }),
);

const sayDeploymentStatus = reading(
  z.object({
    repository,
    deployment,
    deployment_status: z.object({ state: z.string(), target_url: someText, description: someText }),
  }),
  ({
    repository: where,
    deployment: about,
    deployment_status: { state, target_url, description },
  }) => {
    const words = `**${plain(state.replaceAll('_', ' '))}**`;
    const why = plain(description ?? '');
    return {
      topic: `${where.name} / deployments`,
      parts: [
        `${link('Deployment', target_url)} of ${saying(about)}: ${words}${why ? ` (${why})` : ''}`,
      ],
    };
  },
);

const sayDeploymentReview = reading(
  z.object({
    ...base,
    environment: someText,
    workflow_run: z.object({ run_number: z.int(), html_url: someText, name: someText }).nullish(),
    requestor: person.nullish(),
    approver: person.nullish(),
    comment: someText,
    reviewers: z
      .array(z.object({ reviewer: z.object({ login: someText, name: someText }).nullish() }))
      .nullish(),
  }),
  ({ action, repository: where, sender: one, environment, ...review }) => {
    const run = review.workflow_run;
    const what = run
      ? link(plain(`${run.name ?? ''} #${run.run_number}`), run.html_url)
      : repositoryLink(where);
    const to = environment ? ` to ${strong(environment)}` : '';
    const asked = (review.reviewers ?? [])
      .slice(0, 10)
      .map(({ reviewer }) => strong(reviewer?.login ?? reviewer?.name));
    const sentences = new Map([
      ['requested', `asked ${asked.join(', ') || 'for somebody'} to let ${what} deploy${to}`],
      ['approved', `let ${what} deploy${to}`],
      ['rejected', `did not let ${what} deploy${to}`],
    ]);
    const sentence = sentences.get(action);
    if (sentence === undefined) return undefined;
    const who = action === 'requested' ? review.requestor : review.approver;
    const body = action === 'requested' ? '' : quoted(review.comment);
    return {
      topic: `${where.name} / deployments`,
      parts: [`${by(who ?? one)} ${sentence}${body ? ':' : '.'}`, body],
    };
  },
);

/** Events in which machines report on commits. */
export const CHECK_EVENTS = {
  check_run: sayCheckRun,
  check_suite: sayCheckSuite,
  workflow_run: sayWorkflowRun,
  workflow_job: sayWorkflowJob,
  status: sayStatus,
  deployment: sayDeployment,
  deployment_status: sayDeploymentStatus,
  deployment_review: sayDeploymentReview,
};
