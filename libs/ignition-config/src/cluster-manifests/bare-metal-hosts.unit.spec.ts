import { parse } from 'yaml';
import { type BareMetalHost, bareMetalHosts } from './bare-metal-hosts';

type Disk = NonNullable<NonNullable<BareMetalHost['hardware']>['disks']>[number];
type Nic = NonNullable<NonNullable<BareMetalHost['hardware']>['nics']>[number];
type Rows = readonly Record<string, unknown>[];

/** Returns the hardware in the status annotation of a host. */
function hardwareOf(hardware: { readonly disks?: readonly Disk[]; readonly nics?: readonly Nic[] }) {
  const host: BareMetalHost = {
    hostname: 'master-0',
    role: 'master',
    bootMacAddress: '52:54:00:00:00:01',
    isLegacyBoot: false,
    hardware: hardware as BareMetalHost['hardware'],
  };
  const [file] = bareMetalHosts([host]);
  const { metadata } = parse(file?.content ?? '') as { metadata: { annotations: Record<string, string> } };
  const status = JSON.parse(metadata.annotations['baremetalhost.metal3.io/status'] ?? '') as {
    hardware: { nics: Rows; storage: Rows };
  };
  return status.hardware;
}

/** Returns the disks of a host that has one disk of each type. */
function storageOf(driveTypes: readonly string[]): Rows {
  return hardwareOf({ disks: driveTypes.map((driveType, index) => ({ name: `sd${index}`, driveType }) as Disk) })
    .storage;
}

describe('the status of a BareMetalHost', () => {
  it('contains the type of a hard disk and of a solid-state drive', () => {
    expect(storageOf(['HDD', 'SSD'])).toMatchObject([
      { name: '/dev/sd0', type: 'HDD', rotational: true },
      { name: '/dev/sd1', type: 'SSD', rotational: false },
    ]);
  });

  it.each(['ODD', 'FC', 'iSCSI', 'Multipath', 'RAID', 'LVM', 'Virtual', 'Unknown', ''])(
    'has a disk of type "%s" without a type, because the resource allows HDD, SSD and NVME only',
    (driveType) => {
      const [disk] = storageOf([driveType]);
      expect(disk).toMatchObject({ name: '/dev/sd0', rotational: false });
      expect(disk).not.toHaveProperty('type');
    },
  );

  it('has the loopback interface without a MAC address, because the resource does not allow an empty one', () => {
    const nics = ['52:54:00:00:00:01', ''].map(
      (macAddress, index) => ({ name: ['eth0', 'lo'][index], macAddress }) as Nic,
    );
    const [card, loopback] = hardwareOf({ nics }).nics;
    expect(card).toMatchObject({ name: 'eth0', mac: '52:54:00:00:00:01' });
    expect(loopback).toMatchObject({ name: 'lo' });
    expect(loopback).not.toHaveProperty('mac');
  });
});
