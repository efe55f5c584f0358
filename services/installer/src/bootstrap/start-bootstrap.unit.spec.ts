import type { Installation } from '../installation';
import { HOST_ID, runRecorded } from '../recorded-host.fixture.spec';
import { SSH_MACHINE_CONFIG_PATH, watchOtherHosts } from './start-bootstrap';

describe('the name of a bootstrap host', () => {
  const renamed = async (name: string): Promise<boolean> => {
    const { commands, failure } = await runRecorded({
      flags: ['--role', 'bootstrap', '--control-plane-count', '1'],
      recording: [['hostname', `${name}\n`]],
      files: {
        '/usr/bin/oc': '',
        '/opt/openshift/.bootkube.done': '',
        '/opt/openshift/master.ign': JSON.stringify({ ignition: { version: '3.2.0' } }),
      },
    });
    expect(failure).toBeUndefined();
    return commands.includes('hostnamectl set-hostname random-hostname-id');
  };

  it.each(['localhost', 'localhost.localdomain', 'Node-1', `n${'.abc'.repeat(16)}`, 'node_1', ''])(
    'is replaced when a node cannot have it: "%s"',
    async (name) => expect(await renamed(name)).toBe(true),
  );

  it.each(['node-1', 'node-1.prod.example.com'])('is kept otherwise: "%s"', async (name) =>
    expect(await renamed(name)).toBe(false),
  );
});

it('hosts are configuring when any log of the machine-config server contains their request', async () => {
  const ending = new AbortController();
  const stages: string[] = [];
  const logs: { readonly [path: string]: string } = {
    '/var/log/containers/a_machine-config-server-1.log': 'started',
    '/var/log/containers/a_machine-config-server-2.log': 'from 192.0.2.12:4000 User-Agent:"Ignition/2.20.0"',
  };
  const inventory = JSON.stringify({ interfaces: [{ ipv4_addresses: ['192.0.2.12/24'] }] });
  const installation = {
    api: {
      cluster: async () => ({ hosts: [{ id: 'h', status: 'installing-in-progress', role: 'master', inventory }] }),
      reportHostProgress: async ({ hostId }: { hostId: string }, stage: string) =>
        void stages.push(`${hostId} ${stage}`),
    },
    host: {
      list: async () => Object.keys(logs).map((path) => path.slice(path.lastIndexOf('/') + 1)),
      readFile: async (path: string) => Buffer.from(logs[path] ?? ''),
    },
    settings: { clusterId: 'c', hostId: HOST_ID, infraEnvId: 'ie' },
    timer: { sleep: async () => ending.abort() },
  } as unknown as Installation;
  await watchOtherHosts(installation, ending.signal);
  expect(stages).toEqual(['h Configuring']);
});

describe('the key with which a bootstrap host logs in to control plane hosts', () => {
  const KEY = '/root/.ssh/id_rsa';
  const keyCommands = async (existing: Record<string, string>) => {
    const ending = new AbortController();
    const { commands, files } = await runRecorded({
      flags: ['--role', 'bootstrap', '--control-plane-count', '3'],
      files: { '/usr/bin/oc': '', ...existing },
      api: { hostIgnition: async () => (ending.abort(), Promise.reject(new Error('the end'))) },
      signal: ending.signal,
    });
    return { commands: commands.filter((line) => line.includes(KEY)), manifest: files.get(SSH_MACHINE_CONFIG_PATH) };
  };

  it('is created', async () => {
    expect((await keyCommands({})).commands).toEqual([`rm -f ${KEY}`, `ssh-keygen -q -f ${KEY} -N `]);
  });

  it('is the one of an earlier installation of this live system', async () => {
    const { commands, manifest } = await keyCommands({ [KEY]: 'private', [`${KEY}.pub`]: 'ssh-rsa AAAA' });
    expect(commands).toEqual([]);
    expect(manifest).toContain('"ssh-rsa AAAA"');
  });

  it('replaces a part of a key', async () => {
    const { commands } = await keyCommands({ [KEY]: 'private' });
    expect(commands).toEqual([`rm -f ${KEY}`, `ssh-keygen -q -f ${KEY} -N `]);
  });
});

it('the live system pulls images with the pull secret in the config of the bootstrap host', async () => {
  const path = '/root/.docker/config.json';
  const source = `data:text/plain;charset=utf-8;base64,${Buffer.from('{"auths":{}}').toString('base64')}`;
  const config = { ignition: { version: '3.2.0' }, storage: { files: [{ path, contents: { source } }] } };
  const { files } = await runRecorded({
    flags: ['--role', 'bootstrap', '--control-plane-count', '1'],
    api: { clusterFile: async () => Buffer.from(JSON.stringify(config)) },
    files: { '/usr/bin/oc': '', '/opt/openshift/.bootkube.done': '' },
  });
  expect(files.get(path)).toBe('{"auths":{}}');
});
