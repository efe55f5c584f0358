import type { HostEvent } from '@muster/contracts';
import { evolveHost } from './evolve';
import { day1, KNOWN_MACHINE, progressed, START, stateAfter } from './host.fixture.spec';

const before = stateAfter(day1('known'));
const isCounted = (event: HostEvent): boolean => evolveHost(before, event).inputsRevision > before.inputsRevision;

/** Each changes a value of the host that a validation reads. */
const INPUTS: readonly HostEvent[] = [
  { type: 'HostDeregistered', data: { at: START } },
  { type: 'HostUnbound', data: { clusterId: 'c' } },
  { type: 'HostFellSilent', data: { lastSeenAt: START } },
  { type: 'HostReturned', data: {} },
  { type: 'HostAgentReplaced', data: { discoveryAgentVersion: 'agent:2' } },
  { type: 'HostMediaDisconnected', data: {} },
  { type: 'HostMediaReconnected', data: {} },
  { type: 'HostRoleAssigned', data: { role: 'worker', machineConfigPoolName: '' } },
  { type: 'HostRoleSuggested', data: { role: 'worker' } },
  { type: 'HostBootstrapChosen', data: {} },
  { type: 'HostRenamed', data: { requestedHostname: 'node-1' } },
  { type: 'InstallationDiskChosen', data: { diskId: 'a', diskPath: '/dev/a', byUser: true } },
  { type: 'HostSettingsRevised', data: { changes: { installerArgs: '[]' } } },
  progressed('Rebooting'),
];
const OTHERS: readonly HostEvent[] = [
  { type: 'HostStatusExplained', data: { statusReason: undefined } },
  { type: 'HostIdentityClaimed', data: { machine: KNOWN_MACHINE, at: START } },
  { type: 'HostLogsReported', data: { logsState: 'requested', at: START } },
  { type: 'HostDeadlinePassed', data: { deadline: 'stage' } },
];
const named = (events: readonly HostEvent[]) => events.map((event) => [event.type, event] as const);

describe('the outcomes of a host', () => {
  it.each(named(INPUTS))('are evaluated again after %s', (_, event) => {
    expect(isCounted(event)).toBe(true);
  });

  it.each(named(OTHERS))('stay valid after %s', (_, event) => {
    expect(isCounted(event)).toBe(false);
  });
});
