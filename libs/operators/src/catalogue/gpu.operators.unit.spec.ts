import type { OperatorHost } from '../plugin/operator-facts';
import { cluster, host, hosts, statusOfCluster, statusOfHost, unseen } from '../plugin/sample-subjects.fixture.spec';
import { AMD_GPU, NVIDIA_GPU } from './gpu.operators';
import { KMM } from './kmm.operator';

const withGpu = (role: string, vendorId: string, secureBootState = 'Disabled'): OperatorHost =>
  host(role, { gpus: [{ vendorId, deviceId: '1' }], secureBootState });

describe.each([
  ['nvidia-gpu', NVIDIA_GPU, '10de', '1002', 'NVIDIA'],
  ['amd-gpu', AMD_GPU, '1002', '10de', 'AMD'],
] as const)('%s', (_name, plugin, own, other, prefix) => {
  const busy = hosts('worker', 'worker');

  it('requires disabled secure boot on hosts with a supported GPU', () => {
    const status = (subject: OperatorHost) => statusOfHost(plugin, subject, cluster());
    expect(status(withGpu('worker', own))).toBe('success');
    expect(status(withGpu('worker', own, 'Enabled'))).toBe('failure');
    expect(status(withGpu('worker', other, 'Enabled'))).toBe('success');
    expect(status(unseen('worker'))).toBe('pending');
  });

  it.each([
    ['on a worker', [...busy, withGpu('worker', own)], {}, 'success'],
    ['of another vendor', [...busy, withGpu('worker', other)], {}, 'failure'],
    ['on the control plane of a cluster with workers', [...busy, withGpu('master', own)], {}, 'failure'],
    [
      'on the control plane with schedulable masters',
      [...busy, withGpu('master', own)],
      { hasSchedulableMasters: true },
      'success',
    ],
    ['on the control plane of a cluster without workers', [withGpu('master', own)], {}, 'success'],
    ['on an arbiter', [withGpu('arbiter', own)], {}, 'failure'],
    ['without inventory', [unseen('worker')], {}, 'pending'],
    ['without the requirement', busy, { settings: new Map([[`${prefix}_REQUIRE_GPU`, 'false']]) }, 'success'],
    [
      'of an additional vendor',
      [withGpu('worker', 'abcd')],
      { settings: new Map([[`${prefix}_SUPPORTED_GPUS`, 'abcd']]) },
      'success',
    ],
  ])('with a GPU %s has the expected result', (_case, subjects, changes, status) => {
    expect(statusOfCluster(plugin, subjects, changes)).toBe(status);
  });
});

describe('amd-gpu', () => {
  it.each(['master', 'worker'])('keeps the module of the kernel from loading on each %s', (role) => {
    const objects = AMD_GPU.manifests(cluster()).map(({ object }) => object);
    const labels = { 'machineconfiguration.openshift.io/role': role };
    const file = { path: '/etc/modprobe.d/amdgpu-blacklist.conf', contents: { source: 'data:,blacklist%20amdgpu%0A' } };
    expect(objects).toContainEqual(
      expect.objectContaining({
        kind: 'MachineConfig',
        metadata: expect.objectContaining({ labels }),
        spec: expect.objectContaining({
          config: expect.objectContaining({ storage: { files: [expect.objectContaining(file)] } }),
        }),
      }),
    );
  });

  it('states in the preflight requirements that it stores drivers in the image registry', () => {
    const known = { isSingleNode: false, release: [4, 18, 0] as const, settings: new Map() };
    expect(AMD_GPU.preview?.('worker', known).descriptions).toEqual([expect.stringContaining('image registry')]);
  });
});

describe('kmm', () => {
  it('requires disabled secure boot', () => {
    const status = (subject: OperatorHost) => statusOfHost(KMM, subject, cluster());
    expect(status(host('worker', { secureBootState: 'Enabled' }))).toBe('failure');
    expect(status(host('worker', { secureBootState: '' }))).toBe('success');
    expect(status(unseen('worker'))).toBe('pending');
  });
});
