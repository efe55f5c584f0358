import type { GuardValues, Variables } from '@muster/decision';

/** What guards of the host's rows may ask, each with every answer there is. `host-guardValues.ts` says how it is found out. */
export const HOST_VARIABLES = {
  // ---- the host as it is ----
  bound: [true, false],
  day2: [true, false],
  /** Media of the discovery image. */
  media: ['present', 'lost'],
  /** Why the host is in error: `late` success is possible, it may return with its `cluster`, or it is `final`. */
  failure: ['late', 'cluster', 'final'],
  /** The last stage was `Done`. */
  arrived: [true, false],

  // ---- the world around it (Refresh) ----
  reach: ['connected', 'no-media', 'silent'],
  /** Day-2 hosts do not fall with their cluster: for them `failed` reads `other`. */
  cluster: ['preparing', 'installing', 'finalizing', 'waiting', 'failed', 'done', 'other'],
  /** The cluster prepares and the host has a role in it. */
  selected: [true, false],
  fitness: ['no-inventory', 'truncated', 'weak', 'no-disk-uuid', 'input-missing', 'insufficient', 'sufficient'],
  /** Disk and image checks; `renewed`: the voided image check was cleared. */
  preparation: ['running', 'done', 'images-failed', 'disk-failed', 'renewed'],
  /** Sign of life against what was told about its absence. */
  contact: ['kept', 'lost', 'noted', 'regained'],
  timeouts: ['hard', 'soft'],
  stage: ['writing', 'waiting', 'rebooting', 'other'],
  /** The stage's clock stands still while another host waits for a person. */
  clock: ['running', 'paused', 'pause-due', 'resume-due'],
  stageDeadline: ['pending', 'passed', 'noted'],
  /** The deadline of the status, whichever it has. */
  statusDeadline: ['pending', 'passed'],
  /** Enough other hosts are installed. */
  quorum: [true, false],
  /** PassDeadline: the timer is not stale. */
  due: [true, false],

  // ---- what a command says ----
  /** Register: the cluster takes new hosts. */
  accepts: [true, false],
  /** Register: it had rebooted into its disk. */
  rebooted: [true, false],
  /** Register: another live machine has this id; `intruder`: and that is known already. */
  identity: ['same', 'other', 'intruder'],
  /** ClaimIdentity. */
  claim: ['repeat', 'news', 'intrusion', 'standoff', 'resolution'],
  /** ReportProgress, against the role's list of stages; `arrival` is `onward` from the reboot on. */
  move: ['repeat', 'words', 'not-a-stage', 'unlisted', 'backward', 'failed', 'onward', 'arrival', 'done'],
  byPerson: [true, false],
  roleKnown: [true, false],
  /** SuggestRole: the role is left to the service. */
  autoAssign: [true, false],
  /** RequireReset: of the whole cluster, or of a day-2 host. */
  resettable: [true, false],
  /** ReviseSettings: only forgets the ignition token. */
  forgetsToken: [true, false],
} as const satisfies Variables;

export type HostVariables = typeof HOST_VARIABLES;
export type HostGuardValues = GuardValues<HostVariables>;
