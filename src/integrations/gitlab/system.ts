import { z } from 'zod';
import { type EventReader, reading } from '../events.ts';
import { someText } from '../payload.ts';
import { code, plain, strong } from '../texts.ts';

/** A group or project with a name and a path, and its path before a change. */
const NAMED = z.object({
  name: z.string(),
  path_with_namespace: someText,
  old_path_with_namespace: someText,
  full_path: someText,
  old_full_path: someText,
});
type Named = z.output<typeof NAMED>;

const nameOf = ({ name, path_with_namespace, full_path }: Named) =>
  strong(path_with_namespace || full_path || name);

const formerly = ({ old_path_with_namespace, old_full_path }: Named) => {
  const before = old_path_with_namespace || old_full_path;
  return before ? ` from ${code(before)}` : '';
};

const sayOf = (noun: string, verb: string) =>
  reading(NAMED, (payload) => ({
    topic: payload.name,
    parts: [`${noun} ${nameOf(payload)} was ${verb}${formerly(payload)}.`],
  }));

/** Reads events in which a user joins or leaves a project or a group. */
const sayMember = (sentence: (whom: string, access: string) => string) =>
  reading(
    z.object({
      user_name: someText,
      user_username: someText,
      project_name: someText,
      project_path_with_namespace: someText,
      group_name: someText,
      access_level: someText,
      project_access: someText,
      group_access: someText,
    }),
    (payload) => {
      const { project_name, group_name, access_level, project_access, group_access } = payload;
      const access = plain(access_level ?? project_access ?? group_access ?? '').toLowerCase();
      const name = project_name ?? group_name ?? 'GitLab';
      const noun = project_name == null ? 'group' : 'project';
      const whom = strong(payload.user_name ?? payload.user_username);
      const what = `${noun} ${strong(payload.project_path_with_namespace ?? name)}`;
      return { topic: name, parts: [`${sentence(whom, access)} ${what}.`] };
    },
  );

const MEMBERS = {
  add: sayMember((whom, access) => `${whom} was added${access && ` as ${access}`} to`),
  remove: sayMember((whom) => `${whom} was removed from`),
  update: sayMember(
    (whom, access) => `${whom} is now ${access || 'a member with another role'} in`,
  ),
  ask: sayMember((whom) => `${whom} asks to join`),
  revoke: sayMember((whom) => `${whom} no longer asks to join`),
  deny: sayMember((whom) => `${whom} was not let into`),
};

const sayAccount = (verb: string) =>
  reading(
    z.object({ name: someText, username: someText, old_username: someText }),
    ({ name, username, old_username }) => {
      const called = name && username ? ` (${code(username)})` : '';
      const before = old_username ? `, formerly ${code(old_username)}` : '';
      return {
        topic: 'GitLab / users',
        parts: [`${strong(name ?? username)}${called} ${verb}${before}.`],
      };
    },
  );

const sayKey = (verb: string) =>
  reading(z.object({ username: someText }), ({ username }) => ({
    topic: 'GitLab / users',
    parts: [`${strong(username)} ${verb} an SSH key.`],
  }));

/** Events of a group or of a whole server, by `event_name`. */
export const GITLAB_SYSTEM_EVENTS: Readonly<Record<string, EventReader>> = {
  project_create: sayOf('Project', 'created'),
  project_destroy: sayOf('Project', 'deleted'),
  project_rename: sayOf('Project', 'renamed'),
  project_transfer: sayOf('Project', 'transferred'),
  project_update: sayOf('Project', 'updated'),
  group_create: sayOf('Group', 'created'),
  group_destroy: sayOf('Group', 'deleted'),
  group_rename: sayOf('Group', 'renamed'),
  subgroup_create: sayOf('Subgroup', 'created'),
  subgroup_destroy: sayOf('Subgroup', 'deleted'),
  user_add_to_team: MEMBERS.add,
  user_remove_from_team: MEMBERS.remove,
  user_update_for_team: MEMBERS.update,
  user_add_to_group: MEMBERS.add,
  user_remove_from_group: MEMBERS.remove,
  user_update_for_group: MEMBERS.update,
  user_access_request_to_group: MEMBERS.ask,
  user_access_request_to_project: MEMBERS.ask,
  user_access_request_revoked_for_group: MEMBERS.revoke,
  user_access_request_revoked_for_project: MEMBERS.revoke,
  user_access_request_denied_for_group: MEMBERS.deny,
  user_access_request_denied_for_project: MEMBERS.deny,
  user_create: sayAccount('has an account now'),
  user_destroy: sayAccount('has no account any more'),
  user_rename: sayAccount('has another username'),
  user_failed_login: sayAccount('is blocked and tried to log in'),
  key_create: sayKey('added'),
  key_destroy: sayKey('removed'),
};
