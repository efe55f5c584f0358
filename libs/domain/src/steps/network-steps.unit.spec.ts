import {
  apiVipConnectivityCheck,
  connectivityCheck,
  domainResolution,
  freeNetworkAddresses,
  ntpSynchronizer,
  tangConnectivityCheck,
  verifyVips,
} from './network-steps';
import { documentOf, hardware, nic, other, stepContext } from './step-sample.fixture.spec';

describe('connectivity check', () => {
  it('contains every other host with its NICs, IPv4 before IPv6, without prefix lengths', () => {
    const nics = [nic({ ipv6Addresses: ['fd00::12/64'], ipv4Addresses: ['192.0.2.12/24', '198.51.100.1/30'] })];
    const others = [other({ hardware: hardware({ nics }) })];
    expect(documentOf(connectivityCheck(stepContext({ others })))).toEqual([
      {
        host_id: 'h2',
        nics: [{ name: 'ens3', mac: '52:54:00:aa:00:01', ip_addresses: ['192.0.2.12', '198.51.100.1', 'fd00::12'] }],
      },
    ]);
  });

  it('contains the new addresses of a host that reported again', () => {
    const [before, after] = ['192.0.2.12/24', '192.0.2.99/24'].map((address) =>
      connectivityCheck(
        stepContext({ others: [other({ hardware: hardware({ nics: [nic({ ipv4Addresses: [address] })] }) })] }),
      ),
    );
    expect(before?.[0]).toContain('192.0.2.12');
    expect(after?.[0]).toContain('192.0.2.99');
  });

  it.each([
    ['there is no other host', []],
    [
      'the others have no inventory or were removed',
      [other({ status: 'discovering' }), other({ status: 'disconnected' })],
    ],
    ['one of them has no NICs', [other(), other({ hardware: hardware({ nics: [] }) })]],
    ['one of them has no inventory', [other(), other({ hardware: undefined })]],
  ])('is not sent when %s', (_case, others) => {
    expect(connectivityCheck(stepContext({ others }))).toBeUndefined();
  });

  it('omits hosts that cannot answer', () => {
    const others = [other(), other({ hostId: 'h3', status: 'disconnected', hardware: undefined })];
    expect(documentOf(connectivityCheck(stepContext({ others })))).toMatchObject([{ host_id: 'h2' }]);
  });
});

describe('free addresses step', () => {
  const networks = (...ipv4Addresses: string[]) =>
    documentOf(freeNetworkAddresses(stepContext({ hardware: { nics: [nic({ ipv4Addresses })] } })));

  it('scans each small IPv4 network of the host once', () => {
    expect(networks('192.0.2.11/24', '192.0.2.12/24', '10.1.2.3/22')).toEqual(['192.0.2.0/24', '10.1.0.0/22']);
    expect(networks('203.0.113.255/31', '200.200.200.200/32')).toEqual(['203.0.113.254/31', '200.200.200.200/32']);
  });

  it.each([['10.1.2.3/21'], ['not an address'], ['10.1.2.3']])('is not sent for %s', (address) => {
    expect(networks(address)).toBeUndefined();
  });

  it('is not sent without an inventory', () => {
    expect(freeNetworkAddresses(stepContext({ hardware: null }))).toBeUndefined();
  });
});

describe('NTP step', () => {
  it.each([
    ['the cluster', stepContext(), 'ntp.example.com'],
    ['no server, when the cluster has none', stepContext({ cluster: { ntpSources: '' } }), ''],
    ['the infra-env for a host without a cluster', stepContext({ cluster: null }), 'pool.example.com'],
  ])('uses the sources of %s', (_case, context, source) => {
    expect(ntpSynchronizer(context)).toEqual([JSON.stringify({ ntp_source: source })]);
  });
});

describe('domain resolution step', () => {
  const names = (...changes: Parameters<typeof stepContext>) => {
    const document = documentOf(domainResolution(stepContext(...changes)));
    return (document as { domains: { domain_name: string }[] } | undefined)?.domains.map((one) => one.domain_name);
  };
  const OWN = [
    'api.ocp.example.com',
    'api-int.ocp.example.com',
    'console-openshift-console.apps.ocp.example.com',
    'validateNoWildcardDNS.ocp.example.com',
    'validateNoWildcardDNS.ocp.example.com.',
  ];

  it.each([
    ['quay.io/openshift-release-dev/ocp-release:4.18.3', ['quay.io']],
    ['mirror.example.com:5000/ocp/release@sha256:0', ['mirror.example.com']],
    ['localhost:5000/ocp/release', ['localhost']],
    ['192.0.2.5:5000/ocp/release', []],
    ['[fd00::5]:5000/ocp/release', []],
    ['quay.io/ocp-release', ['quay.io']],
    ['openshift/release', []],
    ['release.of.today', []],
    ['', []],
  ])('adds the registry of release image %s: %j', (releaseImage, registry) => {
    expect(names({ cluster: { releaseImage } })).toStrictEqual([...OWN, ...registry]);
  });

  it('adds no registry on day 2', () => {
    expect(names({ host: { kind: 'AddToExistingClusterHost' } })).toEqual(OWN);
  });

  it.each([{ name: '' }, { baseDnsDomain: '' }])('is not sent without %j', (cluster) => {
    expect(names({ cluster })).toBeUndefined();
  });
});

describe('VIP check', () => {
  it('contains the VIPs with their kinds', () => {
    expect(documentOf(verifyVips(stepContext()))).toEqual([
      { vip: '192.0.2.100', vip_type: 'api' },
      { vip: '192.0.2.101', vip_type: 'ingress' },
    ]);
  });

  it.each([
    ['without VIPs', { cluster: { apiVips: [], ingressVips: [] } }],
    ['without an inventory', { hardware: null }],
    ['without a cluster', { cluster: null }],
  ])('is not sent %s', (_case, changes) => {
    expect(verifyVips(stepContext(changes))).toBeUndefined();
  });
});

describe('Ignition check of a day-2 host', () => {
  const day2 = { kind: 'AddToExistingClusterHost', effectiveRole: 'worker' };
  const check = (cluster: object = {}, host: object = {}) =>
    documentOf(apiVipConnectivityCheck(stepContext({ cluster, host: { ...day2, ...host } })));

  it.each([
    ['the default endpoint by role', {}, {}, { url: 'http://api.ocp.example.com:22624/config/worker' }],
    [
      'the default endpoint by pool',
      {},
      { machineConfigPoolName: 'infra' },
      { url: 'http://api.ocp.example.com:22624/config/infra' },
    ],
    [
      'the default endpoint for an automatic role',
      {},
      { effectiveRole: 'auto-assign' },
      { url: expect.stringMatching(/worker$/) },
    ],
    [
      'the default endpoint over TLS with a CA',
      { ignitionEndpoint: { caCertificate: 'Q0E=' } },
      {},
      { url: 'https://api-int.ocp.example.com:22623/config/worker', ca_certificate: 'Q0E=' },
    ],
    [
      'the default endpoint at an IPv6 address',
      { apiVipDnsName: '2001:db8::5' },
      {},
      { url: 'http://[2001:db8::5]:22624/config/worker' },
    ],
    [
      'the default endpoint at an IPv6 address over TLS with a CA',
      { apiVipDnsName: '2001:db8::5', ignitionEndpoint: { caCertificate: 'Q0E=' } },
      {},
      { url: 'https://[2001:db8::5]:22623/config/worker', ca_certificate: 'Q0E=' },
    ],
    [
      'a custom endpoint',
      { ignitionEndpoint: { url: 'https://ign.example.com:8443/config/' } },
      {},
      { url: 'https://ign.example.com:8443/config/worker' },
    ],
    [
      'the default endpoint over TLS with a CA of the host',
      {},
      { ignitionAccess: { token: '', headers: {}, caCertificate: 'T1dO' } },
      { url: 'https://api-int.ocp.example.com:22623/config/worker', ca_certificate: 'T1dO' },
    ],
    [
      'a custom endpoint with the CAs of the cluster and of the host',
      { ignitionEndpoint: { url: 'https://ign.example.com:8443/config', caCertificate: 'Q0E=' } },
      { ignitionAccess: { token: '', headers: {}, caCertificate: 'Q0FPV04=' } },
      { url: 'https://ign.example.com:8443/config/worker', ca_certificate: 'Q0FPV04=' },
    ],
  ])('uses %s', (_case, cluster, host, expected) => {
    expect(check(cluster, host)).toEqual({ request_headers: [], ...expected });
  });

  it('sends the credentials of the host, the token both as a member and as a header', () => {
    const headers = [{ key: 'X-Rack', value: '7' }];
    expect(
      check({}, { ignitionAccess: { token: 'secret', headers: { 'X-Rack': '7' }, caCertificate: '' } }),
    ).toMatchObject({
      ignition_endpoint_token: 'secret',
      request_headers: [...headers, { key: 'Authorization', value: 'Bearer secret' }],
    });
    const withoutToken = check({}, { ignitionAccess: { token: '', headers: { 'X-Rack': '7' }, caCertificate: '' } });
    expect(withoutToken).toMatchObject({ request_headers: headers });
    expect(withoutToken).not.toHaveProperty('ignition_endpoint_token');
  });

  it('sends the token in place of another Authorization header', () => {
    const headers = { authorization: 'Basic YQ==', 'X-Rack': '7' };
    expect(check({}, { ignitionAccess: { token: 'secret', headers, caCertificate: '' } })).toMatchObject({
      request_headers: [
        { key: 'X-Rack', value: '7' },
        { key: 'Authorization', value: 'Bearer secret' },
      ],
    });
  });

  it('is not sent while the address of the API is unknown', () => {
    expect(check({ apiVipDnsName: '' })).toBeUndefined();
  });
});

describe('Tang connectivity check', () => {
  const tangServers = '[{"url":"http://tang","thumbprint":"t"}]';
  const check = (encryption: object, effectiveRole: string) => {
    const diskEncryption = { enableOn: 'all', mode: 'tang', tangServers, ...encryption };
    return documentOf(tangConnectivityCheck(stepContext({ cluster: { diskEncryption }, host: { effectiveRole } })));
  };

  it.each([
    ['all', 'worker'],
    ['masters', 'master'],
    ['masters,arbiters', 'arbiter'],
  ])('is sent when %s are encrypted, on a %s', (enableOn, role) => {
    expect(check({ enableOn }, role)).toEqual({ tang_servers: tangServers });
  });

  it.each([
    ['another role is encrypted', { enableOn: 'masters' }, 'worker'],
    ['no role is encrypted', { enableOn: 'none' }, 'master'],
    ['the keys are in the TPM', { mode: 'tpmv2' }, 'master'],
    ['no server is named', { tangServers: '' }, 'master'],
  ])('is not sent when %s', (_case, encryption, role) => {
    expect(check(encryption, role)).toBeUndefined();
  });

  it('uses the servers of the installed cluster on day 2 when its Ignition config contains them', () => {
    const diskEncryption = { enableOn: 'none', mode: 'tpmv2', tangServers: '[]' };
    const ofDay2 = (named?: string) =>
      tangConnectivityCheck(
        stepContext({ cluster: { diskEncryption }, host: { kind: 'AddToExistingClusterHost', tangServers: named } }),
      );
    expect(documentOf(ofDay2(tangServers))).toEqual({ tang_servers: tangServers });
    expect(ofDay2()).toBeUndefined();
  });
});
