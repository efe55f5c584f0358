import { parse, parseAllDocuments } from 'yaml';
import { parseRegistries } from '../documents/parse-registries';
import { unconfiguredFiles, type UnconfiguredInput } from './unconfigured-files';

const input = (changes: Partial<UnconfiguredInput> = {}): UnconfiguredInput => ({
  name: 'site',
  cpuArchitecture: 'x86_64',
  pullSecret: '{"auths":{}}',
  sshAuthorizedKey: '',
  proxy: { httpProxy: '', httpsProxy: '', noProxy: '' },
  additionalNtpSources: [],
  rendezvousIp: '',
  staticNetworks: [],
  ...changes,
});
const contentOf = (path: string, changes: Partial<UnconfiguredInput> = {}): string =>
  unconfiguredFiles(input(changes)).find((file) => file.path === path)?.content ?? '';

describe('files of an image for installations without a service', () => {
  it('are few without optional settings', () => {
    expect(unconfiguredFiles(input()).map(({ path }) => path)).toEqual([
      'cluster-manifests/infraenv.yaml',
      'cluster-manifests/pull-secret.yaml',
      'mirror/registries.conf',
    ]);
    expect(parse(contentOf('cluster-manifests/infraenv.yaml'))).toMatchObject({
      kind: 'InfraEnv',
      spec: { cpuArchitecture: 'x86_64', pullSecretRef: { name: 'pull-secret' } },
    });
    expect(parse(contentOf('cluster-manifests/pull-secret.yaml'))).toMatchObject({
      stringData: { '.dockerconfigjson': '{"auths":{}}' },
    });
  });

  it('configure the registry on the disk of an appliance', () => {
    expect(parseRegistries(contentOf('mirror/registries.conf'))).toEqual({
      kind: 'parsed',
      mirrors: [
        {
          source: 'quay.io/openshift-release-dev/ocp-release',
          mirrors: ['registry.appliance.openshift.com:5000/openshift/release-images'],
        },
        {
          source: 'quay.io/openshift-release-dev/ocp-v4.0-art-dev',
          mirrors: ['registry.appliance.openshift.com:5000/openshift/release'],
        },
      ],
    });
  });

  it('contain the text of binary values and no other memory of the service', () => {
    const bridge = '{name: br0, type: ovs-bridge, state: up, ovs-db: {external_ids: {a: !!binary aHVudGVyMg==}}}';
    const port = '{name: eth1, type: ethernet, state: up, mac-address: 02:00:00:00:00:02}';
    const staticNetworks = [{ network_yaml: `interfaces: [${bridge}, ${port}]\n` }];
    const content = contentOf('cluster-manifests/nmstateconfig.yaml', { staticNetworks });
    expect(parse(content.replace('---\n', ''))).toHaveProperty('spec.config.interfaces.0.ovs-db', {
      external_ids: { a: 'hunter2' },
    });
  });

  it('contain the rendezvous host and the static networks', () => {
    const staticNetworks = [
      {
        network_yaml: 'interfaces:\n- {name: eth0, type: ethernet, state: up, description: "on"}\n',
        mac_interface_map: [{ mac_address: '02:00:00:00:00:01', logical_nic_name: 'eth0' }],
      },
      { network_yaml: 'interfaces: [{name: eth1, type: ethernet, state: up, mac-address: 02:00:00:00:00:02}]\n' },
    ];
    const changes = { staticNetworks, rendezvousIp: '192.0.2.5', sshAuthorizedKey: 'ssh-ed25519 A' };
    expect(parse(contentOf('agent-config.yaml', changes))).toMatchObject({ rendezvousIP: '192.0.2.5' });
    const documents = parseAllDocuments(contentOf('cluster-manifests/nmstateconfig.yaml', changes), {
      schema: 'yaml-1.1',
    });
    expect(documents.map((document) => (document.toJS() as { spec: object }).spec)).toEqual([
      {
        config: { interfaces: [{ name: 'eth0', type: 'ethernet', state: 'up', description: 'on' }] },
        interfaces: [{ name: 'eth0', macAddress: '02:00:00:00:00:01' }],
      },
      {
        config: {
          interfaces: [{ name: 'eth1', type: 'ethernet', state: 'up', 'mac-address': '02:00:00:00:00:02' }],
        },
        interfaces: [{ name: 'eth1', macAddress: '02:00:00:00:00:02' }],
      },
    ]);
    const matchLabels = { 'muster/static-network': 'configured' };
    expect(parse(contentOf('cluster-manifests/infraenv.yaml', changes))).toMatchObject({
      spec: { sshAuthorizedKey: 'ssh-ed25519 A', nmStateConfigLabelSelector: { matchLabels } },
    });
  });

  it('contain the additional trust bundle, which the service of the rendezvous host adds to the cluster', () => {
    expect(parse(contentOf('cluster-manifests/infraenv.yaml', { additionalTrustBundle: 'PEM\n' }))).toMatchObject({
      spec: { additionalTrustBundle: 'PEM\n' },
    });
  });

  it('contain the proxy without blanks, which the service of the rendezvous host refuses', () => {
    const proxy = { httpProxy: 'http://proxy', httpsProxy: '', noProxy: '.lan, 10.0.0.0/8' };
    expect(parse(contentOf('cluster-manifests/infraenv.yaml', { proxy }))).toMatchObject({
      spec: { proxy: { httpProxy: 'http://proxy', noProxy: '.lan,10.0.0.0/8' } },
    });
  });

  it('are refused with a static network that cannot be used', () => {
    const staticNetworks = [{ network_yaml: 'interfaces: [{name: eth0, type: ethernet, state: up}]\n' }];
    expect(() => unconfiguredFiles(input({ staticNetworks }))).toThrow(
      /host 1, mac_interface_map: No interface has a MAC/,
    );
  });
});
