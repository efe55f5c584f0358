import type { RecordedMusterEvent } from '@muster/contracts';
import { RegistrationView } from './registration-view';

describe('the registration view', () => {
  it('returns the CPU architectures of the infra-envs that are bound to a cluster', () => {
    const view = new RegistrationView();
    const infraEnv = (id: string, clusterId: string, cpuArchitecture: string, position: number): void => {
      const data = { infraEnvId: id, settings: { clusterId, cpuArchitecture }, owner: {}, pullSecretSet: true };
      const metadata = { commandId: id, correlationId: id, occurredAt: '2026-01-02T03:04:05.000Z' };
      const event = { type: 'InfraEnvRegistered', streamId: `infraEnv-${id}`, position, revision: 0, data, metadata };
      view.observe(event as unknown as RecordedMusterEvent);
    };
    infraEnv('a', 'cluster', 'x86_64', 0);
    infraEnv('b', 'cluster', 'arm64', 1);
    infraEnv('c', 'other', 's390x', 2);
    expect(view.imageArchitecturesOf('cluster')).toEqual(['x86_64', 'arm64']);
  });
});
