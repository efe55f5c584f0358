import { createRamdisk, type RamdiskFile, readInitramfs } from '@muster/boot-image';
import type { InfraEnvSettings, Plain } from '@muster/contracts';
import { planRamdiskNetworks } from '@muster/ignition-config';
import { DocumentWorkers, type MusterEventStore } from '@muster/nest-kit';
import type { Secrets } from '@muster/ports';
import { networkFiles as filesOf, NetworkRamdisks, RamdiskMemo, REMEMBERED_RAMDISKS_MAX } from './network-ramdisks';

const networkFiles = (settings: Plain<InfraEnvSettings>) => filesOf(settings, undefined);
const filesOfNetworks = (network_yaml: string, openshiftVersion = '') =>
  filesOf({}, planRamdiskNetworks({ openshiftVersion, staticNetworkConfig: JSON.stringify([{ network_yaml }]) }));

describe('the files of a network ramdisk', () => {
  it('are empty without a proxy', () => {
    expect(networkFiles({})).toEqual([]);
    expect(networkFiles({ proxy: { noProxy: 'example.com' } })).toEqual([]);
  });

  it('configure the network of each host before the first download', () => {
    const network_yaml = 'interfaces: [{name: eth0, mac-address: "02:00:00:80:12:14"}]';
    const files = filesOfNetworks(network_yaml, '4.17');
    expect(files.map(({ path, mode }) => [path, mode.toString(8)])).toEqual([
      ['/etc/assisted/network/host0/eth0.nmconnection', '600'],
      ['/etc/assisted/network/host0/mac_interface.ini', '600'],
      ['/usr/local/bin/pre-network-manager-config.sh', '755'],
      ['/usr/local/bin/common_network_script.sh', '755'],
      ['/etc/systemd/system/pre-network-manager-config.service', '644'],
      ['/etc/systemd/system/initrd.target.wants/pre-network-manager-config.service', '120777'],
    ]);
    expect(files[4]?.content).toContain('Environment=KEYFILE_FOLDER=/etc/coreos-firstboot-network');
  });

  it.each(['4.17.0', '4.19.2'])('are keyfiles in release %s', (openshiftVersion) => {
    const network_yaml = 'interfaces: [{name: eth0, mac-address: "02:00:00:80:12:14"}]';
    const [first] = filesOfNetworks(network_yaml, openshiftVersion);
    expect(first?.path).toBe('/etc/assisted/network/host0/eth0.nmconnection');
  });

  it('report what keyfiles cannot express', () => {
    const network_yaml = 'interfaces: [{name: eth0, mac-address: "02:00:00:80:12:14"}, {name: br0, type: ovs-bridge}]';
    const planned = planRamdiskNetworks({
      openshiftVersion: '4.19.2',
      staticNetworkConfig: JSON.stringify([{ network_yaml }]),
    });
    expect(planned?.networks.problems[0]?.problem).toMatch(
      /type 'ovs-bridge' cannot be written as a NetworkManager keyfile/,
    );
  });

  it('are applied before CoreOS copies the profiles for the first boot', () => {
    const network_yaml = 'interfaces: [{name: eth0, mac-address: "02:00:00:80:12:14"}]';
    const files = filesOfNetworks(network_yaml);
    const unit = String(files.find(({ path }) => path.endsWith('system/pre-network-manager-config.service'))?.content);
    expect(unit).toContain('Wants=systemd-udev-settle.service\nAfter=systemd-udev-settle.service\n');
    expect(unit).toMatch(/^Before=coreos-copy-firstboot-network\.service .*coreos-livepxe-rootfs\.service$/m);
    const script = String(files.find(({ path }) => path.endsWith('pre-network-manager-config.sh'))?.content);
    expect(script.split('\n')[0]).toBe('#!/bin/bash');
  });

  it('configure the proxy for the download of the root file system', () => {
    const [file, ...others] = networkFiles({
      proxy: { httpProxy: 'http://u:p%40ss@proxy.example.com', noProxy: '.lan' },
    });
    expect(others).toEqual([]);
    expect(file).toMatchObject({
      path: '/etc/systemd/system/coreos-livepxe-rootfs.service.d/10-proxy.conf',
      mode: 0o664,
    });
    expect(file?.content).toContain('[Service]\nEnvironment="HTTP_PROXY=http://u:p%%40ss@proxy.example.com"\n');
    expect(file?.content).toContain('Environment="no_proxy=.lan"\n');
  });

  it('contain no lines injected through settings', () => {
    const [file] = networkFiles({ proxy: { httpProxy: 'http://x"\nExecStart=/bin/evil' } });
    expect(String(file?.content).split('\n')).toHaveLength(4);
  });
});

const file = (content: string): RamdiskFile => ({ path: '/etc/motd', mode: 0o644, content });

function countedMemo() {
  const packed: string[] = [];
  const memo = new RamdiskMemo(async (files) => {
    packed.push(JSON.stringify(files));
    return createRamdisk(files);
  });
  return { memo, packed };
}

describe('cached ramdisks', () => {
  it('are built once for the same files, and equal newly built ones', async () => {
    const { memo, packed } = countedMemo();
    const [first, same] = await Promise.all([memo.archiveOf([file('one')]), memo.archiveOf([file('one')])]);
    expect(same).toBe(first);
    expect(await memo.archiveOf([file('one')])).toBe(first);
    expect(packed).toHaveLength(1);
    expect(first).toEqual(createRamdisk([file('one')]));
  });

  it.each([
    ['content', { ...file('one'), content: 'two' }],
    ['path', { ...file('one'), path: '/etc/issue' }],
    ['mode', { ...file('one'), mode: 0o600 }],
  ])('change when the %s of a file changes', async (_, other) => {
    const { memo } = countedMemo();
    expect(await memo.archiveOf([other])).not.toEqual(await memo.archiveOf([file('one')]));
  });

  it('are empty without files', async () => {
    const { memo, packed } = countedMemo();
    expect(await memo.archiveOf([])).toHaveLength(0);
    expect(packed).toHaveLength(0);
  });

  it('are built again after a failure', async () => {
    let attempts = 0;
    const memo = new RamdiskMemo(async (files) => {
      attempts += 1;
      if (attempts === 1) throw new Error('no memory');
      return createRamdisk(files);
    });
    await expect(memo.archiveOf([file('one')])).rejects.toThrow('no memory');
    expect(await memo.archiveOf([file('one')])).toEqual(createRamdisk([file('one')]));
  });

  it('are built outside of the main thread, because those of many hosts would delay all requests', async () => {
    const infraEnvId = 'e1e1e1e1-0000-4000-8000-000000000002';
    const tasks: string[] = [];
    const documents = DocumentWorkers.create();
    const runAlone = documents.runAlone.bind(documents);
    jest.spyOn(documents, 'runAlone').mockImplementation((task, characters, ...args) => {
      tasks.push(task.name);
      return runAlone(task, characters, ...args);
    });
    const data = { infraEnvId, settings: { proxy: { httpProxy: 'http://proxy.lan:3128' } }, pullSecretSet: true };
    const eventStore = {
      async *readStream() {
        yield [{ type: 'InfraEnvRegistered', data, revision: 0, streamId: `infraEnv-${infraEnvId}` }];
      },
    } as unknown as MusterEventStore;
    const ramdisk = await new NetworkRamdisks(eventStore, {} as Secrets, documents).render(infraEnvId);
    expect(readInitramfs(ramdisk).at(-1)?.name).toMatch(/10-proxy\.conf$/);
    expect(tasks).toEqual(['createRamdisk']);
  });

  it('are evicted when they are the least recently used', async () => {
    const { memo, packed } = countedMemo();
    for (let index = 0; index < REMEMBERED_RAMDISKS_MAX; index += 1) await memo.archiveOf([file(`${index}`)]);
    await memo.archiveOf([file('0')]);
    await memo.archiveOf([file('one more')]);
    await memo.archiveOf([file('0')]);
    expect(packed).toHaveLength(REMEMBERED_RAMDISKS_MAX + 1);
    await memo.archiveOf([file('1')]);
    expect(packed).toHaveLength(REMEMBERED_RAMDISKS_MAX + 2);
  });
});
