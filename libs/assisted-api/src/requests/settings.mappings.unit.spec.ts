import {
  toClusterChanges,
  toClusterSettings,
  toFirstNetworks,
  toHostRevision,
  toInfraEnvChanges,
  toInfraEnvDocuments,
  toInfraEnvSettings,
} from './settings.mappings';

describe('toClusterSettings', () => {
  it('returns only fields that the request contains', () => {
    expect(toClusterSettings({})).toEqual({});
    expect(Object.keys(toClusterSettings({ name: 'one' }))).toEqual(['name']);
  });

  it('distinguishes an empty list, which clears, from an absent list', () => {
    expect(toClusterSettings({ machine_networks: [], api_vips: [{ ip: '' }] })).toEqual({
      machineNetworks: { items: [] },
      apiVips: { items: [] },
    });
  });

  it.each([
    ['API.Lab.Example.com.', 'api.lab.example.com'],
    ['', ''],
  ])('converts the name of an API %j to the form that hosts use', (api_vip_dns_name, apiVipDnsName) => {
    expect(toClusterChanges({ api_vip_dns_name })).toEqual({ apiVipDnsName });
  });

  it('adds the default host prefix of each network by its address family', () => {
    const networks = [{ cidr: '10.128.0.0/14' }, { cidr: 'fd01::/48' }, { cidr: '10.0.0.0/16', host_prefix: 24 }];
    expect(
      toClusterSettings({ cluster_networks: networks }).clusterNetworks?.items.map(({ hostPrefix }) => hostPrefix),
    ).toEqual([23, 64, 24]);
  });

  it('converts the single networks of older clients when the lists are absent', () => {
    expect(
      toClusterSettings({
        cluster_network_host_prefix: 25,
        service_network_cidr: '172.30.0.0/16',
      }),
    ).toEqual({
      clusterNetworks: { items: [{ cidr: '10.128.0.0/14', hostPrefix: 25 }] },
      serviceNetworks: { items: ['172.30.0.0/16'] },
    });
    expect(toClusterSettings({ service_networks: [], service_network_cidr: '172.30.0.0/16' })).toEqual({
      serviceNetworks: { items: [] },
    });
  });

  it('converts platform, encryption, load balancer, operators and proxy', () => {
    expect(
      toClusterSettings({
        platform: { type: 'external', external: { platform_name: 'oci' } },
        disk_encryption: { enable_on: 'all', mode: 'tpmv2' },
        load_balancer: { type: 'user-managed' },
        olm_operators: [{ name: 'lvm' }],
        http_proxy: 'http://p',
        cpu_architecture: 'aarch64',
      }),
    ).toEqual({
      platformType: 'external',
      platformDetails: { external: { platform_name: 'oci' } },
      diskEncryption: { enable_on: 'all', mode: 'tpmv2' },
      loadBalancerType: 'user-managed',
      olmOperators: { items: [{ name: 'lvm', properties: '', sourceBundles: [] }] },
      proxy: { httpProxy: 'http://p' },
      cpuArchitecture: 'arm64',
    });
  });

  it('omits the pull secret', () => {
    const settings = toClusterSettings({ name: 'one', openshift_version: '4.18', pull_secret: 'canary-4711' });
    expect(JSON.stringify(settings)).not.toContain('canary-4711');
  });
});

describe('the single networks of older clients in a revision', () => {
  it('are changes of the first networks only', () => {
    const body = {
      name: 'one',
      cluster_network_host_prefix: 25,
      service_network_cidr: '172.30.0.0/16',
      machine_network_cidr: '192.0.2.0/24',
    };
    expect(toClusterChanges(body)).toEqual({ name: 'one' });
    expect(toFirstNetworks(body)).toEqual({
      clusterNetworkHostPrefix: 25,
      serviceNetworkCidr: '172.30.0.0/16',
      machineNetworkCidr: '192.0.2.0/24',
    });
    expect(toFirstNetworks({ cluster_network_cidr: '10.0.0.0/14' })).toEqual({ clusterNetworkCidr: '10.0.0.0/14' });
    expect(toFirstNetworks({ name: 'one', cluster_networks: [] })).toBeUndefined();
  });
});

describe('toInfraEnvSettings', () => {
  it('converts an empty list of kernel arguments to an empty text, which removes them', () => {
    const kernel_arguments = [{ operation: 'append', value: 'quiet' }];
    expect(toInfraEnvChanges({ kernel_arguments })).toEqual({
      kernelArguments: '[{"operation":"append","value":"quiet"}]',
    });
    expect(toInfraEnvChanges({ kernel_arguments: [] })).toEqual({ kernelArguments: '' });
    expect(toInfraEnvSettings({ name: 'one', pull_secret: '', kernel_arguments: [] })).toEqual({
      name: 'one',
      kernelArguments: '',
    });
  });

  it('converts lists to texts', () => {
    expect(
      toInfraEnvSettings({
        name: 'one',
        pull_secret: 'canary-4711',
        cluster_id: 'AB',
        cpu_architecture: 'aarch64',
      }),
    ).toEqual({ name: 'one', clusterId: 'ab', cpuArchitecture: 'arm64' });
  });

  it('omits empty keys and versions of a revision', () => {
    expect(
      toInfraEnvChanges({
        ssh_authorized_key: '',
        openshift_version: '',
        ntp_sources: '',
      }),
    ).toEqual({
      ntpSources: '',
    });
  });
});

describe('toInfraEnvDocuments', () => {
  it('separates documents from the settings, and converts empty networks to removed', () => {
    expect(toInfraEnvDocuments({ static_network_config: [], ignition_config_override: '{}' })).toEqual({
      staticNetworkConfig: '',
      ignitionConfigOverride: '{}',
    });
    expect(toInfraEnvDocuments({ static_network_config: [{ network_yaml: 'a' }] })).toEqual({
      staticNetworkConfig: '[{"network_yaml":"a"}]',
    });
    expect(toInfraEnvDocuments({})).toEqual({});
  });
});

describe('toHostRevision', () => {
  it('separates secrets from the settings', () => {
    const revision = toHostRevision({
      ignition_endpoint_token: 'token',
      ignition_endpoint_http_headers: [{ key: 'X-Rack', value: '7' }],
      fencing_credentials: { address: 'https://bmc', username: 'root', password: 'pw' },
    });
    expect(revision).toEqual({
      settings: {},
      ignitionEndpointToken: 'token',
      ignitionEndpointHttpHeaders: '{"X-Rack":"7"}',
      fencingCredentials:
        '{"address":"https://bmc","username":"root","password":"pw","certificate_verification":"Enabled"}',
    });
    expect(toHostRevision({ ignition_endpoint_token: '', ignition_endpoint_http_headers: [] })).toEqual({
      settings: {},
      ignitionEndpointToken: '',
      ignitionEndpointHttpHeaders: '',
    });
  });

  it('refuses a selection without exactly one installation disk', () => {
    expect(toHostRevision({ disks_selected_config: [{ id: 'a' }, { id: 'b', role: 'install' }] })).toEqual({
      installationDiskId: 'b',
      settings: {},
    });
    for (const disks of [
      [],
      [
        { id: 'a', role: 'install' },
        { id: 'b', role: 'install' },
      ],
    ]) {
      expect(toHostRevision({ disks_selected_config: disks })).toMatchObject({
        refusal: { code: 'conflicts-with-other' },
      });
    }
  });

  it.each<[string, Parameters<typeof toHostRevision>[0]]>([
    ['ignition_endpoint_http_headers', { ignition_endpoint_http_headers: [{ key: '', value: 'canary' }] }],
    ['ignition_endpoint_http_headers', { ignition_endpoint_http_headers: [{ key: 'X Rack', value: 'canary' }] }],
    ['ignition_endpoint_http_headers', { ignition_endpoint_http_headers: [{ key: 'X-Rack', value: 'canary\r\n' }] }],
    ['ignition_endpoint_http_headers', { ignition_endpoint_http_headers: [{ key: 'X-Rack', value: '' }] }],
    ['ignition_endpoint_token', { ignition_endpoint_token: 'canary\n' }],
  ])('refuses what cannot be sent in a header, without its value: %s', (subject, body) => {
    const revision = toHostRevision(body);
    expect(revision).toMatchObject({ refusal: { code: 'invalid-input', subject } });
    expect(JSON.stringify(revision)).not.toContain('canary');
  });

  it('contains the changes of single disks that stay unchanged', () => {
    const changes = [
      { disk_id: 'a', skip_formatting: false },
      { disk_id: 'c', skip_formatting: true },
    ];
    expect(toHostRevision({ disks_skip_formatting: changes })).toEqual({
      settings: {},
      disks: {
        items: [
          { diskId: 'a', skip: false },
          { diskId: 'c', skip: true },
        ],
      },
    });
  });
});
