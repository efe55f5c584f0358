import type { Guard } from '@muster/decision';
import { HOST_COMMAND_TYPES } from '../host-commands';
import { readProgress } from '../host-progress';
import type { HostRow, RowOn } from '../host-row';
import { HOST_STAGES } from '../host-stages';
import { DISABLED, INSTALLING, statusesExcept } from '../host-status-groups';
import type { HostVariables } from '../host-variables';
import { refuse } from './refuse';

const ANY = statusesExcept([]);
const same: Guard<HostVariables> = { identity: ['same'] };

/** Nothing can be done with what does not exist, but for forgetting it for good. */
const UNKNOWN_HOST: readonly HostRow[] = HOST_COMMAND_TYPES.filter(
  (on) => on !== 'Register' && on !== 'PassDeadline',
).map((on) =>
  refuse(
    `unknown-host-${on.toLowerCase()}`,
    on,
    ['unregistered'],
    'not-found',
    'No host of this id is registered here; it appears once its agent registers.',
    { subject: 'host_id', allowed: () => [] },
  ),
);

const REGISTER: readonly RowOn<'Register'>[] = [
  refuse(
    'register-in-closed-cluster',
    'Register',
    ['unregistered'],
    'cluster-does-not-accept-hosts',
    'The cluster of this image takes no new hosts in its present status; boot the host again when it does.',
    {
      when: { bound: [true], accepts: [false] },
      subject: 'cluster.status',
      allowed: () => ['insufficient', 'ready', 'pending-for-input', 'adding-hosts'],
    },
  ),
  refuse(
    'register-again-with-wrong-boot-order',
    'Register',
    ['installing-pending-user-action'],
    'host-must-boot-from-disk',
    'The host has to boot from its installation disk; fix its boot order and restart it.',
    { when: { ...same, rebooted: [true] } },
  ),
  refuse(
    'register-before-reboot',
    'Register',
    ['installing-pending-user-action', 'added-to-existing-cluster'],
    'invalid-input',
    'The host is part of an installation that did not expect it to start again; reset it first.',
    { when: { ...same, rebooted: [false] } },
  ),
  refuse(
    'register-installed',
    'Register',
    ['installed'],
    'host-already-installed',
    'The host is installed; its agent must stop and the machine boot from its disk.',
    { when: same },
  ),
  refuse(
    'register-without-reset',
    'Register',
    ['preparing-failed', 'cancelled', 'reclaiming', ...DISABLED],
    'invalid-input',
    'The host cannot register in its present status; wait for its cluster or reset it.',
    { when: same },
  ),
  refuse(
    'register-as-intruder',
    'Register',
    ANY,
    'identity-conflict',
    'Another live machine has this host id; give this one an id of its own or shut the other down.',
    { when: { identity: ['intruder'] }, subject: 'host_id', allowed: () => [] },
  ),
];

const NOT_ACTIVE = statusesExcept(INSTALLING, ['error']);
const PROGRESS: readonly RowOn<'ReportProgress'>[] = [
  refuse(
    'progress-of-pool-host',
    'ReportProgress',
    ANY,
    'invalid-input',
    'A host without a cluster is not being installed and has no progress; bind it first.',
    { when: { bound: [false] }, subject: 'cluster_id', allowed: () => [] },
  ),
  refuse(
    'progress-not-a-stage',
    'ReportProgress',
    ANY,
    'invalid-input',
    'There is no such stage; report one of the allowed ones.',
    { when: { bound: [true], move: ['not-a-stage'] }, subject: 'current_stage', allowed: () => HOST_STAGES },
  ),
  refuse(
    'progress-unlisted',
    'ReportProgress',
    [...INSTALLING, 'error'],
    'not-allowed-in-state',
    'A host of this role does not go through that stage.',
    {
      when: { bound: [true], move: ['unlisted'] },
      subject: 'current_stage',
      allowed: ({ state, command }) => readProgress(state, command).stages,
    },
  ),
  refuse(
    'progress-backward',
    'ReportProgress',
    [...INSTALLING, 'error'],
    'not-allowed-in-state',
    'The host is past that stage; stages are only left forward.',
    {
      when: { bound: [true], move: ['backward'] },
      subject: 'current_stage',
      allowed: ({ state, command }) => {
        const { stages } = readProgress(state, command);
        return stages.filter((_, index) => index >= stages.findIndex((stage) => stage === state.progress.stage));
      },
    },
  ),
  refuse(
    'progress-outside-installation',
    'ReportProgress',
    NOT_ACTIVE,
    'not-allowed-in-state',
    'The host is not being installed, so its stage cannot change.',
    { when: { bound: [true], move: ['unlisted', 'backward', 'failed', 'onward', 'arrival', 'done'] } },
  ),
  refuse(
    'progress-before-reboot-after-failure',
    'ReportProgress',
    ['error'],
    'not-allowed-in-state',
    'The host failed and was told to stop; only a machine that already runs from its disk may still succeed.',
    { when: { bound: [true], move: ['onward', 'failed'] } },
  ),
  refuse(
    'progress-after-final-failure',
    'ReportProgress',
    ['error'],
    'not-allowed-in-state',
    'The installation of this host failed for good; reset it to try again.',
    { when: { bound: [true], failure: ['final'], move: ['arrival', 'done'] } },
  ),
];

/** What machines are told when they speak out of turn. */
export const AGENT_REFUSAL_ROWS: readonly HostRow[] = [...UNKNOWN_HOST, ...REGISTER, ...PROGRESS];
