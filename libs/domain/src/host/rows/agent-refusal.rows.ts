import type { Guard } from '@muster/decision';
import { HOST_COMMAND_TYPES } from '../commands';
import { type HostRow, type HostVariables, refuse, type RowOn } from '../guards';
import { readProgress } from '../input';
import { HOST_STAGES } from '../stages';
import { DISABLED, INSTALLING, statusesExcept } from '../state';

const ANY = statusesExcept([]);
const same: Guard<HostVariables> = { identity: ['same'] };

/** Commands that are refused when the host does not exist. The end of the retention is accepted. */
const UNKNOWN_HOST: readonly HostRow[] = HOST_COMMAND_TYPES.filter(
  (on) => on !== 'Register' && on !== 'PassDeadline',
).map((on) =>
  refuse({
    id: `unknown-host-${on.toLowerCase()}`,
    on,
    from: ['unregistered'],
    code: 'not-found',
    reason: 'No host with this id is registered. The host appears when its agent registers.',
    subject: 'host_id',
    allowed: () => [],
  }),
);

const REGISTER: readonly RowOn<'Register'>[] = [
  refuse({
    id: 'register-in-closed-cluster',
    on: 'Register',
    from: ['unregistered'],
    code: 'cluster-does-not-accept-hosts',
    reason:
      'The cluster of this image does not accept new hosts in its current status. Boot the host again when the cluster accepts hosts.',
    when: { bound: [true], accepts: [false] },
    subject: 'cluster.status',
    allowed: () => ['insufficient', 'ready', 'pending-for-input', 'adding-hosts'],
  }),
  refuse({
    id: 'register-again-with-wrong-boot-order',
    on: 'Register',
    from: ['installing-pending-user-action'],
    code: 'host-must-boot-from-disk',
    reason: 'The host must boot from its installation disk. Correct its boot order and restart it.',
    when: { ...same, rebooted: [true] },
  }),
  refuse({
    id: 'register-before-reboot',
    on: 'Register',
    from: ['installing-pending-user-action', 'added-to-existing-cluster'],
    code: 'invalid-input',
    reason: 'The host restarted during its installation. Reset the host first.',
    when: { ...same, rebooted: [false] },
  }),
  refuse({
    id: 'register-installed',
    on: 'Register',
    from: ['installed'],
    code: 'host-already-installed',
    reason: 'The host is installed. Stop its agent and boot the machine from its disk.',
    when: same,
  }),
  refuse({
    id: 'register-without-reset',
    on: 'Register',
    from: ['preparing-failed', 'cancelled', 'reclaiming', ...DISABLED],
    code: 'invalid-input',
    reason: 'The host cannot register in its current status. Wait for its cluster, or reset the host.',
    when: same,
  }),
  refuse({
    id: 'register-as-claimant',
    on: 'Register',
    from: ANY,
    code: 'identity-conflict',
    reason: 'Another live machine uses this host id. Give this machine another id, or shut the other machine down.',
    when: { identity: ['claimant'] },
    subject: 'host_id',
    allowed: () => [],
  }),
];

const NOT_ACTIVE = statusesExcept(INSTALLING, ['error']);
const PROGRESS: readonly RowOn<'ReportProgress'>[] = [
  refuse({
    id: 'progress-of-unbound-host',
    on: 'ReportProgress',
    from: ANY,
    code: 'invalid-input',
    reason: 'A host without a cluster is not being installed and has no progress. Bind the host first.',
    when: { bound: [false] },
    subject: 'cluster_id',
    allowed: () => [],
  }),
  refuse({
    id: 'progress-not-a-stage',
    on: 'ReportProgress',
    from: ANY,
    code: 'invalid-input',
    reason: 'The stage is not known. Report one of the allowed stages.',
    when: { bound: [true], progress: ['not-a-stage'] },
    subject: 'current_stage',
    allowed: () => HOST_STAGES,
  }),
  refuse({
    id: 'progress-unlisted',
    on: 'ReportProgress',
    from: [...INSTALLING, 'error'],
    code: 'not-allowed-in-state',
    reason: 'A host with this role does not have this stage.',
    when: { bound: [true], progress: ['unlisted'] },
    subject: 'current_stage',
    allowed: ({ state, command }) => readProgress(state, command).stages,
  }),
  refuse({
    id: 'progress-backward',
    on: 'ReportProgress',
    from: [...INSTALLING, 'error'],
    code: 'not-allowed-in-state',
    reason: 'The host has already passed this stage. A host cannot return to an earlier stage.',
    when: { bound: [true], progress: ['backward'] },
    subject: 'current_stage',
    allowed: ({ state, command }) => {
      const { stages } = readProgress(state, command);
      return stages.filter((_, index) => index >= stages.findIndex((stage) => stage === state.progress.stage));
    },
  }),
  refuse({
    id: 'progress-outside-installation',
    on: 'ReportProgress',
    from: NOT_ACTIVE,
    code: 'not-allowed-in-state',
    reason: 'The host is not being installed, so its stage cannot change.',
    when: { bound: [true], progress: ['unlisted', 'backward', 'failed', 'onward', 'arrival', 'done'] },
  }),
  refuse({
    id: 'progress-before-reboot-after-failure',
    on: 'ReportProgress',
    from: ['error'],
    code: 'not-allowed-in-state',
    reason: 'The host failed and was stopped. Only a machine that already runs from its disk can still complete.',
    when: { bound: [true], progress: ['onward', 'failed'] },
  }),
  refuse({
    id: 'progress-after-final-failure',
    on: 'ReportProgress',
    from: ['error'],
    code: 'not-allowed-in-state',
    reason: 'The installation of this host failed. Reset the host to try again.',
    when: { bound: [true], failure: ['final'], progress: ['arrival', 'done'] },
  }),
];

/** Rows that refuse requests of an agent in the wrong status. */
export const AGENT_REFUSAL_ROWS: readonly HostRow[] = [...UNKNOWN_HOST, ...REGISTER, ...PROGRESS];
