import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { upgradedDigestPath } from '@muster/ignition-config';
import type { Machine } from '../machine/machine.port';
import { runStep } from '../steps/run-step';
import { type RunCommand, runCommand } from './command';
import { linuxMachine } from './linux-machine';
import { recorded, step } from './recorded-commands.fixture.spec';

const { signal } = new AbortController();
const OLD = 'the program of the image';
const NEW = '#!/bin/sh\necho "muster-host: the program of an upgraded service"\n';
/** Programs that do not run on this machine, by architecture. */
const UNUSABLE: Readonly<Record<string, string>> = { ppc64le: '', s390x: 'not a program\n' };
const digestOf = (text: string): string => createHash('sha256').update(text).digest('hex');

const folder = mkdtempSync(join(tmpdir(), 'installation-steps-'));
const executablePath = join(folder, 'muster-host');
const root = mkdtempSync(join(tmpdir(), 'installation-steps-root-'));
mkdirSync(join(root, 'run'));
const server = createServer((request, response) => {
  if (request.url === '/host-binaries/aarch64') {
    response.writeHead(200, { 'content-length': 2 * NEW.length });
    return void response.write(NEW, () => response.destroy());
  }
  const unusable = UNUSABLE[request.url?.replace('/host-binaries/', '') ?? ''];
  response
    .writeHead(request.url === '/host-binaries/x86_64' || unusable !== undefined ? 200 : 404)
    .end(unusable ?? NEW);
});
let baseUrl = '';
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/host-binaries`;
});
afterAll(() => {
  server.close();
  for (const path of [folder, root]) rmSync(path, { recursive: true });
});
beforeEach(() => {
  writeFileSync(executablePath, OLD);
  rmSync(upgradedDigestPath(executablePath), { force: true });
});

/** A machine whose image contains the digest of the old program. */
const machineWith = (run: RunCommand, architecture = 'x86_64', token = 'secret'): Machine =>
  linuxMachine({
    root,
    run,
    architecture,
    executablePath,
    settings: {
      serviceUrl: 'http://192.0.2.1:8090',
      infraEnvId: 'i',
      agentVersion: 'muster-host:1',
      token,
      isInsecure: false,
      executable: { baseUrl, sha256: { x86_64: digestOf(OLD) } },
    },
  });

const ORDER = {
  role: 'worker',
  cluster_id: 'c',
  infra_env_id: 'i',
  host_id: 'h',
  boot_device: '/dev/sda',
  controller_image: 'muster-host:1',
  installer_image: 'muster-host:1',
  installer_args: '["--append-karg","a=b"]',
  proxy: { http_proxy: 'http://p:1' },
};

describe('an installer that runs', () => {
  const stopped = { exitCode: 3, stdout: 'inactive\n' };

  it.each([
    ['in its unit', { systemctl: 'active\n' }, true],
    ['in its unit until it has ended', { systemctl: { exitCode: 3, stdout: 'deactivating\n' } }, true],
    ['in its container', { systemctl: stopped, podman: 'true\n' }, true],
    ['no more', { systemctl: stopped, podman: 'false\n' }, false],
    ['not at all', { systemctl: stopped, podman: { exitCode: 125 } }, false],
    ['not, without the programs', {}, false],
  ])('%s is recognized', async (_, programs, isRunning) => {
    expect(await machineWith(recorded(programs).run).isInstalling(signal)).toBe(isRunning);
  });
});

describe('the installation', () => {
  it('runs this executable in a unit of its own', async () => {
    const { lines, run } = recorded({ 'systemd-run': '' });
    expect((await step(machineWith(run), 'install', ORDER)).exitCode).toBe(0);
    expect(lines[0]).toMatch(/^systemd-run --unit muster-installer --wait --collect /);
    expect(lines[0]).toContain(` ${executablePath} install --role worker --cluster-id c `);
    expect(lines[0]).toContain(' --installer-args ["--append-karg","a=b"] ');
    const digest = digestOf(OLD);
    expect(lines[0]).toContain(` --host-binary-url ${baseUrl}/x86_64?sha256=${digest} --host-binary-sha256 ${digest}`);
  });

  it('passes the token and the proxies to systemd in a file that only root can read', async () => {
    const read: unknown[] = [];
    const { lines, run } = recorded({ 'systemd-run': { exitCode: 1 } });
    const reading: RunCommand = (program, args, ...more) => {
      const path = /--property=EnvironmentFile=(\S+)/.exec(args.join(' '))?.[1] ?? '';
      read.push(readFileSync(path, 'utf8'), statSync(path).mode & 0o777);
      return run(program, args, ...more);
    };
    const machine = machineWith(reading, 'x86_64', 's"e$c`r\\et');
    const environment = process.env;
    process.env = { HTTP_PROXY: 'http://user:50%@p:1', http_proxy: '' };
    await step(machine, 'install', ORDER).finally(() => (process.env = environment));
    expect(read).toEqual(['PULL_SECRET_TOKEN="s\\"e\\$c\\`r\\\\et"\nHTTP_PROXY="http://user:50%@p:1"\n', 0o600]);
    expect(lines[0]).not.toMatch(/secret|s"e|user:|--setenv/);
    expect(readdirSync(join(root, 'run'))).toEqual([]);
  });

  it.each(['muster-host:1', 'quay.io/installer:1'])(
    'by %s logs no credentials of the proxy',
    async (installer_image) => {
      const failed = { exitCode: 1 };
      const { lines, run } = recorded({ 'systemd-run': failed, podman: '', 'podman run': failed });
      const proxy = { http_proxy: 'http://user:p@ss@p:1/', https_proxy: 'https://other:word@p:2' };
      const { error } = await step(machineWith(run), 'install', { ...ORDER, installer_image, proxy });
      expect(error).toContain('--http-proxy http://p:1/ --https-proxy https://p:2');
      // Without a description, systemd writes the command to the journal.
      const units = lines.filter((line) => line.startsWith('systemd-run '));
      for (const line of units) expect(line).toContain(' --description=');
    },
  );

  it('logs no credentials with an apostrophe, and none at the place where the output of the program is cut', async () => {
    const stderr = `proxy http://user:${'long'.repeat(10)}@p:1 ${'x'.repeat(960)}`;
    const { run } = recorded({ 'systemd-run': { exitCode: 1, stderr } });
    const proxy = { http_proxy: "http://user:pa'ss@p:1" };
    const { error } = await step(machineWith(run), 'install', { ...ORDER, proxy });
    expect(error).toContain('--http-proxy http://p:1 ');
    expect(error).not.toMatch(/pa'|ss@|long/);
  });

  describe('of a machine whose image has an interactive console', () => {
    const connections = join(root, 'proc/1/root/etc/NetworkManager/system-connections');
    const connection = join(connections, 'eno1.nmconnection');
    beforeEach(() => {
      for (const path of [connections, join(root, 'var/log/agent')]) mkdirSync(path, { recursive: true });
      writeFileSync(join(root, 'var/log/agent/agent-tui.log'), '');
      writeFileSync(connection, '[connection]\nid=eno1\n');
    });
    afterEach(() => {
      for (const name of ['proc', 'var']) rmSync(join(root, name), { recursive: true });
    });
    const installerArgs = async (installer_args?: string): Promise<string | undefined> => {
      const { lines, run } = recorded({ 'systemd-run': '' });
      await step(machineWith(run), 'install', { ...ORDER, installer_args });
      return / --installer-args (\S+)/.exec(lines[0] ?? '')?.[1];
    };

    it('copies the network that a user configured there', async () => {
      expect(await installerArgs()).toBe('["--copy-network"]');
      expect(await installerArgs('["--append-karg","a"]')).toBe('["--append-karg","a","--copy-network"]');
      expect(await installerArgs('["-n"]')).toBe('["-n"]');
    });

    it('copies no network that the image has, and none without such a console', async () => {
      utimesSync(connection, 1, 1);
      expect(await installerArgs()).toBeUndefined();
      writeFileSync(connection, '[connection]\n');
      rmSync(join(root, 'var/log/agent/agent-tui.log'));
      expect(await installerArgs()).toBeUndefined();
    });
  });

  it('receives its arguments unchanged, although systemd replaces variables in them', async () => {
    const { lines, run } = recorded({ 'systemd-run': '' });
    const proxy = { http_proxy: 'http://user:a$$b${HOME}c$d@p:1' };
    await step(machineWith(run), 'install', { ...ORDER, proxy });
    const words = (lines[0] ?? '').split(' ');
    // systemd replaces ${NAME} within an argument, and reads $$ as one dollar sign.
    const received = words.map((word) => word.replace(/\$\$|\$\{\w+\}/g, (found) => (found === '$$' ? '$' : '')));
    expect(received[words.indexOf('--http-proxy') + 1]).toBe(proxy.http_proxy);
  });

  it('runs the container image when one is configured', async () => {
    const { lines, run } = recorded({ podman: '', 'podman image exists': { exitCode: 1 } });
    const named = { ...ORDER, installer_image: 'quay.io/installer:1' };
    expect((await step(machineWith(run), 'install', named)).exitCode).toBe(0);
    expect(lines.slice(0, 2)).toEqual(['podman image exists quay.io/installer:1', 'podman pull quay.io/installer:1']);
    expect(lines[3]).toMatch(/^podman run --privileged --pid=host .* quay\.io\/installer:1 --role worker /);
    expect(lines[3]).not.toContain('--host-binary');
  });

  it('ends with the exit code of an image that cannot be pulled', async () => {
    const { run } = recorded({ podman: { exitCode: 125, stderr: 'no route to host' } });
    const named = { ...ORDER, installer_image: 'quay.io/installer:1' };
    const { error, exitCode } = await step(machineWith(run), 'install', named);
    expect(exitCode).toBe(2);
    expect(error).toMatch(/quay.io\/installer:1 cannot be pulled: no route to host/);
  });

  it('ends with the last lines of podman, which prints its progress before the error', async () => {
    const stderr = `${'Copying blob sha256:0\n'.repeat(1_000)}proxy http://user:pass@p:1: no route to host\n`;
    const { run } = recorded({ podman: { exitCode: 125, stderr } });
    const { error } = await step(machineWith(run), 'install', { ...ORDER, installer_image: 'quay.io/installer:1' });
    expect(error).toMatch(/proxy http:\/\/p:1: no route to host$/);
    expect(error.length).toBeLessThan(1_100);
  });

  it('is stopped, also on a machine without systemd', async () => {
    const { lines, run } = recorded({ podman: '' });
    expect((await runStep(machineWith(run), 'stop-installation', [], signal)).exitCode).toBe(0);
    expect(lines.at(-1)).toBe('podman stop -i -t 5 assisted-installer');
  });

  it('is stopped as a unit and as a container', async () => {
    const { lines, run } = recorded({ systemctl: '', podman: '' });
    expect((await runStep(machineWith(run), 'stop-installation', [], signal)).exitCode).toBe(0);
    expect(lines).toEqual(['systemctl stop muster-installer.service', 'podman stop -i -t 5 assisted-installer']);
  });
});

describe('an upgrade of the executable', () => {
  /** The downloaded program is run. */
  const run: RunCommand = (program, ...more) =>
    program === `${executablePath}.part`
      ? runCommand(program, ...more)
      : recorded({ podman: '' }).run(program, ...more);
  const upgrade = (architecture?: string, image = 'muster-host:2', machine?: Machine) =>
    step(machine ?? machineWith(run, architecture), 'upgrade-agent', { agent_image: image });

  it('replaces the program and stores its digest, so that the next start accepts it', async () => {
    expect((await upgrade()).result).toEqual({ agent_image: 'muster-host:2', result: 'success' });
    expect(readFileSync(executablePath, 'utf8')).toBe(NEW);
    expect(statSync(executablePath).mode & 0o777).toBe(0o755);
    expect(readFileSync(upgradedDigestPath(executablePath), 'utf8').trim()).toBe(digestOf(NEW));
  });

  it('keeps the program when the service has none, and states the reason', async () => {
    const { error, exitCode, result } = await upgrade('riscv64');
    expect(result).toEqual({ agent_image: 'muster-host:2', result: 'failure' });
    expect([exitCode, error]).toEqual([0, expect.stringContaining('404')]);
    expect(readFileSync(executablePath, 'utf8')).toBe(OLD);
    expect(() => statSync(upgradedDigestPath(executablePath))).toThrow(/ENOENT/);
  });

  it.each(Object.keys(UNUSABLE))('keeps the program when the new one for %s does not run', async (architecture) => {
    const { error, result } = await upgrade(architecture);
    expect(result).toMatchObject({ result: 'failure' });
    expect(error).toMatch(/^The program that the service sent does not run on this machine/);
    expect(readFileSync(executablePath, 'utf8')).toBe(OLD);
    expect(readdirSync(folder)).toEqual(['muster-host']);
  });

  it('keeps no part of a program when the download breaks', async () => {
    const { error, result } = await upgrade('aarch64');
    expect(result).toMatchObject({ result: 'failure' });
    expect(error).not.toBe('');
    expect(readdirSync(folder)).toEqual(['muster-host']);
  });

  it('fails when the service has the same program, so that the agent does not restart without end', async () => {
    await upgrade();
    expect((await upgrade()).result).toEqual({ agent_image: 'muster-host:2', result: 'failure' });
    expect(readdirSync(folder).sort()).toEqual(['muster-host', 'muster-host.sha256']);
  });

  it('succeeds again in a program that did not end after its upgrade, because the result was not received', async () => {
    const machine = machineWith(run);
    for (const _ of [1, 2])
      expect((await upgrade('x86_64', 'muster-host:2', machine)).result).toMatchObject({ result: 'success' });
    expect(readFileSync(executablePath, 'utf8')).toBe(NEW);
  });

  it('fails when the service requires a container image, which systemd would not start', async () => {
    const { error, result } = await upgrade('x86_64', 'quay.io/agent:2');
    expect(result).toMatchObject({ result: 'failure' });
    expect(error).toBe('This agent cannot be replaced by the image quay.io/agent:2.');
    expect(readFileSync(executablePath, 'utf8')).toBe(OLD);
  });

  it('determines the program that the controller downloads', async () => {
    await upgrade();
    const { lines, run } = recorded({ 'systemd-run': '' });
    expect((await step(machineWith(run), 'install', ORDER)).exitCode).toBe(0);
    const digest = digestOf(NEW);
    expect(lines[0]).toContain(`/x86_64?sha256=${digest} --host-binary-sha256 ${digest}`);
  });
});
