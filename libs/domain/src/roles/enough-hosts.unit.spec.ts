import { installationBlockingStatus, type SummarizedHost, summarizeHosts } from './host-summary';

const hosts = (role: SummarizedHost['role'], ...statuses: readonly string[]): SummarizedHost[] =>
  statuses.map((status) => ({
    status,
    role,
    suggestedRole: '',
    isBootstrap: false,
    hasFencingCredentials: false,
    hasReachedDone: false,
  }));

describe('the hosts of an installation', () => {
  const statusOf = (controlPlaneCount: number, ...all: readonly (readonly SummarizedHost[])[]) =>
    installationBlockingStatus(summarizeHosts(all.flat()), controlPlaneCount);

  it.each([
    [['installed', 'installed'], 'enough-installed'],
    [['error', 'installed'], 'enough-installed'],
    [['error', 'installing'], 'enough-on-the-way'],
    [['error', 'error'], 'too-few'],
  ])('need one arbiter of two: %j', (arbiters, expected) => {
    const masters = hosts('master', 'installed', 'installed');
    expect(statusOf(2, masters, hosts('arbiter', ...arbiters))).toBe(expected);
  });

  it('are enough for a single node without workers only', () => {
    const master = hosts('master', 'installed');
    expect(statusOf(1, master)).toBe('enough-installed');
    expect(statusOf(1, master, hosts('worker', 'installed'))).toBe('too-few');
  });
});
