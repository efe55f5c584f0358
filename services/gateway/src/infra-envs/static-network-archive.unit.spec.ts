import { execFileSync } from 'node:child_process';
import { DocumentWorkers } from '@muster/nest-kit';
import { staticNetworkArchive as archiveOf } from './images.controller';

const documents = DocumentWorkers.create();
const staticNetworkArchive = (infraEnv: Parameters<typeof archiveOf>[0]) => archiveOf(infraEnv, documents);

describe('the archive of static networks', () => {
  const config = (mac: string): object => ({
    network_yaml: `interfaces: [{name: eth0, mac-address: "${mac}", ipv4: {enabled: true, dhcp: true}}]`,
  });

  it('has one folder per host and is readable with tar', async () => {
    const archive = await staticNetworkArchive({
      openshift_version: '4.17.3',
      static_network_config: JSON.stringify([config('02:00:00:00:00:0b'), config('02:00:00:00:00:0a')]),
    });
    expect(execFileSync('tar', ['tf', '-'], { input: archive, encoding: 'utf8' }).trim().split('\n')).toEqual([
      'etc/assisted/network/host0/eth0.nmconnection',
      'etc/assisted/network/host0/mac_interface.ini',
      'etc/assisted/network/host1/eth0.nmconnection',
      'etc/assisted/network/host1/mac_interface.ini',
    ]);
    const table = ['xOf', '-', 'etc/assisted/network/host0/mac_interface.ini'];
    expect(execFileSync('tar', table, { input: archive, encoding: 'utf8' })).toBe('02:00:00:00:00:0A=eth0\n');
  });

  it('is empty without static networks', async () => {
    expect(await staticNetworkArchive({ openshift_version: '4.18' })).toHaveLength(0);
    expect(await staticNetworkArchive({ static_network_config: '[]' })).toHaveLength(0);
  });
});
