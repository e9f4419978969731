/**
 * The meaning of each text in the log, and what an operator does about it. `docs/console.md` has
 * the same texts; a test compares them with the sources and the page.
 */
export const LOG_MEANINGS: Readonly<Record<string, string>> = {
  ready: 'The server takes requests. Nothing is to be done.',
  stopping: 'A signal stops the server: it answers what is under way, and commits it.',
  'stopping: npm, which started this server, is gone':
    'The server was started by npm, which was killed. Run it by `confab serve` as a service.',
  'ignored; a restart reads the settings':
    'A signal came that changes nothing. Settings are read once, at the start.',
  'somebody signed in by a provider': 'A provider has vouched for a person. Nothing is to be done.',
  'a sign-in by a provider failed':
    '`outcome` says why: `unreachable` and `too_large` are faults of the provider or the network, `refused` and `not_trusted` ' +
    'mostly of its entry in `CONFAB_SIGN_IN`, and `said` is what the provider calls it; `denied`, `no_account` and `begun_elsewhere` are of one person.',
  'an entry of CONFAB_SIGN_IN is for an organization that is not here':
    '`realm` is in `realms` of the entry, and no organization has that name now. Correct the file and restart, ' +
    'or make the organization: the entry counts for it at once.',
  'a provider has logged somebody out':
    'Its token was right; the sessions that it names have ended, if there were any. Nothing is to be done.',
  'a log-out by a provider was refused':
    'The token was not valid: a wrong clock, another `client_id`, or a stranger. With `error` the keys of the provider were not read. ' +
    'It is written every half an hour at most.',
  'accounts have followed their directory':
    'The fields count the accounts that were deactivated, reactivated and changed. ' +
    'Nothing is to be done.',
  'accounts did not follow their directory':
    '`why` says the reason: the directory was not reached, or too many people are gone at once. ' +
    'docs/operating/ldap.md says what to do.',
  'the certificate is read again; a restart reads the settings':
    'SIGHUP came. New connections get the certificate that is in its file now.',
  'new connections get the certificate as it is now':
    'The files of the certificate have changed, and were taken. Nothing is to be done.',
  'the certificate was not taken: the former one stays in use':
    'The files cannot be read, or do not belong together. Mend them before the former one ends.',
  'no certificate was got: the authority is asked again later':
    'The authority has refused, or was not reached. Each name must lead to this server at port 80.',
  bug:
    'Something went wrong that should not. One request or job failed, and the others went on. ' +
    'Report it with the fields of this record.',
  'uncaught exception':
    'A bug outside of any request. The server goes on, but restart it soon, and report the bug.',
  'unhandled rejection':
    'A bug outside of any request. The server goes on, but restart it soon, and report the bug.',
  'a realm failed and is started again':
    'A bug stopped a realm, which reads its store again; its clients reconnect. Report the bug.',
  'too many wrong codes: a password is locked':
    'Somebody knows the password of the account and has guessed codes, and the person was told by mail. ' +
    'The log says once who it is; docs/operating/second-step.md says how they get in again.',
  'a realm is not served':
    'Its store cannot be opened, and the reason is in the fields. `confab check` says what is ' +
    'damaged; docs/backups.md says how to restore it.',
  'a commit did not reach the disk':
    'The disk has failed to store what was written, so the process has ended, to lose nothing. ' +
    'Look at the disk and its free space, and start the server again.',
  'the disk is nearly full: only reading and deleting go on':
    'Make room on the disk of the data directory. Sending goes on by itself then.',
  'there is space on the disk again': 'Everything can be written again. Nothing is to be done.',
  'the storage of files is away: uploads and downloads are refused':
    'The service that CONFAB_FILES names does not answer, and the reason is in the fields. Messages ' +
    'go on. Look at the service and the way to it; it is tried again at each request.',
  'the storage of files is there again': 'Files are served and taken again. Nothing is to be done.',
  'no file descriptor is left: new connections are answered with 503':
    'Raise the limit of open files (LimitNOFILE= of systemd) to 65536 or more, and restart.',
  'there are file descriptors again: connections are accepted':
    'The limit of open files was reached for a while. Raise it before it happens again.',
  'metrics are at the operator listener':
    'Metrics and this console are at the address. All is well.',
  'there are no metrics; CONFAB_OPERATOR sets another address or off':
    'Another program has the port, so this server has neither metrics nor a console.',
  'a mail was given up':
    'The mail server has refused it for hours, or for good. `confab doctor` tries the mail server.',
  'a mail has become a message':
    'A relay has handed over a mail, and its message is stored. Nothing is to be done.',
  'a mail was not taken':
    'The relay was told why, and tells the sender. docs/operating/mail.md says which mails are taken.',
  'a push service refuses the keys of this server':
    'Pushes are tried again for three hours, and no device is forgotten. Mostly the clock of ' +
    'this machine is wrong, or the key for Apple or Google was withdrawn; ' +
    'docs/operating/push.md has more.',
  'a push service did not take a push':
    'Another attempt would be refused as well, so this push is gone, and the others go on. ' +
    'Report it if it comes often. It is said once in half an hour for each service.',
  'a push was given up':
    'All attempts within three hours have failed, and the reason is in the fields. Look at ' +
    'the way from this machine to the push services. It is said once in half an hour.',
  'an export failed': 'An administrator asked for an archive that could not be written.',
  'a backup was made and verified': 'The backup is whole. Nothing is to be done.',
  'old backups were not removed':
    'The newest backup is there, but older ones could not be removed. Remove them by hand.',
  'this node has no copy of a realm, and looks for one again':
    'The reason is in the fields: mostly the storage of files is away. Until the node has a copy it is ' +
    'not ready. Look at the service that CONFAB_FILES names.',
  'this node has a copy of the realm now': 'The realm is served here. Nothing is to be done.',
  'a snapshot was taken':
    'A node has copied the store of a realm, so that its log can become shorter. Nothing is to be done.',
  'a snapshot was not taken: it is tried again every five minutes':
    'The reason is in the fields: mostly the storage of files is away, or its key is refused.',
  'a copy of a shard was not made or removed: it is tried again in half a minute':
    'The reason is in the fields: mostly the storage of files is away, or the disk is full. Other nodes serve the shard meanwhile.',
  'all copies of a shard are the same':
    'The nodes have compared their stores, as they do each night. Nothing is to be done.',
  'copies of a shard differ':
    'The fields name node, realm and tables. `confab cluster verify` compares them again; ' +
    'docs/cluster.md says how a node gets a new copy.',
  'some copies of a shard were not compared':
    'The fields name the nodes that have not answered. It is tried again an hour later.',
  'the copies of a shard were not compared: it is tried again later':
    'The reason is in the fields: mostly the NATS servers were not reached.',
  'a notice about the NATS servers':
    'What is noticed is in the fields: a connection that was lost or is back, or a setting that ' +
    'cannot be seen. docs/cluster.md says what the servers need.',
  'a backup failed':
    'The reason is in the fields; the server tries again at the time that is named there.',
  'another site has nothing to show':
    'A linked page gave no preview. That is usual, and is only logged at the level debug.',
  'other machines reach this server, and neither CONFAB_PUBLIC_URL nor CONFAB_DOMAIN says by what name: links in mails, and in replies to whoever asks by a name, lead to localhost':
    'Set CONFAB_PUBLIC_URL to the address that people use, and restart.',
};

/** Returns the meaning of a record; empty if nothing is known of its text. */
export const meaningOf = (text: string): string =>
  Object.hasOwn(LOG_MEANINGS, text) ? (LOG_MEANINGS[text] ?? '') : '';
