import type { ProblemCode } from '@muster/problems';
import type { Row } from '@muster/decision';
import type { ClusterEffectName } from './cluster-effects';
import type { ClusterCommandType } from './cluster-commands';
import { CLUSTER_KINDS, type ClusterPhase } from './cluster-status';

/** What guards ask about; each has few values, so that a test can walk all of them. */
export const CLUSTER_VARIABLES = {
  kind: CLUSTER_KINDS,
  /** Has anything been validated yet? */
  conditions: ['known', 'unknown'],
  /** Are VIPs leased over DHCP instead of given? */
  dhcpVips: [true, false],
  /** Are networks, DNS domain and pull secret there? */
  inputs: [true, false],
  vips: [true, false],
  /** Do all rules pass that an installation needs? */
  required: [true, false],
  hostsKnown: [true, false],
  bootstrap: ['chosen', 'none'],
  preparation: ['none', 'pending', 'success', 'failed', 'undone'],
  preparingHosts: ['all-prepared', 'under-way', 'some-failed', 'some-stopped'],
  /** The single node's address; `not-needed` with more than one node. */
  nodeAddress: ['known', 'missing', 'not-needed'],
  attempt: ['current', 'other'],
  outcome: ['success', 'failure'],
  /** Of every role enough hosts are installed, or at least on their way. */
  hosts: ['enough-installed', 'enough-on-the-way', 'too-few'],
  /** Does a host wait for somebody to fix its boot order? */
  userAction: [true, false],
  completion: ['complete', 'operators-failed', 'workers-missing', 'incomplete'],
  /** In `error`: what a success after the deadline may still lead to. */
  lateness: ['none', 'may-finalize', 'may-complete'],
  hostsRefuse: [true, false],
  stage: ['new', 'same', 'unknown'],
  operator: ['new', 'same', 'unknown-operator', 'unknown-status'],
  kubeconfig: ['missing', 'present'],
  networks: ['same', 'different'],
  changes: ['none', 'any-time', 'ignored-validations', 'settings'],
  logs: ['new', 'same', 'unknown'],
  /** The deadline that is due now; `not-due`: the timer is of an earlier state. */
  deadline: [
    'not-due',
    'preparation',
    'installation',
    'finalizing',
    'finalizing-stage',
    'log-request',
    'log-collection',
    'retention',
  ],
  /** Does running out of time fail the cluster, or only warn? */
  stageTimeout: ['fails', 'warns'],
} as const;
export type ClusterVariables = typeof CLUSTER_VARIABLES;

/** A row that is accepted. */
export interface ClusterTransition extends Row<ClusterPhase, ClusterCommandType, ClusterVariables> {
  /** The status's words afterwards, with {placeholders}; absent: they stay. */
  readonly info?: string;
  /** Facts besides the change of status, in this order, before it. */
  readonly then?: readonly ClusterEffectName[];
}

/** A row that is refused: the answer to a person is a template with {placeholders}. */
export interface ClusterRefusal extends Row<ClusterPhase, ClusterCommandType, ClusterVariables> {
  readonly to: 'stay';
  readonly code: ProblemCode;
  readonly reason: string;
  readonly subject: string;
  /** Values or statuses that would have been accepted. */
  readonly allowed: readonly string[];
}
