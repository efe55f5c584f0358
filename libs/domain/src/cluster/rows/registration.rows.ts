import { registered, settingsRevised } from '../effects';
import { openedApiName } from '../defaults';
import type { ClusterRow } from '../guards';
import { clusterReason } from '../messages';
import { CLUSTER_STATUSES, exceptStatuses, OPEN_STATUSES, UPDATABLE_STATUSES } from '../status';

/** How a cluster comes, is described, and goes. */
export const REGISTRATION_ROWS: readonly ClusterRow[] = [
  {
    id: 'register-cluster',
    from: ['unregistered'],
    on: 'Register',
    when: { kind: ['Cluster'] },
    to: 'insufficient',
    emit: registered('insufficient', clusterReason('not-ready')),
    why: 'A new cluster lacks hosts at least; the first validation says what else.',
  },
  {
    id: 'register-day-2-cluster',
    from: ['unregistered'],
    on: 'Register',
    when: { kind: ['AddHostsCluster'] },
    to: 'adding-hosts',
    emit: registered('adding-hosts', clusterReason('adding-hosts')),
    why: 'The cluster runs somewhere; nothing but more hosts can be installed here.',
  },
  {
    id: 'register-disconnected-cluster',
    from: ['unregistered'],
    on: 'Register',
    when: { kind: ['DisconnectedCluster'] },
    to: 'unmonitored',
    emit: registered('unmonitored', clusterReason('unmonitored')),
    why: 'Only its image is made here; what its hosts do is never seen.',
  },
  {
    id: 'revise-nothing',
    from: CLUSTER_STATUSES,
    on: 'Revise',
    when: { changes: ['none'] },
    to: 'stay',
    why: 'Saying again what is so already is welcome at any time.',
  },
  {
    id: 'revise-any-time',
    from: CLUSTER_STATUSES,
    on: 'Revise',
    when: { changes: ['any-time'] },
    to: 'stay',
    emit: settingsRevised,
    why: 'Settings of the console and install-config overrides take effect at the next preparation, so no status forbids them.',
  },
  {
    id: 'revise-settings',
    from: UPDATABLE_STATUSES,
    on: 'Revise',
    when: { changes: ['settings', 'ignored-validations'] },
    to: 'stay',
    emit: settingsRevised,
    why: 'Until an installation starts, its description is open; the validation that follows moves the status.',
  },
  {
    id: 'derive-machine-networks',
    from: OPEN_STATUSES,
    on: 'DeriveMachineNetworks',
    when: { networks: ['different'] },
    to: 'stay',
    emit: ({ command: { cidrs } }) => [{ type: 'MachineNetworksDerived', data: { cidrs: [...cidrs] } }],
    why: 'VIPs and addresses of hosts say in which networks the machines are.',
  },
  {
    id: 'derive-same-machine-networks',
    from: OPEN_STATUSES,
    on: 'DeriveMachineNetworks',
    when: { networks: ['same'] },
    to: 'stay',
    why: 'They are known already.',
  },
  {
    id: 'allow-add-hosts',
    from: ['installed'],
    on: 'AllowAddHosts',
    when: { kind: ['Cluster'] },
    to: 'adding-hosts',
    status: () => clusterReason('adding-hosts'),
    emit: ({ state }) => [{ type: 'ClusterOpenedForHosts', data: { apiVipDnsName: openedApiName(state.settings) } }],
    why: 'An installed cluster becomes its own day-2 cluster, in place; its settings stay.',
  },
  {
    id: 'deregister',
    from: exceptStatuses('installing'),
    on: 'Deregister',
    to: 'deregistered',
    emit: ({ command: { at } }) => [{ type: 'ClusterDeregistered', data: { at } }],
    why: 'Anything can be given up, except while hosts write their disks.',
  },
];
