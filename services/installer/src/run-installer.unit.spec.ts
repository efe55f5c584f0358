import { CLUSTER_ID, HOST_ID, runRecorded } from './recorded-host.fixture.spec';

const IGN = `/opt/install-dir/master-${HOST_ID}.ign`;
const LSBLK = 'lsblk --json --bytes --output NAME,KNAME,TYPE,SIZE /dev/sda';
const CLEAN = [
  LSBLK,
  'vgs --noheadings -o vg_name,pv_name',
  'pvs --noheadings -o pv_name',
  'dmsetup ls',
  'mdadm -v --query --detail --scan',
  'wipefs --all --force /dev/sda',
];
const LOGS = `podman run --rm --privileged --net=host --pid=host -v /etc/pki:/etc/pki -v /run/systemd/journal/socket:/run/systemd/journal/socket -v /var/log:/var/log --env PULL_SECRET_TOKEN --name logs-sender quay.io/agent:1 logs_sender -cluster-id ${CLUSTER_ID} -url http://192.0.2.1:8090 -host-id ${HOST_ID} -infra-env-id ie -insecure=false -bootstrap=false`;
const REBOOT = [
  'systemctl list-units --no-legend ironic-agent.service',
  'shutdown -r +1 Installation completed, server is going to reboot.',
];

describe('the installation of a control plane host', () => {
  it('runs these commands in this order', async () => {
    const { commands, failure, stages } = await runRecorded({});
    expect(failure).toBeUndefined();
    expect(commands).toEqual([
      'readlink -f /dev/disk/by-id/wwn-1',
      ...CLEAN,
      `coreos-installer install --insecure -i ${IGN} /dev/sda`,
      LOGS,
      ...REBOOT,
    ]);
    expect(stages).toEqual([
      'Starting installation: master',
      'Installing: master',
      'Writing image to disk',
      'Rebooting',
    ]);
  });

  it('passes the arguments for coreos-installer and reports its progress in steps of five percent', async () => {
    const output = [3, 4, 5, 7, 11, 99, 100].map((percent) => `Read disk 1.0 MiB/2.0 MiB (${percent}%)`).join('\r');
    const { commands, stages } = await runRecorded({
      flags: ['--installer-args', '["--append-karg","ip=eno1:dhcp"]'],
      recording: [['coreos-installer', { stderr: output }]],
    });
    expect(commands).toContain(`coreos-installer install --insecure -i ${IGN} --append-karg ip=eno1:dhcp /dev/sda`);
    expect(stages.filter((stage) => stage.includes('%'))).toEqual(
      ['5%', '11%', '99%', '100%'].map((percent) => `Writing image to disk: ${percent}`),
    );
  });

  it('writes the disk up to three times, then fails with the output of the program', async () => {
    const stderr = 'Error: checking for exclusive access to /dev/sda';
    const { commands, failure, stages } = await runRecorded({
      recording: [['coreos-installer', { exitCode: 1, stderr }]],
    });
    expect(commands.filter((command) => command.startsWith('coreos-installer'))).toHaveLength(3);
    expect(failure).toMatch(/phase "write the disk".*ended with exit code 1: Error: checking for exclusive access/);
    expect(stages.at(-1)).toMatch(
      /^Failed: Another program uses the disk.*"coreos-installer install.*exclusive access to \/dev\/sda/,
    );
  });

  it('fails with the name of a missing disk', async () => {
    const { failure } = await runRecorded({ recording: [['readlink', '/dev/disk/by-id/wwn-1\n']] });
    expect(failure).toMatch(/The boot device \/dev\/disk\/by-id\/wwn-1 does not exist on this host/);
  });

  it('keeps the partitions when the arguments require it', async () => {
    const { commands } = await runRecorded({ flags: ['--skip-installation-disk-cleanup'] });
    expect(commands).not.toContain('wipefs --all --force /dev/sda');
  });

  it('formats other bootable disks first', async () => {
    const { commands } = await runRecorded({ flags: ['--format-disk', '/dev/sdb', '--format-disk', '/dev/sdc'] });
    expect(commands.slice(0, 2)).toEqual([
      'dd if=/dev/zero of=/dev/sdb bs=512 count=1 conv=nocreat',
      'dd if=/dev/zero of=/dev/sdc bs=512 count=1 conv=nocreat',
    ]);
  });

  it('makes the firmware boot from the disk and removes entries of the same name', async () => {
    const warnings = ['0004', '001A'].map((n) => `efibootmgr: ** Warning ** : Boot${n} has same label Red Hat\n`);
    const lsblk = { blockdevices: [{ name: 'sda', type: 'disk', children: [{ name: 'sda1' }, { name: 'sda2' }] }] };
    const { commands, limited } = await runRecorded({
      files: { '/sys/firmware/efi': '', '/mnt/EFI/redhat': '' },
      recording: [
        ['lsblk', JSON.stringify(lsblk)],
        ['uname', 'x86_64\n'],
        ['efibootmgr -v', { stdout: 'BootCurrent: 0001\n', stderr: warnings.join('') }],
      ],
    });
    const from = commands.lastIndexOf(LSBLK);
    expect(commands.slice(from, from + 7)).toEqual([
      LSBLK,
      'mount /dev/sda2 /mnt',
      'umount /mnt',
      'uname -m',
      'efibootmgr -v -d /dev/sda -p 2 -c -L Red Hat Enterprise Linux -l \\EFI\\redhat\\shimx64.efi',
      'efibootmgr -b 0004 -B',
      'efibootmgr -b 001A -B',
    ]);
    // The installation continues when the firmware or the disk does not answer.
    const unlimited = commands.slice(from, from + 7).filter((command) => !limited.has(command));
    expect(unlimited).toEqual(['uname -m']);
  });

  it.each(['redhat', 'centos', 'fedora'])('makes the firmware boot the system of %s from the disk', async (vendor) => {
    const { commands } = await runRecorded({
      files: { '/sys/firmware/efi': '', [`/mnt/EFI/${vendor}`]: '' },
      recording: [['uname', 'aarch64\n']],
    });
    const entry = `efibootmgr -v -d /dev/sda -p 2 -c -L Red Hat Enterprise Linux -l \\EFI\\${vendor}\\shimaa64.efi`;
    expect(commands).toContain(entry);
  });

  it('makes the firmware boot from the disk also when its partition cannot be unmounted', async () => {
    const { commands, notes } = await runRecorded({
      files: { '/sys/firmware/efi': '', '/mnt/EFI/redhat': '' },
      recording: [['umount /mnt', { exitCode: 32, stderr: 'umount: /mnt: target is busy.' }]],
    });
    expect(commands.some((command) => command.startsWith('efibootmgr -v'))).toBe(true);
    expect(notes.join()).toContain('target is busy');
  });

  it('uses bootlist on POWER', async () => {
    const { limited } = await runRecorded({ files: { '/usr/sbin/bootlist': '' } });
    expect([...limited]).toContain('bootlist -m normal -o /dev/sda');
  });

  it('does not reboot when Ironic controls the host', async () => {
    const { commands, stages } = await runRecorded({
      recording: [['systemctl list-units', 'ironic-agent.service loaded active running\n']],
    });
    expect(commands.at(-1)).toBe('systemctl stop agent.service');
    expect(stages.at(-1)).toBe('Rebooting: Ironic will reboot the node shortly');
  });

  it('copies the registry of an image for disconnected installation', async () => {
    const { commands, stages } = await runRecorded({
      files: { '/run/media/iso/registry': '' },
      recording: [
        ['du', '1000\t/mnt/agentdata\n'],
        ['rsync', { stdout: '500 50% 1MB/s\r1000 100% 1MB/s\n' }],
      ],
    });
    expect(commands).toContain(
      'rsync -ah --info=progress2 /mnt/agentdata/ /mnt/root/ostree/deploy/rhcos/var/lib/iri-registry/',
    );
    expect(stages.filter((stage) => stage.startsWith('Copying'))).toEqual([
      'Copying registry data to disk',
      'Copying registry data to disk: 50%',
      'Copying registry data to disk: 100%',
    ]);
  });

  it('installs on the root file system from which the host runs', async () => {
    const { commands } = await runRecorded({
      flags: ['--coreos-image', 'quay.io/coreos:1', '--installer-args', '["--append-karg","a=b","--copy-network"]'],
      files: { '/ostree/repo/refs/heads/coreos/node-image': '' },
    });
    expect(commands.slice(0, -3)).toEqual([
      'mount /sysroot -o remount,rw',
      'mount /boot -o remount,rw',
      'ostree refs --delete coreos/node-image',
      'touch /ostree/repo/tmp/node-image',
      'ostree admin stateroot-init install',
      'ostree container image deploy --stateroot install --sysroot / --authfile /root/.docker/config.json --karg $ignition_firstboot --karg ignition.platform.id=metal --image quay.io/coreos:1',
      'ostree admin finalize-staged',
      'rpm-ostree kargs --os install --append a=b',
      'ostree admin finalize-staged',
      'rsync -av --delete /etc/NetworkManager/system-connections/ /boot/coreos-firstboot-network/',
      'mkdir -p /boot/ignition',
      `cp ${IGN} /boot/ignition/config.ign`,
      'touch /boot/ignition.firstboot',
    ]);
  });

  it('sends the logs with its own executable when there is one', async () => {
    const { commands } = await runRecorded({ flags: ['--host-binary-path', '/usr/local/bin/muster-host'] });
    expect(commands.at(-3)).toBe(
      `/usr/local/bin/muster-host step logs-gather {"cluster_id":"${CLUSTER_ID}","host_id":"${HOST_ID}","infra_env_id":"ie","bootstrap":false}`,
    );
  });
});

it('sends the logs without the proxy of the cluster, which may not reach the service', async () => {
  const flags = ['--http-proxy', 'http://proxy.example.com:3128', '--https-proxy', 'http://proxy.example.com:3128'];
  const { environments } = await runRecorded({ flags });
  expect(environments.get(`coreos-installer install --insecure -i ${IGN} /dev/sda`)).toHaveProperty('HTTP_PROXY');
  expect(Object.keys(environments.get(LOGS) ?? {}).filter((name) => /proxy/i.test(name))).toEqual([]);
  expect(environments.get(LOGS)).toHaveProperty('PULL_SECRET_TOKEN', 'token');
});

it('pulls an operating system for the running root through the proxy of the cluster', async () => {
  const flags = ['--coreos-image', 'quay.io/coreos:1', '--https-proxy', 'http://proxy.example.com:3128'];
  const { environments } = await runRecorded({ flags });
  const [, pull] = [...environments].find(([command]) => command.startsWith('ostree container image deploy')) ?? [];
  expect(pull).toHaveProperty('https_proxy', 'http://proxy.example.com:3128');
});

describe('the installation of a worker', () => {
  it('waits until two hosts of the control plane are done', async () => {
    let asked = 0;
    const done = { id: 'h', status: 'installed', progress: { current_stage: 'Done' } };
    const { stages, failure } = await runRecorded({
      flags: ['--role', 'worker', '--control-plane-count', '3'],
      api: {
        cluster: async () => ({ status: 'installing' }),
        hostsOfRole: async (_cluster, role) => (role === 'arbiter' ? [] : Array<typeof done>(asked++).fill(done)),
      },
    });
    expect(failure).toBeUndefined();
    expect(asked).toBe(3);
    expect(stages).toContain('Waiting for control plane');
  });

  it.each(['Cluster', 'AddHostsCluster'])('does not fail when the service of its %s is unavailable', async (kind) => {
    const done = { id: 'h', status: 'installed', progress: { current_stage: 'Done' } };
    let asked = 0;
    let failures = 3;
    const { commands, failure, notes } = await runRecorded({
      flags: ['--role', 'worker'],
      api: {
        cluster: async () => {
          if (failures-- > 0) throw new Error('no answer');
          return { status: 'installing', kind };
        },
        hostsOfRole: async () => {
          asked += 1;
          return [done];
        },
      },
    });
    expect({ asked, failure }).toEqual({ asked: kind === 'Cluster' ? 2 : 0, failure: undefined });
    expect(notes).toContain('Waiting for the control plane: no answer');
    expect(commands.at(-1)).toMatch(/^shutdown -r/);
  });
});

describe('the installation of a single node', () => {
  it('merges the output of the bootstrap with its own config, and downloads nothing on first boot', async () => {
    const { commands, failure, files, stages } = await runRecorded({
      flags: ['--role', 'bootstrap', '--control-plane-count', '1'],
      recording: [['hostname', 'localhost\n']],
      files: {
        '/usr/bin/oc': '',
        '/opt/openshift/.bootkube.done': '',
        '/opt/openshift/master.ign': JSON.stringify({
          ignition: { version: '3.2.0' },
          storage: { files: [{ path: '/etc/made-by-bootkube' }] },
        }),
      },
    });
    expect(failure).toBeUndefined();
    expect(commands).toEqual([
      'readlink -f /dev/disk/by-id/wwn-1',
      ...CLEAN,
      'mkdir -p /root/.ssh',
      'podman run --net host --pid=host --volume /:/rootfs:rw --volume /usr/bin/rpm-ostree:/usr/bin/rpm-ostree --privileged --entrypoint /usr/bin/machine-config-daemon quay.io/mco:1 start --node-name localhost --root-mount /rootfs --once-from /opt/install-dir/bootstrap.ign --skip-reboot',
      'systemctl daemon-reload',
      'hostname',
      'hostnamectl set-hostname random-hostname-id',
      'systemctl start bootkube.service',
      'systemctl start approve-csr.service',
      'systemctl start progress.service',
      `coreos-installer install --insecure -i ${IGN} /dev/sda`,
      LOGS.replace('-v /var/log:/var/log', '-v /var/log:/var/log -v /root/.ssh:/root/.ssh -v /tmp:/tmp').replace(
        '-bootstrap=false',
        '-bootstrap=true',
      ),
      REBOOT[0],
      'shutdown -r now Installation completed, server is going to reboot.',
    ]);
    expect(stages).toEqual([
      'Starting installation: bootstrap',
      'Installing: bootstrap',
      'Waiting for bootkube',
      'Writing image to disk',
      'Rebooting',
    ]);
    const written = JSON.parse(files.get(IGN) ?? '') as { ignition: object; storage: { files: object[] } };
    expect(written.ignition).toEqual({ version: '3.2.0' });
    expect(written.storage.files).toEqual([{ path: '/etc/made-by-bootkube' }]);
    const job = JSON.parse(files.get('/opt/openshift/manifests/assisted-installer-controller-pod.yaml') ?? '') as {
      spec: { template: { spec: { containers: { image: string }[] } } };
    };
    expect(job.spec.template.spec.containers[0]?.image).toBe('quay.io/controller:1');
  });

  it('waits for the node image when the live image has no client programs', async () => {
    const { failure } = await runRecorded({
      flags: ['--role', 'bootstrap', '--control-plane-count', '1'],
      recording: [['systemctl show -P ActiveState node-image-pull', 'failed\n']],
    });
    expect(failure).toMatch(/node-image-pull.service failed. See "journalctl --unit node-image-pull.service"/);
  });
});
