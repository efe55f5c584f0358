import { hostKey, inventoryReported, SAMPLE_CLUSTER_SETTINGS } from '@muster/testing';
import { SERVICE_DEFAULTS } from '@muster/validation-rules';
import { type DryRunOutcome, evaluateDryRun } from './dry-run';

const HOST_ID = hostKey(1).slice(37);
const SINGLE_NODE = {
  ...SAMPLE_CLUSTER_SETTINGS,
  controlPlaneCount: 1,
  platformType: 'none',
  userManagedNetworking: true,
  apiVips: undefined,
  ingressVips: undefined,
};

function dryRunOf(cpuCount: number, role = 'auto-assign', installationDiskId = ''): DryRunOutcome {
  const { type, data } = inventoryReported(hostKey(1), { cpuCount }).event;
  return evaluateDryRun(SERVICE_DEFAULTS, '2024-01-01T00:00:00.000Z', {
    settings: SINGLE_NODE,
    pullSecretSet: true,
    hosts: [{ hostId: HOST_ID, role, requestedHostname: '', installationDiskId, reports: [{ type, data }] }],
  });
}

/** Returns the role of the host, and the ids of the failing rules about roles and hardware. */
function summaryOf({ hosts, outcomes }: DryRunOutcome): object {
  const failing = [...outcomes, ...(hosts[0]?.outcomes ?? [])].filter(({ status }) => status === 'failure');
  const ids = failing.map(({ id }) => id).filter((id) => /^has-|masters/.test(id));
  return { role: hosts[0]?.role, failing: ids };
}

describe('a dry run of a single node', () => {
  it('evaluates its host as the control plane host that it becomes at its registration', () => {
    expect(summaryOf(dryRunOf(4))).toEqual({ role: 'master', failing: ['has-cpu-cores-for-role'] });
    expect(summaryOf(dryRunOf(8))).toEqual({ role: 'master', failing: [] });
  });

  it('evaluates its host with the role that the request names', () => {
    expect(summaryOf(dryRunOf(8, 'worker'))).toEqual({ role: 'worker', failing: ['sufficient-masters-count'] });
  });

  it('evaluates its host with the disk that the request names, and refuses one that is not eligible', () => {
    expect(dryRunOf(8, 'master', '/dev/sda').hosts[0]?.installationDiskId).toBe('/dev/sda');
    const refusal = {
      code: 'not-allowed-in-state',
      reason: expect.stringContaining('Disk /dev/sdz of the host is not eligible as installation disk.') as string,
      subject: 'installation_disk_id',
      allowed: ['/dev/sda'],
    };
    expect(() => dryRunOf(8, 'master', '/dev/sdz')).toThrow(expect.objectContaining({ refusal }) as Error);
  });
});
