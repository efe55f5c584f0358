import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import timers from 'node:timers/promises';
import { parseStepArgs } from '../steps/step-args';
import { recorded } from './recorded-commands.fixture.spec';
import { isInstallerRunning, runInstaller } from './run-installer';

const ORDER = parseStepArgs.install([
  JSON.stringify({
    role: 'worker',
    cluster_id: 'c',
    infra_env_id: 'i',
    host_id: 'h',
    boot_device: '/dev/sda',
    controller_image: 'quay.io/controller:1',
    installer_image: 'quay.io/installer:1',
  }),
]);

const SETTINGS = { serviceUrl: 'http://a', infraEnvId: 'i', agentVersion: 'v', token: '', isInsecure: false };

/** Runs the installer of a machine, and returns the command lines. */
const install = async (): Promise<readonly string[]> => {
  const { lines, run } = recorded({ podman: '' });
  const options = { settings: SETTINGS, run, root: '/none', architecture: 'x86_64', executablePath: undefined };
  await runInstaller(ORDER, options, new AbortController().signal);
  return lines;
};

it('the container of the installer does not receive the signal that ends the agent', async () => {
  const lines = await install();
  expect(lines.at(-1)).toMatch(/^podman run .* --sig-proxy=false .* quay\.io\/installer:1 --role worker /);
});

it('the container of an earlier installation does not keep the installer from starting', async () => {
  const lines = await install();
  // Podman refuses to remove a container that runs.
  expect(lines.at(-2)).toBe('podman rm -i assisted-installer');
  expect(lines.at(-1)).toMatch(/^podman run .* --name=assisted-installer /);
});

it.each([
  ['of version 2 of control groups', 'system.slice', true],
  ['of version 1 of control groups', 'systemd/system.slice', true],
  ['of another slice', 'user.slice', false],
])(
  'an installer runs while its unit has a folder %s, also when systemd does not answer',
  async (_, slice, isRunning) => {
    const silent = { exitCode: 124, stdout: '' };
    const { run } = recorded({ systemctl: silent, podman: silent });
    const files = { exists: (path: string) => path === `/sys/fs/cgroup/${slice}/muster-installer.service` };
    expect(await isInstallerRunning(files, run, new AbortController().signal)).toBe(isRunning);
  },
);

describe('an installer whose systemd-run fails', () => {
  const late = { exitCode: 1, stderr: 'Failed to query unit state: Connection timed out' };

  /** Runs the installer, whose unit exists for `waits` waits. Returns the number of waits. */
  const installFor = async (waits: number): Promise<number> => {
    const root = mkdtempSync(join(tmpdir(), 'run-installer-'));
    const unit = join(root, 'sys/fs/cgroup/system.slice/muster-installer.service');
    mkdirSync(join(root, 'run'));
    if (waits > 0) mkdirSync(unit, { recursive: true });
    let waited = 0;
    const wait = jest.spyOn(timers, 'setTimeout').mockImplementation(async () => {
      if (++waited === waits) rmSync(unit, { recursive: true });
    });
    const order = { ...ORDER, installerImage: 'muster-host:1' };
    const { run } = recorded({ 'systemd-run': late });
    const options = { settings: SETTINGS, run, root, architecture: 'x86_64', executablePath: '/x' };
    try {
      await runInstaller(order, options, new AbortController().signal);
      return waited;
    } finally {
      wait.mockRestore();
      rmSync(root, { recursive: true });
    }
  };

  it('has not failed while its unit exists, because a busy systemd does not answer in time', async () => {
    expect(await installFor(2)).toBe(2);
  });

  it('has failed without its unit', async () => {
    await expect(installFor(0)).rejects.toThrow(late.stderr);
  });
});
